// A warp: its registers, and how its lanes go through a kernel.
//
// Lanes that took different branches run in turns. The lanes with the smallest position in the code run first, so that
// they meet again as the code of loops and branches allows. At barriers and exchanges they wait for all lanes that the
// instruction names. These must come to the same instruction, and it is a fault if others never come.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "counter.h"
#include "kernel.h"
#include "memory.h"

namespace ptx {

// All warps of a launch share a Grid, and all warps of a block share a Block.
struct Grid {
  const Kernel& kernel;
  GlobalMemory& global;
  Region& parameters;
  std::uint32_t launch, block_threads;
  const std::vector<Cost>* costs = nullptr;  // null: nothing is counted
};

struct Block {
  const Grid& grid;
  std::uint32_t number;
  Region shared;
  std::uint32_t barriers = 0;
};

class Warp {
 public:
  Warp(Block& block, int number);

  // Until a barrier of the block, which is returned, or null at the end.
  const Instruction* run();

  using Register = std::array<std::uint64_t, warp_lanes>;
  Register& value(int number) { return values_[number]; }
  // Lanes whose value was computed from memory that nobody wrote do not count as known.
  Lanes& known(int number) { return known_[number]; }

  // The bytes at an address that a lane reads or writes, and the first of their cells, which follow each other.
  struct Reached {
    unsigned char* bytes;
    Cell* cell;
  };
  Reached reach(const Instruction& instruction, std::uint64_t address, int bytes, int lane, bool writes);

  [[noreturn]] void fail(const Instruction& instruction, int lane, const std::string& what) const;

  Counts counts() const { return counter_ ? counter_->counts() : Counts(); }

 private:
  struct Group {
    Lanes lanes = 0;
    std::size_t place = 0;
    std::size_t others = 0;  // where the next of the other lanes that run is
  };

  Group next_group() const;
  Lanes lanes_for(const Instruction& instruction, Lanes lanes);
  void move(Lanes lanes, std::size_t place);
  bool branch(const Instruction& instruction, Lanes taken, Group& group);
  bool gather(const Instruction& instruction, Group& group);
  Lanes named_lanes(const Instruction& instruction, Lanes lanes);
  [[noreturn]] void fail_waiting() const;
  Region* region_of(const Instruction& instruction, std::uint64_t& address);
  Moment now(int lane, const Instruction& instruction) const;
  void check_order(Region& region, const Instruction& instruction, std::uint64_t address, int bytes, int lane,
                   bool writes);

  Block& block_;
  const std::vector<Instruction>& code_;
  int number_;
  std::vector<Register> values_;
  std::vector<Lanes> known_;
  std::array<std::size_t, warp_lanes> place_{};
  Lanes left_ = 0, waiting_ = 0;
  std::uint32_t barriers_ = 0;  // of the warp alone
  Region* last_region_ = nullptr;
  std::optional<Counter> counter_;
};

}  // namespace ptx
