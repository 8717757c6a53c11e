// Sums as numbers that R adds up.
#pragma once

#include <Eigen/Core>

#include <Rcpp.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/types.h"

// Matrices and vectors one after the other, as numbers that can be added.
class Numbers {
 public:
  void write(const double* values, neargp::Index n) { numbers_.insert(numbers_.end(), values, values + n); }
  void write(const Eigen::MatrixXd& matrix) { write(matrix.data(), matrix.size()); }
  Rcpp::NumericVector all() const { return {numbers_.begin(), numbers_.end()}; }

 private:
  std::vector<double> numbers_;
};

// Reads the numbers back into objects of the sizes that were written.
class NumberReader {
 public:
  explicit NumberReader(const Rcpp::NumericVector& numbers) : numbers_(numbers) {}
  void read(double* values, neargp::Index n) {
    if (at_ + n > numbers_.size()) throw neargp::Error("There must be as many numbers as sums.");
    std::copy_n(numbers_.begin() + at_, n, values);
    at_ += n;
  }
  void read(Eigen::MatrixXd& matrix) { read(matrix.data(), matrix.size()); }

 private:
  Rcpp::NumericVector numbers_;
  neargp::Index at_ = 0;
};
