#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "parallel/parallel_for.h"

using namespace neargp;

namespace {

RunContext with_threads(int threads) {
  RunContext context;
  context.threads = threads;
  return context;
}

void sleep_ms(int duration) { std::this_thread::sleep_for(std::chrono::milliseconds(duration)); }

}  // namespace

TEST_CASE("every chunk runs exactly once") {
  for (const int threads : {0, 1, 2, 4, 9})
    for (const Index chunks : {0, 1, 3, 1000}) {
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(chunks));
      parallel_for(with_threads(threads), chunks, [&](Index chunk) { ++runs[chunk]; });
      for (const auto& count : runs) CHECK(count == 1);
    }
}

TEST_CASE("the exception of the first failing chunk reaches the caller, whatever the threads") {
  for (const int threads : {1, 2, 4}) {
    const auto run = [threads] {
      parallel_for(with_threads(threads), 100, [](Index chunk) {
        if (chunk >= 10) throw Error("Chunk " + std::to_string(chunk) + " failed.");
      });
    };
    CHECK_THROWS_WITH_AS(run(), "Chunk 10 failed.", Error);
  }
}

TEST_CASE("an interrupt stops the loop soon, and is raised on the calling thread") {
  for (const int threads : {1, 2, 4}) {
    RunContext context = with_threads(threads);
    const std::thread::id caller = std::this_thread::get_id();
    bool on_caller = false;
    context.check_interrupt = [&] {
      on_caller = std::this_thread::get_id() == caller;
      throw Error("Interrupted.");
    };
    std::atomic<int> done{0};
    const auto run = [&] {
      parallel_for(context, 10000, [&](Index) {
        sleep_ms(1);
        ++done;
      });
    };
    CHECK_THROWS_WITH_AS(run(), "Interrupted.", Error);
    CHECK(on_caller);
    CHECK(done < 5000);
  }
}

TEST_CASE("progress is a growing fraction") {
  for (const int threads : {1, 2}) {
    RunContext context = with_threads(threads);
    std::vector<double> seen;
    context.progress = [&](double fraction) { seen.push_back(fraction); };
    parallel_for(context, 200, [](Index) { sleep_ms(2); });
    REQUIRE(!seen.empty());
    double last = 0.0;
    for (const double fraction : seen) {
      CHECK_UNARY(fraction > last && fraction <= 1.0);
      last = fraction;
    }
  }
}
