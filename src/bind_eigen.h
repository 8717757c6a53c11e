// Dense matrices between R and Eigen.
#pragma once

#include <Eigen/Core>

#include <Rcpp.h>

inline Rcpp::NumericMatrix to_r(const Eigen::MatrixXd& matrix) {
  return Rcpp::NumericMatrix(int(matrix.rows()), int(matrix.cols()), matrix.data());
}

inline Rcpp::NumericVector to_r(const Eigen::VectorXd& vector) {
  return {vector.data(), vector.data() + vector.size()};
}

inline Eigen::MatrixXd to_eigen(const Rcpp::NumericMatrix& matrix) {
  return Eigen::Map<const Eigen::MatrixXd>(matrix.begin(), matrix.nrow(), matrix.ncol());
}

inline Eigen::VectorXd to_eigen_vector(const Rcpp::NumericVector& vector) {
  return Eigen::Map<const Eigen::VectorXd>(vector.begin(), vector.size());
}
