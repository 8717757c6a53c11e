#include "launch.h"

#include <algorithm>
#include <cstring>

#include "fault.h"
#include "warp.h"

namespace ptx {

namespace {

// All warps from barrier to barrier, one after the other.
void run_block(Block& block, Counts* counts) {
  std::vector<Warp> warps;
  for (std::uint32_t first = 0; first < block.grid.block_threads; first += warp_lanes)
    warps.emplace_back(block, int(first / warp_lanes));
  for (;; ++block.barriers) {
    std::vector<const Instruction*> barrier;
    for (Warp& warp : warps) barrier.push_back(warp.run());
    for (std::size_t w = 0; w < warps.size(); ++w)
      if (barrier[w] != barrier[0])
        warps[w].fail(barrier[w] ? *barrier[w] : *barrier[0], 0, "is at another barrier than thread 0, or at none");
    if (!barrier[0]) break;
  }
  for (const Warp& warp : warps)
    if (counts) counts->add(warp.counts());
}

}  // namespace

void run_kernel(const Kernel& kernel, const void* const* arguments, const LaunchSize& size, std::uint32_t number,
                GlobalMemory& global, Counts* counts) {
  if (size.block_threads % warp_lanes != 0)
    throw Fault(kernel.name + ": blocks are not whole warps, which the interpreter does not know");
  std::vector<unsigned char> given(kernel.parameter_size);
  for (std::size_t p = 0; p < kernel.parameter_offset.size(); ++p)
    std::memcpy(given.data() + kernel.parameter_offset[p], arguments[p], kernel.parameter_bytes[p]);
  Region parameters("the parameters", parameter_base, given.data(), given.size(), true);
  parameters.read_only = true;
  const std::vector<Cost> costs = counts ? costs_of(kernel) : std::vector<Cost>();
  const Grid grid{kernel, global, parameters, number, size.block_threads, counts ? &costs : nullptr};
  std::vector<unsigned char> shared(kernel.static_shared + size.dynamic_shared);
  for (std::uint32_t b = 0; b < size.blocks; ++b) {
    std::fill(shared.begin(), shared.end(), static_cast<unsigned char>(0xff));  // not numbers
    Block block{grid, b, Region("shared memory", shared_base, shared.data(), shared.size(), false)};
    run_block(block, counts);
  }
}

}  // namespace ptx
