#include "effects/effect_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/memory.h"
#include "parallel/parallel_for.h"

namespace neargp {

namespace {

constexpr std::uint16_t nowhere = std::numeric_limits<std::uint16_t>::max();
constexpr Index rows_per_chunk = 512;

template <class Body>
void for_each_row(Index rows, const RunContext& context, const Body& body) {
  parallel_for(context, (rows + rows_per_chunk - 1) / rows_per_chunk, [&](Index chunk) {
    for (Index t = chunk * rows_per_chunk; t < std::min(rows, (chunk + 1) * rows_per_chunk); ++t) body(t);
  });
}

}  // namespace

EffectRows::EffectRows(const LocalProblem& problem, const EffectColumns& columns, const RunContext& context)
    : columns_(columns.columns), slots_(columns.slots), k_(problem.k()), width_((problem.k() + 1) * columns.slots),
      data_row_(problem.data()), neighbors_(problem.view().neighbors),
      column_(std::size_t(problem.data()) * columns.slots), value_(column_.size()), count_(problem.targets()) {
  check_memory("The whitened columns of random effects", double(problem.targets()), 2.0 * width_);
  if (width_ >= nowhere) throw Error("A row has more than 65,000 entries in columns of random effects.");
  for (Index i = 0; i < problem.data(); ++i) {
    data_row_[i] = int(problem.row_of_datum(i));
    for (int s = 0; s < slots_; ++s) {
      const int column = columns.column[Index(data_row_[i]) * slots_ + s];
      if (column < -1 || column >= columns_) throw Error("A column of random effects does not exist.");
      column_[i * slots_ + s] = column;
    }
  }
  row_column_.resize(std::size_t(targets()) * width_);
  place_.assign(row_column_.size(), nowhere);
  w_.resize(row_column_.size());
  for_each_row(targets(), context, [&](Index t) {
    int* own = row_column_.data() + t * width_;
    int* end = own;
    const auto for_each_entry = [&](const auto& action) {
      for (int m = 0; m <= k_; ++m) {
        const Index datum = m < k_ ? neighbors_[t * k_ + m] : t;
        if (datum < 0) continue;
        for (int s = 0; s < slots_; ++s) {
          const int column = column_[datum * slots_ + s];
          if (column >= 0) action(m * slots_ + s, column);
        }
      }
    };
    for_each_entry([&](int, int column) { *end++ = column; });
    std::sort(own, end);
    end = std::unique(own, end);
    count_[t] = int(end - own);
    for_each_entry([&](int entry, int column) {
      place_[t * width_ + entry] = std::uint16_t(std::lower_bound(own, end, column) - own);
    });
  });
}

void EffectRows::set_values(const double* values) {
  for (std::size_t i = 0; i < data_row_.size(); ++i)
    std::copy_n(values + Index(data_row_[i]) * slots_, slots_, value_.begin() + i * slots_);
}

void EffectRows::set_typical(const RunContext& context) {
  std::fill(value_.begin(), value_.end(), 1.0);
  std::vector<double> weights(count_.size() * k_);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = 1.0 / (2.0 + double(i % k_));
  whiten(weights, std::vector<double>(count_.size(), 1.0), context);
}

void EffectRows::whiten(const std::vector<double>& weights, const std::vector<double>& variance,
                        const RunContext& context) {
  for_each_row(targets(), context, [&](Index t) {
    double* w = w_.data() + t * width_;
    std::fill_n(w, count_[t], 0.0);
    const double scale = 1.0 / std::sqrt(variance[t]);
    for (int m = 0; m <= k_; ++m) {
      const Index datum = m < k_ ? neighbors_[t * k_ + m] : t;
      if (datum < 0) continue;
      const double weight = scale * (m < k_ ? -weights[t * k_ + m] : 1.0);
      for (int s = 0; s < slots_; ++s) {
        const std::uint16_t place = place_[t * width_ + m * slots_ + s];
        if (place != nowhere) w[place] += weight * value_[datum * slots_ + s];
      }
    }
  });
}

Index EffectRows::longest() const {
  Index longest = 0;
  double most = -1.0;
  for (Index t = 0; t < targets(); ++t) {
    double sum = 0.0;
    for (int a = 0; a < count_[t]; ++a) {
      if (!std::isfinite(entries(t)[a])) return t;
      sum += entries(t)[a] * entries(t)[a];
    }
    if (sum > most) {
      most = sum;
      longest = t;
    }
  }
  return longest;
}

void EffectRows::subtract_product(Index datum, const double* u, int width, double* x) const {
  for (int s = 0; s < slots_; ++s) {
    const int column = column_[datum * slots_ + s];
    if (column < 0) continue;
    const double value = value_[datum * slots_ + s];
    for (int c = 0; c < width; ++c) x[c] -= value * u[Index(column) * width + c];
  }
}

double EffectRows::product(Index t, int m, Index datum, const double* h) const {
  double sum = 0.0;
  for (int s = 0; s < slots_; ++s) {
    const std::uint16_t place = place_[t * width_ + m * slots_ + s];
    if (place != nowhere) sum += value_[datum * slots_ + s] * h[place];
  }
  return sum;
}

}  // namespace neargp
