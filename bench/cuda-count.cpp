// Writes what a launch of Vecchia sums with information gets on a device, and what it leaves there: the arguments of
// the kernel, then each piece of the device's memory, before and after. bench/cuda-count.py runs the kernel with it.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include "core_fixtures.h"
#include "emulated_device.h"

using namespace neargp;

namespace {

std::map<char*, std::size_t> living;
std::ofstream file;

void write(const void* bytes, std::size_t count) {
  const std::uint64_t size = count;
  file.write(reinterpret_cast<const char*>(&size), sizeof size);
  file.write(static_cast<const char*>(bytes), std::streamsize(count));
}

void write_memory() {
  const std::uint64_t pieces = living.size();
  file.write(reinterpret_cast<const char*>(&pieces), sizeof pieces);
  for (const auto& [address, size] : living) {
    file.write(reinterpret_cast<const char*>(&address), sizeof address);
    write(address, size);
  }
}

struct WritingDevice : emulated::Device {
  static void* allocate(std::size_t bytes) {
    void* memory = emulated::Device::allocate(bytes);
    living[static_cast<char*>(memory)] = bytes;
    return memory;
  }

  static void release(void* memory) noexcept {
    living.erase(static_cast<char*>(memory));
    emulated::Device::release(memory);
  }

  template <class Task>
  static void launch(const Task& task, const TargetRange& range, const LaunchPlan& plan, const LaunchMemory& memory) {
    const bool first = emulated::state().launches == 0;
    if (first) {
      write(&task, sizeof task);
      write(&range, sizeof range);
      write(&plan, sizeof plan);
      write(&memory, sizeof memory);
      write_memory();
    }
    emulated::Device::launch(task, range, plan, memory);
    if (first) write_memory();
  }
};

}  // namespace

// Matern 3/2 with one range and a nugget, two dimensions, response and constant; no conditioning set is short.
// Arguments: k, precision ("single" or "double"), and the file.
int main(int, char** arguments) {
  const int k = std::atoi(arguments[1]);
  file.open(arguments[3], std::ios::binary);
  emulated::Fresh device;
  emulated::state().limits.multiprocessors = 1;
  emulated::state().limits.blocks_per_multiprocessor = 1;
  const fixtures::Data data(fixtures::uniform_cloud(k + 20, 2, 4), 2);
  Covariance covariance;
  covariance.components = {fixtures::component(Family::matern, 1.3, {0.3}, {0, 0}, 1.5)};
  covariance.nugget = 0.1;
  covariance.active = {true, true, false, true};
  const Backend backend = DeviceBackend<WritingDevice>::table("writing");
  RunContext context;
  context.backend = &backend;
  context.single_precision = std::string(arguments[2]) == "single";
  const PreparedCovariance prepared = prepare(covariance, 2, true);
  const LocalProblem problem(data.view(), fixtures::neighbors_others(data, k), {}, context);
  problem.on_device().run(VecchiaSums{true}, prepared, context);
}
