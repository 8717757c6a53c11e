// How teams go through targets. A task is plain data, copied to the device. It offers the following.
//
//   `outputs()`                             Returns the number of its sums.
//   `Work<Team>(task, team, arena)`         The data that a team keeps in its memory.
//   `Work::add(target, weight, sums)`       Adds weight (1 or 0) times the target's share to the team's own sums.
//                                           Writes the target's results if the weight is not 0. Returns false if the
//                                           target's matrix could not be factorised.
//
// Each team adds to sums of its own and takes every teams-th target, in ascending order. The sums are therefore the
// same whatever order teams run in.
#pragma once

#include "base/types.h"
#include "conditional/gpu/team.h"

namespace neargp {

// The bytes of memory that one team needs.
template <class Task>
long long team_memory(const Task& task) {
  TeamArena counted(nullptr);
  const SerialTeam team;
  const typename Task::template Work<SerialTeam> work(task, team, counted);
  return counted.used();
}

// The targets of a chunk, numbers `offset` + 0, 1, ..., count-1 of all, by `teams` teams. The length of a chunk is a
// multiple of `teams`, except for the last one. The team that takes a target therefore does not depend on the chunks.
struct TargetRange {
  Index offset, count;
  Index teams;
};

// The parts of a warp must take the same path. All teams therefore make the same number of rounds, and a team without a
// target left repeats the last target with weight 0.
template <class Task, class Team>
NEARGP_HD inline void run_targets(const Task& task, const TargetRange& range, const Team& team, Index number,
                                  unsigned char* memory, double* sums, Index* failed) {
  TeamArena arena(memory);
  typename Task::template Work<Team> work(task, team, arena);
  Index first_failed = *failed;
  for (Index start = 0; start < range.count; start += range.teams) {
    const bool present = start + number < range.count;
    const Index target = present ? start + number : range.count - 1;
    const bool good = work.add(target, present ? 1.0 : 0.0, sums);
    if (!good && present && first_failed < 0) first_failed = range.offset + target;
    team.barrier();
  }
  if (team.rank() == 0) *failed = first_failed;
}

}  // namespace neargp
