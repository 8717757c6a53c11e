// In the place of the core's header of this name: a loop runs on the calling thread, and the CPU time of each chunk is
// recorded. span_of() computes from this how long several threads would take.
#pragma once

#include <algorithm>
#include <ctime>
#include <functional>
#include <queue>
#include <vector>

#include "base/run_context.h"
#include "base/types.h"

namespace neargp {
namespace recorded {

inline double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

using Loop = std::vector<double>;  // seconds of each chunk

inline std::vector<Loop>& loops() {
  static std::vector<Loop> all;
  return all;
}

// Each chunk goes to the thread that is free first, in ascending order.
inline double span(const Loop& loop, int threads) {
  std::priority_queue<double, std::vector<double>, std::greater<double>> free_at;
  for (int t = 0; t < threads; ++t) free_at.push(0.0);
  double end = 0.0;
  for (const double seconds : loop) {
    const double done = free_at.top() + seconds;
    free_at.pop();
    free_at.push(done);
    end = std::max(end, done);
  }
  return end;
}

struct Spans {
  double cpu, serial, two_threads, sixteen_threads;
};

// Times outside of loops, and of loops for one thread, count as serial.
template <class Work>
Spans spans_of(const Work& work) {
  loops().clear();
  const double start = cpu_seconds();
  work();
  Spans spans = {cpu_seconds() - start, 0.0, 0.0, 0.0};
  double in_loops = 0.0;
  for (const Loop& loop : loops()) {
    in_loops += span(loop, 1);
    spans.two_threads += span(loop, 2);
    spans.sixteen_threads += span(loop, 16);
  }
  spans.serial = spans.cpu - in_loops;
  spans.two_threads += spans.serial;
  spans.sixteen_threads += spans.serial;
  return spans;
}

}  // namespace recorded

template <class Body>
void parallel_for(const RunContext& context, Index chunks, Body body) {
  recorded::Loop loop;
  double last = recorded::cpu_seconds();
  for (Index chunk = 0; chunk < chunks; ++chunk) {
    body(chunk);
    if (context.threads == 1) continue;
    const double now = recorded::cpu_seconds();
    loop.push_back(now - last);
    last = now;
  }
  if (!loop.empty()) recorded::loops().push_back(std::move(loop));
}

constexpr Index light_range = 16384;

template <class Body>
void parallel_ranges(const RunContext& context, Index n, Index size, Body body) {
  parallel_for(context, (n + size - 1) / size,
               [&](Index chunk) { body(chunk * size, std::min(n, (chunk + 1) * size), chunk); });
}

}  // namespace neargp
