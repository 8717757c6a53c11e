// Data, targets and conditioning sets of one fit. The object owns them in an order that keeps neighbours close together
// in memory, targets first. They are ready on the device that the context names.
#pragma once

#include <optional>
#include <vector>

#include "base/run_context.h"
#include "base/unset_vector.h"
#include "conditional/backend.h"
#include "conditional/data.h"

namespace neargp {

// Conditioning sets as their owner keeps them: k rows for each of n targets, counted from
// `first`, and `absent` where there are fewer. A problem therefore accepts the tables of the core and of R without a
// copy in between.
struct NeighborRows {
  const int* rows = nullptr;
  Index n = 0;
  int k = 0;
  int first = 0;
  int absent = -1;
  int block = 1;  // see VecchiaSums

  NeighborRows(const int* rows_, Index n_, int k_, int first_, int absent_)
      : rows(rows_), n(n_), k(k_), first(first_), absent(absent_) {}
  NeighborRows(const NeighborTable& table) : rows(table.index.data()), n(table.n), k(table.k) {}
};

class LocalProblem {
 public:
  // Conditioning sets of the rows in `targets`, distinct ones (empty: of all rows, in order); row t of
  // `neighbors` belongs to the t-th target.
  LocalProblem(const LocalData& data, const NeighborRows& neighbors, const std::vector<int>& targets,
               const RunContext& context);

  Index data() const { return Index(data_row_.size()); }
  Index targets() const { return targets_; }
  int dim() const { return dim_; }
  int columns() const { return columns_; }
  int k() const { return k_; }
  int block() const { return block_; }

  // Sets noise by a model of its own, for evaluations from now on. The noise variance of each row is nugget * scale,
  // with `parameters` derivatives (LocalData::noise_derivatives). All are in the caller's order. Throws an Error on a
  // device.
  void set_noise(const double* scale, int parameters, const double* derivatives);

  // Sets other values for evaluations from now on, with any number of columns, in the caller's order. Throws an Error
  // on a device.
  void set_values(const double* values, int columns);

  // The covariance with the noise parameters of the problem. Throws an Error where it is not one of the outputs that
  // the rows are of.
  Covariance checked(const Covariance& covariance) const;

  // All columns.
  LocalView view() const;

  // The device stores one set of columns at a time, so a problem belongs to one thread.
  // Each reference is valid until the next call.
  const DeviceView& on_device() const;
  // The residuals response - design * beta as the only column.
  const DeviceView& residuals_on_device(const std::vector<double>& beta);

  // The caller's row of a datum in the order of memory, in which the targets come first.
  Index row_of_datum(Index datum) const { return data_row_[datum]; }

 private:
  void gather_neighbors(const NeighborRows& neighbors, const UnsetVector<int>& table_row, const RunContext& context);
  LocalView view_of(const double* values, int columns) const;

  int dim_, columns_, k_, block_;
  Index targets_;
  std::vector<int> data_row_;  // caller's row of datum i
  UnsetVector<double> coords_, values_, noise_scale_;
  int noise_parameters_ = 0;
  UnsetVector<double> noise_derivatives_;
  UnsetVector<int> outputs_;  // empty: one output
  UnsetVector<int> neighbors_;
  std::vector<double> residuals_;
  mutable bool residuals_on_device_ = false;
  mutable std::optional<DeviceView> device_view_;
};

}  // namespace neargp
