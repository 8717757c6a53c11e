#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "geometry/maxmin.h"
#include "geometry/maxmin_phase.h"
#include "parallel/poll.h"
#include "parallel/radix_sort.h"

namespace neargp {
namespace {

// Sorts rows of squared distances between tau2 and 2 tau2, whose bits differ by less than 2^53. On a lattice all
// distances are equal, so the rows are sorted by number first.
void sort_ranked(RankedRows& rows, double tau2, Index most_rows, const RunContext& context) {
  if (rows.size() < 4096) return std::sort(rows.begin(), rows.end());
  int row_bits = 1;
  while (Index{1} << row_bits < most_rows) ++row_bits;
  const std::uint64_t largest = bits_of(2.0 * tau2);
  radix_sort(
      rows, row_bits, [](const RankedRow& ranked) { return std::uint64_t(ranked.row); }, context);
  radix_sort(
      rows, 53, [largest](const RankedRow& ranked) { return largest - bits_of(ranked.distance2); }, context);
}

// The maxmin order in phases: geometry/maxmin_phase.h. The distances of a phase are half those of the phase before.
template <int Dim>
class MaxminOrder {
 public:
  MaxminOrder(Points points, const CurveGrid<Dim>& grid, const RunContext& context)
      : points_(points), side_(grid.side()), context_(context), order_(points.n) {
    context_.progress = nullptr;  // each loop is a small part
    const int first = nearest_to_centroid(points, context_);
    rows_.fill(points, grid, first, context_);
    order_[0] = {std::numeric_limits<double>::infinity(), first};
    ranked_ = 1;
    phase_.emplace(rows_, context_);
  }

  RankedRows run(const RunContext& context) {
    Poll poll(context);
    for (double largest2 = prepare(); largest2 > 0.0; largest2 = prepare()) {
      poll(double(ranked_) / double(points_.n));
      const std::optional<MaxminScale> scale = next_scale(largest2);
      const bool complete = scale && phase_->run(*scale, most_rounds);
      RankedRows choices = scale ? phase_->choices() : RankedRows();
      if (!complete) {
        finish_by_tournament(choices);
        break;
      }
      sort_ranked(choices, scale->tau2, points_.n, context_);
      append(choices);
    }
    append_repeated_locations();
    return std::move(order_);
  }

 private:
  // More rounds occur where distances differ by orders of magnitude within a cell of the finest level.
  static constexpr int most_rounds = 64;

  // The largest squared distance, after rows that need no more work are dropped from time to time.
  double prepare() {
    const auto survey = rows_.survey(context_);
    if (double(survey.kept.back()) < 0.85 * double(rows_.size())) rows_.compact(survey, context_);
    return survey.largest2;
  }

  // The next phase with a row to choose, if the grid resolves it. Cells of level l are S 2^-l wide, where S is the side
  // of the grid. Their diagonal is at most tau / sqrt(slack), so that a phase seldom chooses two rows of a cell. Blocks
  // are at least sqrt(2) tau wide. `slack` keeps this true when keys and distances are rounded.
  std::optional<MaxminScale> next_scale(double largest2) {
    constexpr double slack = 0.999;
    constexpr int finest = CurveGrid<Dim>::bits;
    const auto tau2_of = [&](int halvings) { return std::ldexp(slack * Dim * side_ * side_, -halvings); };
    while (tau2_of(halvings_) > largest2) ++halvings_;
    MaxminScale scale;
    scale.tau2 = tau2_of(halvings_);
    int level = (halvings_ + 1) / 2;
    if (level > finest) return std::nullopt;
    int enough_cells = 0;
    while ((Index{1} << Dim * enough_cells) < rows_.size() / 256) ++enough_cells;
    level = std::min(std::max({level, std::min(level + 2, enough_cells), 2}), finest);
    scale.cell_level = scale.block_level = level;
    const auto is_in_reach = [&] { return std::ldexp(side_ * side_, -2 * scale.block_level) < scale.reach2(); };
    do --scale.block_level;
    while (scale.block_level > 0 && is_in_reach());
    ++halvings_;
    return scale;
  }

  void append(const RankedRows& choices) {
    parallel_ranges(context_, Index(choices.size()), light_range, [&](Index first, Index last, Index) {
      std::copy(choices.begin() + first, choices.begin() + last, order_.begin() + ranked_ + first);
    });
    ranked_ += Index(choices.size());
  }

  // Goes on with the tournament. It also chooses the rows that an incomplete phase left, whose order is that of
  // sorting.
  void finish_by_tournament(RankedRows& choices) {
    UnsetVector<int> left;
    UnsetVector<double> distance2(points_.n);
    for (Index slot = 0; slot < rows_.size(); ++slot) {
      if (!(rows_.distance2[slot] > 0.0)) continue;
      left.push_back(rows_.row[slot]);
      distance2[rows_.row[slot]] = rows_.distance2[slot];
    }
    RankedRows rest = maxmin_by_tournament(points_, left, distance2, context_);
    while (!rest.empty() && rest.back().distance2 == 0.0) rest.pop_back();
    std::sort(choices.begin(), choices.end());
    std::merge(choices.begin(), choices.end(), rest.begin(), rest.end(), order_.begin() + ranked_);
    ranked_ += Index(choices.size() + rest.size());
  }

  // Each row without a rank lies where a row with a rank lies.
  void append_repeated_locations() {
    if (ranked_ == points_.n) return;
    std::vector<bool> is_ranked(points_.n, false);
    for (Index rank = 0; rank < ranked_; ++rank) is_ranked[order_[rank].row] = true;
    for (Index row = 0; row < points_.n; ++row)
      if (!is_ranked[row]) order_[ranked_++] = {0.0, int(row)};
  }

  const Points points_;
  const double side_;
  RunContext context_;
  MaxminRows<Dim> rows_;
  std::optional<MaxminPhase<Dim>> phase_;
  RankedRows order_;
  Index ranked_ = 0;
  int halvings_ = 0;
};

template <int Dim>
RankedRows order_on_grid(Points points, const RunContext& context) {
  const CurveGrid<Dim> grid(points, context);
  if (!grid.is_regular()) return maxmin_by_tournament(points, context);
  return MaxminOrder<Dim>(points, grid, context).run(context);
}

}  // namespace

RankedRows maxmin_by_rounds(Points points, const RunContext& context) {
  if (points.n > std::numeric_limits<int>::max()) return maxmin_by_tournament(points, context);
  check_finite(points, context);
  return points.dim == 2 ? order_on_grid<2>(points, context) : order_on_grid<3>(points, context);
}

}  // namespace neargp
