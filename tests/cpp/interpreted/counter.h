// Counts what the warps of a launch do: instructions by the units that they use, accesses to shared memory, and clocks.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel.h"

namespace ptx {

// Counts of all warps together, but for the clocks.
struct Counts {
  std::int64_t instructions = 0;  // without constants
  std::int64_t constants = 0;     // `mov`: mostly constants, which machine code has as operands
  std::int64_t in_double = 0;
  std::int64_t square_roots = 0, inverse_roots = 0;
  std::int64_t shared = 0;    // loads from and stores to shared memory
  std::int64_t accesses = 0;  // that they take: as many as there are different words in one of the 32 banks
  std::int64_t clocks = 0;    // of the slowest warp, if each were alone

  void add(const Counts& warp);
};

enum class Unit { constant, shared, in_double, square_root, inverse_root, other };

// How an instruction counts: its unit, clocks until its result can be used, and how many of its operands are results.
struct Cost {
  Unit unit = Unit::other;
  int latency = 0, results = 1;
  bool is_store = false;
};

// Costs by the place of an instruction in the kernel.
std::vector<Cost> costs_of(const Kernel& kernel);

class Warp;

// Counts for one warp. An instruction waits only for the results that it needs. Up to the next branch or barrier, the
// compiler may reorder instructions, so each instruction begins at its own clock. Accesses to shared memory stay behind
// an earlier store.
class Counter {
 public:
  Counter(const Kernel& kernel, const std::vector<Cost>& costs);

  // Before the instruction is carried out.
  void add(Warp& warp, const Instruction& instruction, Lanes lanes);

  const Counts& counts() const { return counts_; }

 private:
  void add_clocks(const Instruction& instruction, const Cost& cost);

  const Kernel& kernel_;
  const std::vector<Cost>& costs_;
  Counts counts_;
  std::vector<std::int64_t> ready_;  // the clock at which a register can be used
  std::int64_t store_ = 0;           // before which no later access to shared memory begins
  std::int64_t latest_ = 0;          // beginning of an instruction so far
  std::int64_t since_block_ = 0;     // instructions since the last branch or barrier, which was at counts_.clocks
};

}  // namespace ptx
