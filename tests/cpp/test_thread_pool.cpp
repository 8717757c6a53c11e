#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "parallel/thread_pool.h"

#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace neargp;

namespace {

// Threads that work, where the work lasts until `helpers` have come to help, or half a minute.
std::set<std::thread::id> workers(int helpers) {
  std::mutex mutex;
  std::set<std::thread::id> found;
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  thread_pool::run(helpers, [&] {
    for (;;) {
      {
        const std::lock_guard<std::mutex> lock(mutex);
        found.insert(std::this_thread::get_id());
        if (int(found.size()) > helpers || std::chrono::steady_clock::now() > patience) return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  return found;
}

}  // namespace

TEST_CASE("as many threads as are asked for share the work, the same ones time after time") {
  thread_pool::stop();
  CHECK(workers(0) == std::set<std::thread::id>{std::this_thread::get_id()});
  const auto four = workers(3);
  CHECK(four.size() == 4);
  CHECK(four.count(std::this_thread::get_id()) == 1);
  CHECK(workers(3) == four);
  CHECK(workers(1).size() == 2);
}

TEST_CASE("work that nobody comes to help with is done") {
  const std::thread::id caller = std::this_thread::get_id();
  for (int time = 0; time < 1000; ++time) {
    bool done = false;
    thread_pool::run(3, [&] {
      if (std::this_thread::get_id() == caller) done = true;
    });
    REQUIRE(done);
  }
}

TEST_CASE("run() returns after all that began have ended, however late") {
  for (int time = 0; time < 200; ++time) {
    std::atomic<int> inside{0};
    thread_pool::run(2, [&] {
      ++inside;
      std::this_thread::sleep_for(std::chrono::microseconds(time));
      --inside;
    });
    REQUIRE(inside == 0);
  }
}

TEST_CASE("work within work has no further threads") {
  std::atomic<int> others{0};
  thread_pool::run(2, [&] {
    const std::thread::id outer = std::this_thread::get_id();
    thread_pool::run(2, [&] { others += std::this_thread::get_id() != outer; });
  });
  CHECK(others == 0);
}

TEST_CASE("several threads may want work done at the same time") {
  std::atomic<int> done{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int time = 0; time < 50; ++time) {
        std::atomic<int> next{0};
        thread_pool::run(2, [&] {
          while (next++ < 10) ++done;
        });
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(done == 4 * 50 * 10);
}

#ifndef _WIN32

TEST_CASE("a fork has a thread pool of its own") {
  workers(1);
  const pid_t child = fork();
  if (child == 0) _exit(workers(1).size() == 2 ? 0 : 1);
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(workers(1).size() == 2);
}

#endif

TEST_CASE("after the thread pool is stopped there is a new one") {
  thread_pool::stop();
  thread_pool::stop();
  CHECK(workers(2).size() == 3);
}
