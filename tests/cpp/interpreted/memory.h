// Memory of an interpreted GPU. For every four bytes it records whether anything was written there, and who touched
// them last in the running launch. These records reveal reads of unwritten memory, and races.
//
// Two threads of a block are in order where a barrier of the block lies between their accesses. Two threads of one warp
// are also in order where a barrier of the warp does. Exchanges between lanes (shfl, vote) order nothing, and neither
// does the fact that lanes happen to run together. Blocks of a launch are never in order.
//
// Therefore each piece keeps only its last write: an earlier write comes before it, or the race between the two was
// already reported. From the reads since that write it keeps the last reader, and whether others have read between the
// same barriers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernel.h"

namespace ptx {

// A thread at some point of its run.
struct Moment {
  std::uint32_t launch = 0;  // 0: never
  std::uint32_t block = 0, thread = 0;
  std::uint32_t block_barriers = 0, warp_barriers = 0;  // passed so far
  const Instruction* instruction = nullptr;

  bool same_thread(const Moment& other) const { return block == other.block && thread == other.thread; }
  bool same_warp(const Moment& other) const {
    return block == other.block && thread / warp_lanes == other.thread / warp_lanes;
  }
  // Both of one launch, this one the earlier.
  bool is_ordered_before(const Moment& later) const {
    if (same_thread(later)) return true;
    if (block != later.block) return false;
    return block_barriers < later.block_barriers || (same_warp(later) && warp_barriers < later.warp_barriers);
  }
};

struct Cell {
  static constexpr std::uint64_t bytes = 4;
  enum Readers : std::uint8_t { one_thread, lanes_of_a_warp, warps_of_a_block, blocks };

  bool written = false;  // since it was allocated
  Readers readers = one_thread;
  Moment write, read;

  // The moment with which this access is not in order, or null.
  const Moment* add_read(const Moment& now);
  const Moment* add_write(const Moment& now);

 private:
  Readers readers_with(const Moment& now) const;
  bool has_reader_out_of_order(const Moment& now) const;
};

// A piece of memory: what was allocated at once, a block's shared memory, or a kernel's parameters.
struct Region {
  std::uint64_t begin = 0, size = 0;
  unsigned char* bytes = nullptr;
  bool read_only = false;
  std::string name;
  std::vector<Cell> cells;

  Region() = default;
  Region(std::string what, std::uint64_t address, unsigned char* memory, std::uint64_t count, bool is_written);

  bool contains(std::uint64_t address, std::uint64_t count) const {
    return address >= begin && count <= size && address - begin <= size - count;
  }
  Cell* cell(std::uint64_t address) { return cells.data() + (address - begin) / Cell::bytes; }

  // Records a write by the host, which waits for all launches.
  void mark_written(std::uint64_t address, std::uint64_t count);
  // The first byte of `count` from an address on that nobody wrote, or their end.
  std::uint64_t first_unwritten(std::uint64_t address, std::uint64_t count);
};

// All allocations of the GPU's memory.
class GlobalMemory {
 public:
  void* allocate(std::size_t bytes);  // null: there is none left
  bool release(void* pointer);        // false: that is no address of an allocation
  Region* find(std::uint64_t address);
  std::size_t pieces() const { return regions_.size(); }
  std::size_t used() const { return used_; }

 private:
  std::map<std::uint64_t, Region> regions_;
  std::size_t used_ = 0;
};

}  // namespace ptx
