#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/unset_vector.h"
#include "geometry/curve.h"
#include "geometry/points.h"
#include "parallel/parallel_for.h"

namespace neargp {

// The rows of a maxmin order that are still to be chosen, in the order of their Morton keys. A slot is a position in
// these arrays. Each coordinate is an array of its own.
template <int Dim>
class MaxminRows {
 public:
  static constexpr double chosen = -1.0;  // below every distance
  std::array<UnsetVector<double>, Dim> x;
  UnsetVector<double> distance2;  // to the nearest chosen row, or `chosen`
  UnsetVector<int> row;
  UnsetVector<std::uint64_t> key;

  Index size() const { return Index(row.size()); }

  // All rows, of which `first` is chosen.
  void fill(Points points, const CurveGrid<Dim>& grid, int first, const RunContext& context) {
    const UnsetVector<KeyedRow> rows = rows_along<Dim>(
        points, grid, [](const auto& cell) { return morton_key<Dim>(cell); }, context);
    resize(points.n);
    parallel_ranges(context, points.n, light_range, [&](Index begin, Index end, Index) {
      for (Index slot = begin; slot < end; ++slot) {
        row[slot] = rows[slot].row;
        key[slot] = rows[slot].key;
        for (int c = 0; c < Dim; ++c) x[c][slot] = points[row[slot]][c];
        distance2[slot] = row[slot] == first ? chosen : squared_distance(points[row[slot]], points[first], Dim);
      }
    });
  }

  struct Survey {
    double largest2 = 0.0;
    std::vector<Index> kept;  // before each range, and all together: rows whose distance is above zero
  };

  Survey survey(const RunContext& context) const {
    const Index ranges = (size() + light_range - 1) / light_range;
    std::vector<double> largest2(ranges);
    Survey result;
    result.kept.assign(ranges + 1, 0);
    parallel_ranges(context, size(), light_range, [&](Index begin, Index end, Index range) {
      double largest = 0.0;
      Index kept = 0;
      for (Index slot = begin; slot < end; ++slot) {
        kept += distance2[slot] > 0.0;
        largest = distance2[slot] > largest ? distance2[slot] : largest;
      }
      largest2[range] = largest;
      result.kept[range + 1] = kept;
    });
    for (Index range = 0; range < ranges; ++range) {
      result.kept[range + 1] += result.kept[range];
      result.largest2 = std::max(result.largest2, largest2[range]);
    }
    return result;
  }

  // Drops the chosen rows and those at chosen locations.
  void compact(const Survey& survey, const RunContext& context) {
    MaxminRows kept;
    kept.resize(survey.kept.back());
    parallel_ranges(context, size(), light_range, [&](Index begin, Index end, Index range) {
      Index to = survey.kept[range];
      for (Index slot = begin; slot < end; ++slot) {
        if (!(distance2[slot] > 0.0)) continue;
        for (int c = 0; c < Dim; ++c) kept.x[c][to] = x[c][slot];
        kept.distance2[to] = distance2[slot];
        kept.row[to] = row[slot];
        kept.key[to] = key[slot];
        ++to;
      }
    });
    *this = std::move(kept);
  }

  void locate(Index slot, double* at) const {
    for (int c = 0; c < Dim; ++c) at[c] = x[c][slot];
  }

  // Takes the row at `at` for chosen where slots first, ..., last - 1 are concerned. Runs of constant length become
  // vector instructions.
  void lower(Index first, Index last, const double* at) {
    constexpr int run = 16;
    for (; first + run <= last; first += run) lower_run<run>(first, at);
    for (; first < last; ++first) lower_run<1>(first, at);
  }

 private:
  void resize(Index n) {
    for (auto& coordinate : x) coordinate.resize(n);
    distance2.resize(n);
    row.resize(n);
    key.resize(n);
  }

  // The terms of the sum are in the order of squared_distance().
  template <int Run>
  void lower_run(Index first, const double* at) {
    double sum[Run];
    const double* of_first = x[0].data() + first;
    for (int s = 0; s < Run; ++s) sum[s] = (of_first[s] - at[0]) * (of_first[s] - at[0]);
    for (int c = 1; c < Dim; ++c) {
      const double* coordinate = x[c].data() + first;
      for (int s = 0; s < Run; ++s) sum[s] += (coordinate[s] - at[c]) * (coordinate[s] - at[c]);
    }
    double* nearest2 = distance2.data() + first;
    for (int s = 0; s < Run; ++s) nearest2[s] = sum[s] < nearest2[s] ? sum[s] : nearest2[s];
  }
};

}  // namespace neargp
