#pragma once

#include <Rcpp.h>

#include <vector>

#include "base/run_context.h"
#include "geometry/points.h"

// The context of R's new_context() (R/context.R); interruptible from the R console. Throws an Error where the device or
// FAISS can no longer be used.
neargp::RunContext run_context(const Rcpp::List& context);

// R stores matrices by columns, the core stores points by rows.
std::vector<double> row_major(const Rcpp::NumericMatrix& matrix);
Rcpp::NumericMatrix from_row_major(const std::vector<double>& entries, int columns);

// Points that own their coordinates, taken from an n x d matrix.
class PointStore {
 public:
  explicit PointStore(const Rcpp::NumericMatrix& coords);
  neargp::Points view() const { return {data_.data(), n_, dim_}; }

 private:
  std::vector<double> data_;
  neargp::Index n_;
  int dim_;
};

// The output of each of n rows; data() is null where R gives NULL.
using Outputs = Rcpp::Nullable<Rcpp::IntegerVector>;

class OutputStore {
 public:
  OutputStore(const Outputs& output_of_row, int n);
  const int* data() const { return rows_.empty() ? nullptr : rows_.data(); }

 private:
  std::vector<int> rows_;
};

// Converts between the core, which counts from 0 and says -1 if absent, and R, which counts from 1 and says NA.
int to_one_based(int index);
int to_zero_based(int index);

// The row at which a computation failed, counted from 1, or 0 where none did; the core says -1 for none.
int failed_row(neargp::Index row);

Rcpp::IntegerVector to_r(const std::vector<int>& rows);
std::vector<int> to_rows(const Rcpp::IntegerVector& rows);
