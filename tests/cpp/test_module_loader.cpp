// Tests the loader with modules without a device, which the Makefile builds next to this program.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "base/error.h"
#include "base/shared_object.h"
#include "conditional/gpu/module_loader.h"
#include "core_fixtures.h"
#include "response/vecchia_likelihood.h"

using namespace neargp;

namespace {

std::string module_file(const char* name) { return std::string(NEARGP_TEST_MODULES "/") + name + ".so"; }

struct Counts {
  int views_opened, searches, selected;
};

Counts counts() {
  int values[4];
  reinterpret_cast<void (*)(int*)>(open_symbol(module_file("working"), "fake_counts"))(values);
  return {values[0], values[1], values[2]};
}

std::string message_of(const char* name) {
  try {
    device_module(module_file(name));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a module is opened once and tells of its devices") {
  const DeviceModule& module = device_module(module_file("working"));
  CHECK(&module == &device_module(module_file("working")));
  std::string why_none;
  CHECK(module.device_count(why_none) == 2);
  CHECK(module.describe(1).name == "Fake 1");
  module.select(1);
  CHECK(module.selected() == 1);
  CHECK(counts().selected == 1);
}

TEST_CASE("an Error thrown by a module is caught as one") {
  const DeviceModule& module = device_module(module_file("working"));
  CHECK_THROWS_WITH_AS(module.describe(7), "There is no fake device 7.", Error);
}

TEST_CASE("computations on a module's device are those of the CPU") {
  const DeviceModule& module = device_module(module_file("working"));
  const fixtures::Data data(fixtures::uniform_cloud(80, 2, 3), 2);
  const Covariance covariance = fixtures::families().front().covariance;
  const NeighborTable neighbors = fixtures::neighbors_before(data, 9);
  RunContext on_device, on_cpu;
  on_device.backend = module.backend;
  const int opened = counts().views_opened;
  LocalProblem problem(data.view(), neighbors, {}, on_device), reference(data.view(), neighbors, {}, on_cpu);
  CHECK(vecchia_sums(problem, covariance, true, on_device).gram ==
        vecchia_sums(reference, covariance, true, on_cpu).gram);
  CHECK(counts().views_opened == opened + 1);
}

TEST_CASE("modules that cannot be used are errors that say why") {
  CHECK(contains(message_of("other_table"), "another version of neargp (its table of functions"));
  CHECK(contains(message_of("other_backend"), "another version of neargp (its device interface"));
  CHECK(contains(message_of("other"), "is not a module of neargp"));
  CHECK(contains(message_of("broken"), "symbol_of_a_missing_library"));
  CHECK(contains(message_of("absent"), "cannot be loaded"));
  std::string why_none;
  CHECK(device_module(module_file("without_device")).device_count(why_none) == 0);
  CHECK(why_none == "There is no fake device: plug one in.");
}

TEST_CASE("a fork of a process that opened a module is told so") {
  const std::string file = module_file("working");
  device_module(file);
  CHECK_FALSE(forked_from_user_of(file));
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const bool told = forked_from_user_of(file) && contains(message_of("working"), "makePSOCKcluster");
    _exit(told ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
