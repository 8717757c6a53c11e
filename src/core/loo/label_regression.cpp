#include "loo/label_regression.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "conditional/problem.h"
#include "parallel/parallel_for.h"

namespace neargp {

namespace {

// Targets with nearly as many neighbours share a block, so that few of its rows are empty.
int block_size(int neighbors) {
  if (neighbors <= 4) return std::max(neighbors, 1);
  const int step = neighbors <= 32 ? 4 : neighbors <= 64 ? 8 : 16;
  return (neighbors + step - 1) / step * step;
}

// Blocks of per-class targets are small, and many: threads that shared each of them would mostly wait for each other.
// A thread therefore takes a span of targets with all its blocks. A mini-batch is one span, since a thread that waits
// for the next batch costs as much as one that works. A device computes the blocks of all targets together.
constexpr Index span_size = 256;

bool in_spans(const RunContext& context, bool per_class) { return per_class && !context.backend; }

RunContext alone() { return RunContext{}; }

// compute(number of the span, first, last) for the spans of first .. last-1.
template <class Compute>
void for_each_span(const RunContext& context, Index first, Index last, const Compute& compute) {
  parallel_for(context, (last - first + span_size - 1) / span_size, [&](Index span) {
    const Index start = first + span * span_size;
    compute(span, start, std::min(start + span_size, last));
  });
}

void check_locations(const LabelsByLocation& locations) {
  if (locations.classes < 2) throw Error("There must be at least two classes.");
  check_coordinates(locations.coords);
  for (Index i = 0; i < locations.coords.n * locations.classes; ++i)
    if (!(locations.counts[i] >= 0.0)) throw Error("Numbers of labels must not be negative.");
}

}  // namespace

LabelRegression::LabelRegression(const LabelsByLocation& locations, bool per_class, Points targets,
                                 NeighborTable neighbors)
    : per_class_(per_class), dim_(locations.coords.dim), classes_(locations.classes),
      target_coords_(targets.data, targets.data + targets.n * targets.dim), neighbors_(std::move(neighbors)) {
  if (targets.dim != dim_) throw Error("Locations and targets must have the same coordinates.");
  if (neighbors_.n != targets.n) throw Error("The table of neighbours must have one row for each target.");
  check_locations(locations);
  check_coordinates(targets);
  check_rows(neighbors_.index, -1, locations.coords.n);
  if (per_class_)
    make_per_class_rows(locations);
  else
    make_shared_rows(locations);
}

void LabelRegression::make_shared_rows(const LabelsByLocation& locations) {
  const Index n = locations.coords.n;
  coords_.assign(locations.coords.data, locations.coords.data + n * dim_);
  values_.resize(n * columns());
  noise_scale_.resize(n);
  for (Index i = 0; i < n; ++i) {
    const double* count = locations.counts + i * classes_;
    const double total = std::accumulate(count, count + classes_, 0.0);
    if (total <= 0.0) throw Error("Every location must hold a label.");
    noise_scale_[i] = 1.0 / total;
    double* value = values_.data() + i * columns();
    const int skipped = classes_ - outputs();
    for (int r = 0; r < outputs(); ++r) value[r] = 2.0 * count[r + skipped] / total - 1.0;
    value[outputs()] = 1.0;
  }
}

void LabelRegression::make_per_class_rows(const LabelsByLocation& locations) {
  row_.assign(locations.coords.n * classes_, -1);
  for (Index i = 0; i < locations.coords.n; ++i)
    for (int r = 0; r < classes_; ++r) {
      const double count = locations.counts[i * classes_ + r];
      if (count <= 0.0) continue;
      row_[i * classes_ + r] = int(noise_scale_.size());
      noise_scale_.push_back(1.0 / count);
      coords_.insert(coords_.end(), locations.coords[i], locations.coords[i] + dim_);
    }
  values_.assign(noise_scale_.size(), 1.0);
}

LocalData LabelRegression::rows() const {
  const Points points{coords_.data(), Index(noise_scale_.size()), dim_};
  return {points, per_class_ ? 1 : columns(), values_.data(), noise_scale_.data()};
}

void LabelRegression::check_targets(Index first, Index last) const {
  if (first < 0 || last > targets() || first >= last) throw Error("There are no such targets.");
}

LabelRegression::Blocks LabelRegression::open(Index first, Index last, const RunContext& context) const {
  if (per_class_) return per_class_blocks(first, last, context);
  Blocks result(1);
  const Points points{target_coords_.data() + first * dim_, last - first, dim_};
  const LocalTargets targets(points, neighbors_.k, neighbors_[first]);
  result[0].moments.emplace(rows(), targets, ConditionalMoments::Weights::summed, context);
  return result;
}

LabelRegression::Blocks LabelRegression::per_class_blocks(Index first, Index last, const RunContext& context) const {
  std::map<int, Block> by_size;
  std::vector<std::vector<int>> rows_of_class(classes_);
  for (Index target = first; target < last; ++target) {
    for (std::vector<int>& of_class : rows_of_class) of_class.clear();
    for (int m = 0; m < neighbors_.k; ++m) {
      const Index location = neighbors_[target][m];
      if (location < 0) continue;
      for (int r = 0; r < classes_; ++r)
        if (const int row = row_[location * classes_ + r]; row >= 0) rows_of_class[r].push_back(row);
    }
    for (int r = 0; r < classes_; ++r) {
      const int size = block_size(int(rows_of_class[r].size()));
      Block& block = by_size[size];
      block.slot.push_back(int((target - first) * classes_ + r));
      rows_of_class[r].resize(size, -1);
      block.neighbors.insert(block.neighbors.end(), rows_of_class[r].begin(), rows_of_class[r].end());
      const double* point = target_coords_.data() + target * dim_;
      block.coords.insert(block.coords.end(), point, point + dim_);
    }
  }
  Blocks result;
  for (auto& [size, block] : by_size) {
    const Points points{block.coords.data(), Index(block.slot.size()), dim_};
    const LocalTargets targets(points, size, block.neighbors.data());
    block.moments.emplace(rows(), targets, ConditionalMoments::Weights::summed, context);
    result.push_back(std::move(block));
  }
  return result;
}

LabelRegression::Blocks& LabelRegression::cached_blocks(Index first, Index last, const RunContext& context) const {
  return open_.get(first, last, context, [&] { return open(first, last, context); });
}

LabelMoments LabelRegression::moments(Index first, Index last, const Covariance& covariance,
                                      const RunContext& context) const {
  check_targets(first, last);
  if (!in_spans(context, per_class_))
    return moments_of(cached_blocks(first, last, context), first, last, covariance, context);
  LabelMoments result;
  result.mean.resize((last - first) * columns());
  result.variance.resize((last - first) * variances());
  std::vector<Index> failed((last - first + span_size - 1) / span_size, -1);
  for_each_span(context, first, last, [&](Index span, Index start, Index end) {
    Blocks blocks = open(start, end, alone());
    const LabelMoments part = moments_of(blocks, start, end, covariance, alone());
    std::copy(part.mean.begin(), part.mean.end(), result.mean.begin() + (start - first) * columns());
    std::copy(part.variance.begin(), part.variance.end(), result.variance.begin() + (start - first) * variances());
    failed[span] = part.failed;
  });
  const auto found = std::find_if(failed.begin(), failed.end(), [](Index target) { return target >= 0; });
  if (found != failed.end()) result.failed = *found;
  return result;
}

LabelMoments LabelRegression::moments_of(Blocks& blocks, Index first, Index last, const Covariance& covariance,
                                         const RunContext& context) const {
  const PreparedCovariance prepared = prepare(covariance, dim_, false);
  LabelMoments result;
  result.mean.resize((last - first) * columns());
  result.variance.resize((last - first) * variances());
  for (Block& block : blocks) {
    const bool in_order = block.slot.empty();
    if (const Index failed = block.moments->update(prepared, context); failed >= 0) {
      const Index target = first + (in_order ? failed : block.slot[failed] / classes_);
      result.failed = result.failed < 0 ? target : std::min(result.failed, target);
    }
    if (in_order) {
      result.mean = block.moments->weighted();
      result.variance = block.moments->variance();
    }
    for (std::size_t i = 0; i < block.slot.size(); ++i) {
      result.mean[block.slot[i]] = block.moments->weighted()[i];
      result.variance[block.slot[i]] = block.moments->variance()[i];
    }
  }
  return result;
}

std::vector<double> LabelRegression::adjoint(Index first, Index last, const Covariance& covariance,
                                             const LabelMoments& bar, const RunContext& context) const {
  check_targets(first, last);
  std::vector<double> gradient(covariance.parameters(), 0.0);
  if (!in_spans(context, per_class_)) {
    add_adjoint(cached_blocks(first, last, context), covariance, bar.mean.data(), bar.variance.data(), context,
                gradient);
    return gradient;
  }
  std::vector<std::vector<double>> parts((last - first + span_size - 1) / span_size,
                                         std::vector<double>(covariance.parameters(), 0.0));
  for_each_span(context, first, last, [&](Index span, Index start, Index end) {
    add_adjoint(open(start, end, alone()), covariance, bar.mean.data() + (start - first) * columns(),
                bar.variance.data() + (start - first) * variances(), alone(), parts[span]);
  });
  for (const std::vector<double>& part : parts)
    for (std::size_t a = 0; a < gradient.size(); ++a) gradient[a] += part[a];
  return gradient;
}

void LabelRegression::add_adjoint(const Blocks& blocks, const Covariance& covariance, const double* mean_bar,
                                  const double* variance_bar, const RunContext& context,
                                  std::vector<double>& gradient) const {
  const PreparedCovariance prepared = prepare(covariance, dim_, true);
  for (const Block& block : blocks) {
    std::vector<double> mean, variance;
    for (const int slot : block.slot) {
      mean.push_back(mean_bar[slot]);
      variance.push_back(variance_bar[slot]);
    }
    const bool in_order = block.slot.empty();
    const ConditionalAdjoint bar{nullptr, in_order ? variance_bar : variance.data(), nullptr,
                                 in_order ? mean_bar : mean.data()};
    const std::vector<double> of_block = block.moments->adjoint(prepared, bar, context);
    for (int a = 0; a < covariance.parameters(); ++a)
      if (covariance.is_active(a)) gradient[a] += of_block[a];
  }
}

}  // namespace neargp
