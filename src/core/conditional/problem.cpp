#include "conditional/problem.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "geometry/ordering.h"
#include "parallel/parallel_for.h"

namespace neargp {

namespace {

// Rows of a row-major array in a new order.
template <class Number>
UnsetVector<Number> gather_rows(const Number* array, int width, const std::vector<int>& rows,
                                const RunContext& context = RunContext()) {
  UnsetVector<Number> result(rows.size() * std::size_t(width));
  parallel_ranges(context, Index(rows.size()), light_range, [&](Index first, Index last, Index) {
    for (Index i = first; i < last; ++i) std::copy_n(array + Index(rows[i]) * width, width, result.begin() + i * width);
  });
  return result;
}

std::vector<double> residuals_of(const UnsetVector<double>& values, int columns, const std::vector<double>& beta) {
  std::vector<double> residuals(values.size() / columns);
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    const double* row = values.data() + i * columns;
    residuals[i] = row[0];
    for (int c = 1; c < columns; ++c) residuals[i] -= row[c] * beta[c - 1];
  }
  return residuals;
}

constexpr int no_row = -1;

// The row in the caller's table of each row of the data, `no_row` where it is no target.
UnsetVector<int> table_rows(const std::vector<int>& targets, Index n, const RunContext& context) {
  UnsetVector<int> table_row(n);
  parallel_ranges(context, n, light_range, [&](Index first, Index last, Index) {
    for (Index row = first; row < last; ++row) table_row[row] = targets.empty() ? int(row) : no_row;
  });
  for (std::size_t t = 0; t < targets.size(); ++t) {
    if (table_row[targets[t]] != no_row) throw Error("A row is a target twice.");
    table_row[targets[t]] = int(t);
  }
  return table_row;
}

}  // namespace

LocalProblem::LocalProblem(const LocalData& data, const NeighborRows& neighbors, const std::vector<int>& targets,
                           const RunContext& context)
    : dim_(data.coords.dim), columns_(data.columns), k_(neighbors.k), block_(neighbors.block),
      targets_(targets.empty() ? data.coords.n : Index(targets.size())) {
  const Index n = data.coords.n;
  check_coordinates(data.coords);
  check_rows(targets, 0, n);
  if (neighbors.n != targets_) throw Error("The table of neighbours must have one row for each target.");
  const UnsetVector<int> table_row = table_rows(targets, n, context);
  data_row_ = spatial_order(data.coords, context);
  if (!targets.empty())
    std::stable_partition(data_row_.begin(), data_row_.end(), [&](int row) { return table_row[row] != no_row; });

  coords_ = gather_rows(data.coords.data, dim_, data_row_, context);
  values_ = gather_rows(data.values, columns_, data_row_, context);
  noise_scale_ = gather_rows(data.noise_scale, 1, data_row_, context);
  if (data.outputs) outputs_ = gather_rows(data.outputs, 1, data_row_, context);
  gather_neighbors(neighbors, table_row, context);
  device_view_.emplace(backend_of(context), view());
  if (block_ > 1 && !device_view_->is_cpu()) throw Error("Blocks of rows are for the CPU.");
}

void LocalProblem::gather_neighbors(const NeighborRows& neighbors, const UnsetVector<int>& table_row,
                                    const RunContext& context) {
  const Index n = data();
  UnsetVector<int> position(n);
  parallel_ranges(context, n, light_range, [&](Index first, Index last, Index) {
    for (Index i = first; i < last; ++i) position[data_row_[i]] = int(i);
  });
  neighbors_.resize(std::size_t(targets_) * k_);
  parallel_ranges(context, targets_, light_range, [&](Index first, Index last, Index) {
    int* datum = neighbors_.data() + first * k_;
    for (Index t = first; t < last; ++t) {
      const int* set = neighbors.rows + Index(table_row[data_row_[t]]) * k_;
      for (int r = 0; r < k_; ++r, ++datum) {
        const Index neighbor = Index(set[r]) - neighbors.first;
        if (set[r] != neighbors.absent && (neighbor < 0 || neighbor >= n)) refuse_row(neighbor + 1, n);
        *datum = set[r] == neighbors.absent ? -1 : position[neighbor];
      }
    }
  });
}

LocalView LocalProblem::view_of(const double* values, int columns) const {
  const LocalData data{{coords_.data(), this->data(), dim_},
                       columns,
                       values,
                       noise_scale_.data(),
                       outputs_.empty() ? nullptr : outputs_.data(),
                       noise_parameters_,
                       noise_derivatives_.data()};
  LocalTargets targets({coords_.data(), targets_, dim_}, k_, neighbors_.data());
  targets.values = data.values;
  targets.noise_scale = data.noise_scale;
  targets.noise_derivatives = data.noise_derivatives;
  targets.outputs = data.outputs;
  return neargp::view_of(data, targets);
}

void LocalProblem::set_noise(const double* scale, int parameters, const double* derivatives) {
  if (!device_view_->is_cpu()) throw Error("Noise by a model of its own is for the CPU.");
  noise_parameters_ = parameters;
  noise_scale_ = gather_rows(scale, 1, data_row_);
  noise_derivatives_ = gather_rows(derivatives, parameters, data_row_);
  residuals_on_device_ = false;
  device_view_->set_values(view());
}

void LocalProblem::set_values(const double* values, int columns) {
  if (!device_view_->is_cpu()) throw Error("Values that change are for the CPU.");
  columns_ = columns;
  values_ = gather_rows(values, columns, data_row_);
  residuals_on_device_ = false;
  device_view_->set_values(view());
}

Covariance LocalProblem::checked(const Covariance& covariance) const {
  check_outputs(outputs_.empty() ? nullptr : outputs_.data(), data(), covariance);
  Covariance own = covariance;
  own.noise_parameters = noise_parameters_;
  return own;
}

LocalView LocalProblem::view() const { return view_of(values_.data(), columns_); }

const DeviceView& LocalProblem::on_device() const {
  if (residuals_on_device_) device_view_->set_values(view());
  residuals_on_device_ = false;
  return *device_view_;
}

const DeviceView& LocalProblem::residuals_on_device(const std::vector<double>& beta) {
  if (block_ > 1) throw Error("Blocks of rows are for the likelihood with its information.");
  if (int(beta.size()) != columns_ - 1)
    throw Error("There must be one trend coefficient for each column of the design.");
  residuals_ = residuals_of(values_, columns_, beta);
  device_view_->set_values(view_of(residuals_.data(), 1));
  residuals_on_device_ = true;
  return *device_view_;
}

}  // namespace neargp
