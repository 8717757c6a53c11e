#include "bind_device.h"

#include <Rcpp.h>

#include <string>
#include <vector>

#include "bind_blas.h"
#include "conditional/gpu/module_loader.h"
#include "geometry/faiss_engine.h"
#include "parallel/thread_pool.h"
#include "simd/instruction_set.h"

namespace {

// The execution context of computations, by the files of the modules; empty for none. R sets it around a call and
// puts back what was there, so that it is never seen by another call.
struct ExecutionContext {
  std::string device_module;
  std::string search = "kd-tree";  // or "auto", "faiss"
  std::string faiss_module;
  bool single_precision = false;
  bool blas = false;
};

ExecutionContext& current() {
  static ExecutionContext execution;
  return execution;
}

}  // namespace

void add_execution_context(neargp::RunContext& context) {
  const ExecutionContext& execution = current();
  context.single_precision = execution.single_precision;
  const bool choose = execution.search == "auto";
  int gpu = neargp::no_gpu;
  if (!execution.device_module.empty()) {
    const neargp::DeviceModule& module = neargp::device_module(execution.device_module);
    context.backend = module.backend;
    gpu = module.selected();
    if (choose) context.neighbors = module.neighbors;
  }
  if (execution.search == "faiss")
    context.neighbors = &neargp::faiss_engine(execution.faiss_module, neargp::FaissUse::always, gpu);
  else if (choose && !context.neighbors && !execution.faiss_module.empty())
    context.neighbors = &neargp::faiss_engine(execution.faiss_module, neargp::FaissUse::where_faster);
}

// [[Rcpp::export]]
Rcpp::List core_execution_context() {
  return Rcpp::List::create(
      Rcpp::Named("device_module") = current().device_module, Rcpp::Named("search") = current().search,
      Rcpp::Named("faiss_module") = current().faiss_module,
      Rcpp::Named("single_precision") = current().single_precision, Rcpp::Named("blas") = current().blas);
}

// [[Rcpp::export]]
void core_set_execution_context(const Rcpp::List& execution) {
  ExecutionContext next;
  next.device_module = Rcpp::as<std::string>(execution["device_module"]);
  next.search = Rcpp::as<std::string>(execution["search"]);
  next.faiss_module = Rcpp::as<std::string>(execution["faiss_module"]);
  next.single_precision = Rcpp::as<bool>(execution["single_precision"]);
  next.blas = Rcpp::as<bool>(execution["blas"]);
  if (!next.device_module.empty() && next.device_module != current().device_module)
    neargp::device_module(next.device_module).select(0);
  neargp::use_dense_device(next.device_module.empty() ? nullptr : neargp::device_module(next.device_module).dense);
  use_r_blas(next.blas);
  current() = next;
}

// What rounding depends on besides the numbers: instruction set, device and BLAS.
// [[Rcpp::export]]
std::vector<std::string> core_arithmetic() {
  return {neargp::instruction_set_name(neargp::instruction_set()), current().device_module,
          current().blas ? "blas" : ""};
}

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
