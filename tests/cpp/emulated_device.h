// The CPU takes the role of a device. Its memory is counted, and its teams are threads with real barriers, so that the
// sanitizers see what a GPU would do. Everything in conditional/gpu/ runs on it as on a GPU. With NEARGP_INTERPRETED an
// interpreted GPU replaces it (make interpreted).
#pragma once

#ifdef NEARGP_INTERPRETED
#include "interpreted_device.h"
#else

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/error.h"
#include "conditional/gpu/dense_table.h"
#include "conditional/gpu/device_backend.h"
#include "conditional/gpu/device_search.h"

namespace emulated {

using neargp::Index;

// Tests of large conditioning sets go up to this number of neighbours, for which a team takes several warps.
constexpr int most_neighbors = 130;

// Settings that tests give the device, and counts of what the device did.
struct State {
  neargp::DeviceLimits limits;
  Index total_bytes = Index(1) << 32;
  int threads = 1;             // of a team; 1: no threads are started
  Index fail_allocation = -1;  // the number of the allocation that fails
  Index used_bytes = 0, allocations = 0, living = 0;
  Index launches = 0, uploaded_bytes = 0, downloaded_bytes = 0;
  Index most_teams = 0;
  bool used_device_memory = false;
};

inline State& state() {
  static State state;
  return state;
}

// Waits for `count` threads, as often as asked.
class Barrier {
 public:
  explicit Barrier(int count) : count_(count) {}

  void wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    const long round = round_;
    if (++waiting_ == count_) {
      waiting_ = 0;
      ++round_;
      all_here_.notify_all();
    } else {
      all_here_.wait(lock, [&] { return round_ != round; });
    }
  }

 private:
  const int count_;
  int waiting_ = 0;
  long round_ = 0;
  std::mutex mutex_;
  std::condition_variable all_here_;
};

// This barrier does not make earlier writes visible to the other threads, and neither do exchanges between the threads
// of a warp. Its fences only keep the exchange itself in order. The thread sanitizer does not see fences.
class QuietBarrier {
 public:
  explicit QuietBarrier(int count) : count_(count) {}

  void wait() {
    const auto relaxed = std::memory_order_relaxed;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    const long round = round_.load(relaxed);
    if (waiting_.fetch_add(1, relaxed) + 1 == count_) {
      waiting_.store(0, relaxed);
      std::atomic_thread_fence(std::memory_order_seq_cst);
      round_.store(round + 1, relaxed);
    } else {
      while (round_.load(relaxed) == round) std::this_thread::yield();
    }
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }

 private:
  const int count_;
  std::atomic<int> waiting_{0};
  std::atomic<long> round_{0};
};

// Only a thread sanitizer sees the difference, so only `make teams` asks for the quiet barrier. Its threads poll, and
// make little progress while other programs run.
#ifdef NEARGP_QUIET_BARRIER
using ExchangeBarrier = QuietBarrier;
#else
using ExchangeBarrier = Barrier;
#endif

class ThreadTeam {
 public:
  struct Shared {
    explicit Shared(int size) : barrier(size), exchange(size), slot(std::size_t(size)) {}
    Barrier barrier;
    ExchangeBarrier exchange;
    std::vector<std::atomic<double>> slot;
  };

  ThreadTeam(int rank, int size, Shared& shared) : rank_(rank), size_(size), shared_(shared) {}

  int rank() const { return rank_; }
  int size() const { return size_; }
  void barrier() const { shared_.barrier.wait(); }

  double sum(double x) const {
    post(x);
    double sum = 0.0;
    for (int r = 0; r < size_; ++r) sum += slot(r);
    shared_.exchange.wait();
    return sum;
  }

  int place(bool flag, int& total) const {
    post(flag);
    int before = 0;
    total = 0;
    for (int r = 0; r < size_; ++r) {
      before += r < rank_ && slot(r) > 0.0;
      total += slot(r) > 0.0;
    }
    shared_.exchange.wait();
    return before;
  }

 private:
  double slot(int r) const { return shared_.slot[r].load(std::memory_order_relaxed); }

  void post(double x) const {
    shared_.slot[rank_].store(x, std::memory_order_relaxed);
    shared_.exchange.wait();
  }

  int rank_, size_;
  Shared& shared_;
};

// Matrix `w` of a stack.
inline neargp::ConstBlock matrix_of(neargp::ConstStack stack, Index w) {
  stack.first.data += w * stack.step;
  return stack.first;
}
inline neargp::Block matrix_of(neargp::Stack stack, Index w) {
  stack.first.data += w * stack.step;
  return stack.first;
}

// Sets entries above the diagonal to NaN. There, cuSOLVER may leave anything.
inline void lose_upper(const neargp::Block& s) {
  for (Index j = 1; j < s.columns; ++j) std::memset(s.data + j * s.stride, 0xff, std::size_t(j) * sizeof(double));
}

// One matrix after the other.
inline const neargp::StackEngine& stack_engine() {
  using namespace neargp;
  static const StackEngine engine{"one by one",
                                  [](double alpha, ConstStack a, ConstStack b, Stack c) {
                                    for (Index w = 0; w < c.count; ++w)
                                      eigen_engine().add_product(alpha, matrix_of(a, w), matrix_of(b, w),
                                                                 matrix_of(c, w));
                                  },
                                  [](ConstStack lower, Stack x) {
                                    for (Index w = 0; w < x.count; ++w)
                                      eigen_engine().solve_left(matrix_of(lower, w), matrix_of(x, w));
                                  },
                                  [](Stack s, bool* regular) {
                                    for (Index w = 0; w < s.count; ++w) {
                                      regular[w] = eigen_engine().factorize(matrix_of(s, w));
                                      lose_upper(matrix_of(s, w));
                                    }
                                  }};
  return engine;
}

