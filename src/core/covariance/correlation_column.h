// One column of a matrix of covariances, with what its derivatives need, in packs.
#pragma once

#include "base/types.h"
#include "covariance/matern_table.h"
#include "covariance/with_family.h"

namespace neargp {

// The arguments of a column: m points in the scaled coordinates of a component, coordinate after coordinate with
// `stride` numbers from one to the next, and one point x.
struct ColumnPlaces {
  const double* points;
  Index m, stride;
  const double* x;
  int dim;
};

// Arrays of m numbers: covariances, their derivatives in the squared scaled distance r2, and in the shape; the last two
// may be null. At r2 = 0 the derivative in r2 is given as zero: there it is always multiplied by a difference that
// is zero, and of the exponential it is infinite.
struct ColumnEntries {
  double* value;
  double* slope;
  double* shape;
};

namespace detail {

template <int Lanes>
struct ColumnPack {
  using Real = typename Pack<Lanes>::Real;

  static Real load(const double* from, Index count) {
    Real pack = Real{};
    for (int lane = 0; lane < Lanes && lane < count; ++lane) pack[lane] = from[lane];
    return pack;
  }
  static Real load(const double* from) {
    Real pack;
    std::memcpy(static_cast<void*>(&pack), from, sizeof pack);
    return pack;
  }
  static void store(const Real& pack, double* to, Index count) {
    if (count >= Lanes) {
      std::memcpy(to, &pack, sizeof pack);
    } else {
      for (int lane = 0; lane < count; ++lane) to[lane] = pack[lane];
    }
  }
};

// Takes its number of lanes from an argument, where tools/check-instruction-sets.sh finds it.
template <bool slope, bool shape, int Lanes, class Correlation>
void fill_column(ColumnPack<Lanes>, const Correlation& correlation, double variance, const ColumnPlaces& places,
                 const ColumnEntries& out) {
  using Packed = ColumnPack<Lanes>;
  using Real = typename Packed::Real;
  const auto store = [&](const Real& r2, Index j, Index count) __attribute__((always_inline)) {
    Real c, dc_dr2 = Real{}, dc_dshape = Real{};
    correlation.template evaluate<slope, shape>(r2, c, dc_dr2, dc_dshape);
    Packed::store(variance * c, out.value + j, count);
    if (slope) Packed::store(r2 > 0.0 ? variance * dc_dr2 : Real{}, out.slope + j, count);
    if (shape) Packed::store(variance * dc_dshape, out.shape + j, count);
  };
  // Several packs at a time: a distance is a chain of additions, each of which waits for the one before.
  constexpr int packs = 4;
  Index j = 0;
  for (; j + packs * Lanes <= places.m; j += packs * Lanes) {
    Real r2[packs] = {};
    for (int d = 0; d < places.dim; ++d) {
      const double* from = places.points + d * places.stride + j;
      const double x = places.x[d];
      neargp::unrolled<packs>([&](auto p) __attribute__((always_inline)) {
        const Real difference = Packed::load(from + p * Lanes) - x;
        r2[p] += difference * difference;
      });
    }
    neargp::unrolled<packs>([&](auto p) __attribute__((always_inline)) { store(r2[p], j + p * Lanes, Lanes); });
  }
  for (; j < places.m; j += Lanes) {
    const Index count = places.m - j;
    Real r2 = Real{};
    for (int d = 0; d < places.dim; ++d) {
      const double* from = places.points + d * places.stride + j;
      const Real difference = (count >= Lanes ? Packed::load(from) : Packed::load(from, count)) - places.x[d];
      r2 += difference * difference;
    }
    store(r2, j, count);
  }
}

}  // namespace detail

template <int Lanes>
void covariance_column(const FamilyChoice<double>& choice, double variance, const ColumnPlaces& places,
                       const ColumnEntries& out) {
  constexpr detail::ColumnPack<Lanes> pack{};
  with_family(choice, [&](const auto& correlation) {
    if (out.shape) {
      detail::fill_column<true, true>(pack, correlation, variance, places, out);
    } else if (out.slope) {
      detail::fill_column<true, false>(pack, correlation, variance, places, out);
    } else {
      detail::fill_column<false, false>(pack, correlation, variance, places, out);
    }
  });
}

}  // namespace neargp
