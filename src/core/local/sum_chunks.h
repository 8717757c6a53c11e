// Runs a summing kernel over all targets, in parallel, with a result that does not
// depend on the number of threads: each chunk of targets has sums of its own, which are
// added in order at the end.
#pragma once

#include <algorithm>
#include <vector>

#include "base/arena.h"
#include "base/parallel_for.h"
#include "base/run_context.h"
#include "base/types.h"

namespace neargp {

// A multiple of every number of lanes; 256 targets take about a millisecond.
inline constexpr Index targets_per_chunk = 256;

struct ChunkSums {
  std::vector<double> sums;
  Index failed = -1;  // smallest failed target, or -1
};

// kernel(first, last, scratch, out) adds the sums of the targets first .. last-1 to `out`.
// Chunks are run in rounds, so that their separate sums take little memory.
template <class Kernel>
ChunkSums sum_chunks(Index targets, int outputs, std::size_t scratch_doubles, const RunContext& context,
                     const Kernel& kernel) {
  constexpr Index chunks_per_round = 1024;
  const Index chunks = (targets + targets_per_chunk - 1) / targets_per_chunk;
  std::vector<double> partial;
  std::vector<Index> failed;
  ChunkSums result;
  result.sums.assign(outputs, 0.0);
  for (Index round = 0; round < chunks; round += chunks_per_round) {
    const Index count = std::min(chunks_per_round, chunks - round);
    partial.assign(std::size_t(count) * outputs, 0.0);
    failed.assign(count, -1);
    parallel_for(context, count, [&](Index chunk) {
      thread_local AlignedBuffer scratch(0);
      scratch.reserve(scratch_doubles);
      const Index first = (round + chunk) * targets_per_chunk;
      const Index last = std::min(first + targets_per_chunk, targets);
      failed[chunk] = kernel(first, last, scratch.data(), partial.data() + chunk * outputs);
    });
    for (Index chunk = 0; chunk < count; ++chunk) {
      for (int s = 0; s < outputs; ++s) result.sums[s] += partial[std::size_t(chunk) * outputs + s];
      if (result.failed < 0) result.failed = failed[chunk];
    }
  }
  return result;
}

}  // namespace neargp
