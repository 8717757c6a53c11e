#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "base/run_context.h"
#include "base/types.h"
#include "parallel/poll.h"
#include "parallel/thread_pool.h"

namespace neargp {
namespace detail {

// Hands out chunks in ascending order, keeps the first failure and polls the caller's callbacks.
class ChunkQueue {
 public:
  ChunkQueue(const RunContext& context, Index chunks) : chunks_(chunks), poll_(context) {}

  template <class Body>
  void work(bool on_calling_thread, Body& body) {
    while (!stopped_.load(std::memory_order_relaxed)) {
      const Index chunk = next_.fetch_add(1, std::memory_order_relaxed);
      if (chunk >= chunks_) return;
      try {
        body(chunk);
      } catch (...) {
        fail(chunk, std::current_exception());
      }
      if (on_calling_thread) poll(chunk);
    }
  }

  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  // Chunks are handed out in ascending order and started ones always finish, so the failure with the
  // smallest chunk is the same one for any number of threads.
  void fail(Index chunk, const std::exception_ptr& failure) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!failure_ || chunk < failed_chunk_) {
      failure_ = failure;
      failed_chunk_ = chunk;
    }
    stopped_.store(true, std::memory_order_relaxed);
  }

  void poll(Index chunk) {
    try {
      poll_(double(chunk + 1) / double(chunks_));
    } catch (...) {
      fail(chunks_, std::current_exception());
    }
  }

  const Index chunks_;
  std::atomic<Index> next_{0};
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::exception_ptr failure_;
  Index failed_chunk_ = 0;
  Poll poll_;
};

}  // namespace detail

// Calls body(chunk) once for every chunk in [0, chunks), on up to context.threads threads. Chunks are taken
// dynamically, so a body must write only to memory of its own chunk. The result then does not depend on the number of
// threads. The calling thread also takes chunks. Between them it runs check_interrupt and progress, at most every
// 50 ms, so chunks should last well under a second. After an exception no new chunk starts, and the exception is
// rethrown here.
template <class Body>
void parallel_for(const RunContext& context, Index chunks, Body body) {
  if (chunks <= 0) return;
  detail::ChunkQueue queue(context, chunks);
  const std::thread::id caller = std::this_thread::get_id();
  const Index threads = std::min(Index(context.threads), chunks);
  thread_pool::run(int(threads) - 1, [&] { queue.work(std::this_thread::get_id() == caller, body); });
  queue.rethrow_failure();
}

// Rows of a chunk where a row takes some nanoseconds.
constexpr Index light_range = 16384;

// Calls body(first, last, chunk) for chunks of `size` among 0, ..., n - 1, in the same way.
template <class Body>
void parallel_ranges(const RunContext& context, Index n, Index size, Body body) {
  parallel_for(context, (n + size - 1) / size,
               [&](Index chunk) { body(chunk * size, std::min(n, (chunk + 1) * size), chunk); });
}

}  // namespace neargp
