// A team: some threads that compute for one target together, in memory that all of them see.
//
// All code in conditional/gpu/ is written once for teams of any kind. The teams of a GPU are parts of a warp or whole
// blocks (src/cuda/device_team.h). Tests use a team of one thread, and teams of CPU threads with real barriers, also
// under the sanitizers. A team offers the following.
//
//   `rank()`, `size()`      The number of this thread in the team, from 0, and the number of threads.
//   `barrier()`             Waits for all threads. After it, all see the memory that any of them wrote before it.
//   `sum(x)`                The sum of all threads' x, the same for each thread. It is no barrier for other memory.
//   `place(flag, total)`    The number of threads of lower rank whose flag is set. Sets `total` to that of all.
//
// All threads of a team go the same way through the code: conditions on which a barrier depends are the same for all.
// Work is shared out by rank, `for (int i = team.rank(); i < n; i += team.size())`.
#pragma once

#include "base/hd.h"

namespace neargp {

struct SerialTeam {
  NEARGP_HD int rank() const { return 0; }
  NEARGP_HD int size() const { return 1; }
  NEARGP_HD void barrier() const {}
  NEARGP_HD double sum(double x) const { return x; }
  NEARGP_HD int place(bool flag, int& total) const {
    total = flag;
    return 0;
  }
};

// Hands out a team's memory. Over no memory it counts the bytes that a computation needs.
class TeamArena {
 public:
  NEARGP_HD explicit TeamArena(unsigned char* memory) : memory_(memory) {}

  // `count` numbers on a boundary of 16 bytes, the most that a thread loads at one time.
  template <class T>
  NEARGP_HD T* take(long long count) {
    T* piece = memory_ ? reinterpret_cast<T*>(memory_ + used_) : nullptr;
    used_ += (count * (long long)sizeof(T) + 15) / 16 * 16;
    return piece;
  }

  NEARGP_HD long long used() const { return used_; }  // bytes

 private:
  unsigned char* memory_;
  long long used_ = 0;
};

// Two numbers, in memory on a boundary of their size.
template <class Real>
struct Two {
  Real x[2];

  NEARGP_HD static Two load(const Real* from) {
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(Real) == sizeof(double)) {
      const double2 both = *reinterpret_cast<const double2*>(from);
      return {{both.x, both.y}};
    } else {
      const float2 both = *reinterpret_cast<const float2*>(from);
      return {{both.x, both.y}};
    }
#else
    return {{from[0], from[1]}};
#endif
  }
};

// Four numbers, in memory on a boundary of 16 bytes: two loads of doubles, one of floats.
template <class Real>
struct Four {
  static constexpr int width = 4;

  Real x[width];

  NEARGP_HD static Four load(const Real* from) {
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(Real) == sizeof(double)) {
      const double2 low = *reinterpret_cast<const double2*>(from);
      const double2 high = *reinterpret_cast<const double2*>(from + 2);
      return {{low.x, low.y, high.x, high.y}};
    } else {
      const float4 all = *reinterpret_cast<const float4*>(from);
      return {{all.x, all.y, all.z, all.w}};
    }
#else
    return {{from[0], from[1], from[2], from[3]}};
#endif
  }

  NEARGP_HD void store(Real* to) const {
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(Real) == sizeof(double)) {
      *reinterpret_cast<double2*>(to) = {x[0], x[1]};
      *reinterpret_cast<double2*>(to + 2) = {x[2], x[3]};
    } else {
      *reinterpret_cast<float4*>(to) = {x[0], x[1], x[2], x[3]};
    }
#else
    for (int b = 0; b < width; ++b) to[b] = x[b];
#endif
  }

  NEARGP_HD Real dot(const Four& other) const {
    Real sum = x[0] * other.x[0];
    for (int b = 1; b < width; ++b) sum += x[b] * other.x[b];
    return sum;
  }
};

// The sum over rows below `length` of x y, the same for each thread. Afterwards the vectors may be written to.
template <class Team, class Real>
NEARGP_HD inline double team_dot(const Team& team, const Real* x, const Real* y, int length) {
  Real sum = 0;
  for (int i = team.rank(); i < length; i += team.size()) sum += x[i] * y[i];
  team.barrier();
  return team.sum(sum);
}

// The same by one thread, for callers that share out many products. The vectors contain zeros up to `padded`, a
// multiple of four.
template <class Real>
NEARGP_HD inline Real thread_dot(const Real* x, const Real* y, int padded) {
  Real sum = 0;
  for (int i = 0; i < padded; i += Four<Real>::width) sum += Four<Real>::load(x + i).dot(Four<Real>::load(y + i));
  return sum;
}

}  // namespace neargp
