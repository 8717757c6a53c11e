// A module without a device: the CPU of the program that opens it does the work, and calls are counted. FAKE chooses
// what is wrong with it.
#include "base/error.h"
#include "brute_engine.h"
#include "conditional/gpu/module.h"
#include "emulated_device.h"

using namespace neargp;

namespace {

[[maybe_unused]] constexpr int working = 0;
constexpr int other_table = 1, other_backend = 2, without_device = 3;

int views_opened, chosen = -1, sums_in_single;

int device_count(std::string& why_none) {
  if (FAKE != without_device) return 2;
  why_none = "There is no fake device: plug one in.";
  return 0;
}

DeviceInfo describe(int device) {
  if (device < 0 || device > 1) throw Error("There is no fake device " + std::to_string(device) + ".");
  return {"Fake " + std::to_string(device), "0.1", "0.2", 2e9, 1e9};
}

void select(int device) {
  describe(device);
  chosen = device;
}

int selected() { return chosen; }

void* open_view(const LocalView& view) {
  ++views_opened;
  return cpu_backend().open(view);
}

Index vecchia_sums(void* view, const PreparedCovariance& covariance, const VecchiaSums& operation,
                   const RunContext& context, std::vector<double>& sums) {
  sums_in_single += context.single_precision;
  const BackendFunction<VecchiaSums>& on_cpu = cpu_backend().operations;
  return on_cpu.run(view, covariance, operation, context, sums);
}

Backend make_backend() {
  Backend backend = cpu_backend();
  backend.name = "fake";
  backend.abi_version += FAKE == other_backend ? 1 : 0;
  backend.open = open_view;
  static_cast<BackendFunction<VecchiaSums>&>(backend.operations).run = vecchia_sums;
  return backend;
}

}  // namespace

// The numbers of views opened and searches done, the device selected, and the number of sums asked for in single
// precision. The arguments are those of a function for R's .C().
extern "C" void fake_counts(int* counts) {
  counts[0] = views_opened;
  counts[1] = fixtures::brute_searches();
  counts[2] = chosen;
  counts[3] = sums_in_single;
}

extern "C" const DeviceModule* neargp_device_module() {
  static const Backend backend = make_backend();
  static const DeviceModule module = {device_module_abi_version + (FAKE == other_table ? 1 : 0),
                                      "fake",
                                      "nothing, for tests",
                                      device_count,
                                      describe,
                                      select,
                                      selected,
                                      &backend,
                                      &fixtures::brute_engine(),
                                      &emulated::dense()};
  return &module;
}
