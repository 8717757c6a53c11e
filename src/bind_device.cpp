// The modules that there are, and what they can use.
#include <Rcpp.h>

#include <string>

#include "conditional/gpu/module_loader.h"
#include "geometry/faiss_engine.h"
#include "parallel/thread_pool.h"

// Computations on a module's device are on its first one. Throws an Error where that cannot be used.
// [[Rcpp::export]]
void core_select_device(const std::string& file) { neargp::device_module(file).select(0); }

// How many devices a module can use, and where there are none, why.
// [[Rcpp::export]]
Rcpp::List core_device_count(const std::string& file) {
  std::string why_none;
  const int count = neargp::device_module(file).device_count(why_none);
  return Rcpp::List::create(Rcpp::Named("count") = count, Rcpp::Named("why_none") = why_none);
}

// [[Rcpp::export]]
std::string core_device_name(const std::string& file) { return neargp::device_module(file).describe(0).name; }

// The architectures that a device module was built for, and the devices that it sees. Asking a GPU for its memory opens
// it: where only their number matters, core_device_count() does.
// [[Rcpp::export]]
Rcpp::List core_module_devices(const std::string& file) {
  const neargp::DeviceModule& module = neargp::device_module(file);
  std::string why_none;
  const int count = module.device_count(why_none);
  Rcpp::CharacterVector name(count), architecture(count), driver(count);
  Rcpp::NumericVector total(count), free(count);
  for (int device = 0; device < count; ++device) {
    const neargp::DeviceInfo info = module.describe(device);
    name[device] = info.name;
    architecture[device] = info.architecture;
    driver[device] = info.driver;
    total[device] = info.total_bytes;
    free[device] = info.free_bytes;
  }
  return Rcpp::List::create(Rcpp::Named("build") = module.build, Rcpp::Named("why_none") = why_none,
                            Rcpp::Named("devices") = Rcpp::DataFrame::create(
                                Rcpp::Named("name") = name, Rcpp::Named("architecture") = architecture,
                                Rcpp::Named("driver") = driver, Rcpp::Named("total_bytes") = total,
                                Rcpp::Named("free_bytes") = free, Rcpp::Named("stringsAsFactors") = false));
}

// [[Rcpp::export]]
bool core_forked_from_user_of(const std::string& file) { return neargp::forked_from_user_of(file); }

// Throws an Error where the module cannot be used.
// [[Rcpp::export]]
Rcpp::List core_faiss(const std::string& file) {
  const neargp::FaissModule& module = neargp::faiss_module(file);
  return Rcpp::List::create(Rcpp::Named("version") = module.version,
                            Rcpp::Named("with_gpu") = module.candidates_on_gpu > 0);
}

// [[Rcpp::export]]
void core_stop_threads() { neargp::thread_pool::stop(); }