struct Device {
  using Place = int;
  static Place current() { return 0; }
  static void use(Place) { in_use() = true; }
  static void use_to_release(Place) noexcept { in_use() = true; }

  static neargp::DeviceLimits limits() { return state().limits; }
  static Index free_bytes() { return state().total_bytes - state().used_bytes; }

  static void* allocate(std::size_t bytes) {
    if (!in_use()) throw std::logic_error("A thread allocates memory before it has said of which device.");
    if (state().allocations++ == state().fail_allocation || Index(bytes) > free_bytes())
      throw neargp::Error("The emulated device has no memory left.");
    // the size is kept in front
    auto* memory = static_cast<std::size_t*>(std::malloc(bytes + 16));
    if (!memory) throw std::bad_alloc();
    *memory = bytes;
    state().used_bytes += Index(bytes);
    ++state().living;
    std::memset(memory + 2, 0xff, bytes);  // not numbers
    return memory + 2;
  }

  static void release(void* pointer) noexcept {
    std::size_t* memory = static_cast<std::size_t*>(pointer) - 2;
    state().used_bytes -= Index(*memory);
    --state().living;
    std::free(memory);
  }

  static void upload(void* to, const void* from, std::size_t bytes) {
    state().uploaded_bytes += Index(bytes);
    std::memcpy(to, from, bytes);
  }
  static void download(void* to, const void* from, std::size_t bytes) {
    state().downloaded_bytes += Index(bytes);
    std::memcpy(to, from, bytes);
  }
  static void fill(void* pointer, int byte, std::size_t bytes) { std::memset(pointer, byte, bytes); }
  static double operations_per_clock() { return 64.0 * state().limits.multiprocessors; }
  static void synchronize() {}
  static const neargp::ProductEngine& products() { return neargp::eigen_engine(); }
  static const neargp::StackEngine& stacked_products() { return stack_engine(); }

  template <class Task>
  static void launch(const Task& task, const neargp::TargetRange& range, const neargp::LaunchPlan& plan,
                     const neargp::LaunchMemory& memory) {
    if (plan.blocks < 1) throw std::logic_error("A launch of no blocks, which CUDA refuses.");
    ++state().launches;
    state().most_teams = std::max(state().most_teams, plan.teams());
    state().used_device_memory = state().used_device_memory || !plan.in_shared;
    if (state().threads == 1) return run_all(task, range, plan, memory, neargp::SerialTeam());
    ThreadTeam::Shared shared(state().threads);
    std::vector<std::thread> threads;
    // one memory for all threads of a team
    Memory on_chip(plan.team_bytes);
    for (int rank = 0; rank < state().threads; ++rank)
      threads.emplace_back(
          [&, rank] { run_all(task, range, plan, memory, ThreadTeam(rank, state().threads, shared), on_chip.data()); });
    for (std::thread& thread : threads) thread.join();
  }

 private:
  // Each thread of the host uses its own device, as with CUDA.
  static bool& in_use() {
    static thread_local bool in_use = false;
    return in_use;
  }

  // Memory on a boundary of 16 bytes.
  class Memory {
   public:
    explicit Memory(Index bytes) : memory_(std::size_t(bytes + 15) / 16) {}
    unsigned char* data() { return reinterpret_cast<unsigned char*>(memory_.data()); }

   private:
    struct alignas(16) Piece {
      unsigned char bytes[16];
    };
    std::vector<Piece> memory_;
  };

  template <class Task, class Team>
  static void run_all(const Task& task, const neargp::TargetRange& range, const neargp::LaunchPlan& plan,
                      const neargp::LaunchMemory& memory, const Team& team, unsigned char* on_chip = nullptr) {
    Memory own(on_chip ? 0 : plan.team_bytes);
    if (!on_chip) on_chip = own.data();
    for (Index number = 0; number < plan.teams(); ++number) {
      unsigned char* team_memory = plan.in_shared ? on_chip : memory.team_memory + number * plan.team_bytes;
      // what the memory held before must not matter
      for (Index i = team.rank(); i < plan.team_bytes; i += team.size()) team_memory[i] = 0xff;  // not numbers
      team.barrier();
      neargp::run_targets(task, range, team, number, team_memory, memory.sums + number * task.outputs(),
                          memory.failed + number);
      team.barrier();
    }
  }
};

using DeviceSearch = neargp::DeviceSearch<Device>;

// All kernels, which take the compiler long: in emulated_device.cpp, once for all tests.
const neargp::Backend& backend();

inline const neargp::DenseDevice& dense() {
  static const neargp::DenseDevice table = neargp::DenseTable<Device>::table("emulated");
  return table;
}

// A device in its initial state, with teams of `threads`.
class Fresh {
 public:
  explicit Fresh(int threads = 1) {
    state() = State();
    state().threads = threads;
    state().limits.multiprocessors = 2;
    state().limits.shared_per_block = 227 << 10;
    state().limits.shared_per_multiprocessor = 228 << 10;
  }
};

}  // namespace emulated

#endif

namespace emulated {

inline neargp::RunContext on_emulated() {
  neargp::RunContext context;
  context.backend = &backend();
  return context;
}

}  // namespace emulated
