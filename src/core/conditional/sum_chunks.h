// Runs a summing kernel over all targets in parallel. The result does not depend on the
// number of threads: each chunk of targets gets sums of its own, which are added in order
// at the end.
#pragma once

#include <algorithm>
#include <vector>

#include "base/arena.h"
#include "base/run_context.h"
#include "base/types.h"
#include "conditional/view.h"
#include "parallel/parallel_for.h"

namespace neargp {

// A multiple of every number of lanes. At k = 30, 256 targets take well under a millisecond. The time grows with k^3,
// and an interrupt is answered between chunks. The rounding of sums depends on the chunks. An operation without sums is
// cut finer, so that several threads share a few hundred targets.
inline Index targets_per_chunk(int k, bool sums = true) { return k > 512 ? 8 : k > 128 || !sums ? 32 : 256; }

// `kernel(first, last, scratch, out)` adds the sums of the targets first .. last-1 to `out`. It returns the smallest
// target that failed, or -1. This function does the same with all targets and `sums`. It runs the chunks in rounds, so
// that their separate sums take little memory, about 32 MB, even with a wide design.
template <class Kernel>
Index sum_chunks(const LocalView& view, std::size_t scratch_doubles, const RunContext& context,
                 std::vector<double>& sums, const Kernel& kernel) {
  const Index outputs = Index(sums.size());
  constexpr Index partial_doubles = Index(1) << 22;
  const Index chunks_per_round = std::clamp<Index>(partial_doubles / std::max<Index>(outputs, 1), 16, 1024);
  const Index chunk_size = targets_per_chunk(view.k, outputs > 0);
  const Index chunks = (view.targets + chunk_size - 1) / chunk_size;
  std::vector<double> partial;
  std::vector<Index> failed;
  Index first_failed = -1;
  for (Index round = 0; round < chunks; round += chunks_per_round) {
    const Index count = std::min(chunks_per_round, chunks - round);
    partial.assign(std::size_t(count) * outputs, 0.0);
    failed.assign(count, -1);
    parallel_for(context, count, [&](Index chunk) {
      thread_local AlignedBuffer scratch(0);
      scratch.reserve(scratch_doubles);
      const Index first = (round + chunk) * chunk_size;
      const Index last = std::min(first + chunk_size, view.targets);
      failed[chunk] = kernel(first, last, scratch.data(), partial.data() + chunk * outputs);
    });
    for (Index chunk = 0; chunk < count; ++chunk) {
      for (Index s = 0; s < outputs; ++s) sums[s] += partial[chunk * outputs + s];
      if (first_failed < 0) first_failed = failed[chunk];
    }
  }
  return first_failed;
}

}  // namespace neargp
