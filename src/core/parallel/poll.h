#pragma once

#include <chrono>

#include "base/run_context.h"

namespace neargp {

// Runs the callbacks of a context at most every 50 ms. They may throw.
class Poll {
 public:
  explicit Poll(const RunContext& context) : context_(context), last_(Clock::now()) {}

  void operator()(double fraction_done) {
    if (!context_.check_interrupt && !context_.progress) return;
    const auto now = Clock::now();
    if (now - last_ < std::chrono::milliseconds(50)) return;
    last_ = now;
    if (context_.check_interrupt) context_.check_interrupt();
    if (context_.progress) context_.progress(fraction_done);
  }

 private:
  using Clock = std::chrono::steady_clock;

  const RunContext& context_;
  Clock::time_point last_;
};

}  // namespace neargp
