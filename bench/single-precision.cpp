// For single-precision.R: the terms of a Vecchia likelihood with matrices in double or in single precision, sums in
// double.
// [[Rcpp::depends(RcppEigen)]]
#include <RcppEigen.h>

#include <cmath>

namespace {

template <class Real>
Rcpp::NumericVector vecchia_terms(const Eigen::MatrixXd& points, const Eigen::VectorXd& y,
                                  const Rcpp::IntegerMatrix& neighbors, double range, double nugget) {
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
  const int n = neighbors.ncol() + 1, k = n - 1;
  double log_likelihood = 0.0, score = 0.0, information = 0.0, failed = 0.0;
  for (int t = 0; t < neighbors.nrow(); ++t) {
    const int target = int(y.size()) - neighbors.nrow() + t;
    // coordinates are taken relative to the target's, so that their differences lose nothing
    Matrix z(n, points.cols()), s(n, n), slope(n, n);
    Vector values(n);
    for (int i = 0; i < n; ++i) {
      const int row = i < k ? neighbors(t, i) - 1 : target;
      for (int d = 0; d < z.cols(); ++d) z(i, d) = Real((points(row, d) - points(target, d)) / range);
      values[i] = Real(y[row]);
    }
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const Real r2 = (z.row(i) - z.row(j)).squaredNorm(), r = std::sqrt(r2), e = std::exp(-r);
        s(i, j) = (Real(1) + r) * e + (i == j ? Real(nugget) : Real(0));
        slope(i, j) = r2 * e;  // in the log of the range
      }
    const Eigen::LLT<Matrix> llt(s);
    const Matrix factor = llt.matrixL();
    if (llt.info() != Eigen::Success) {
      ++failed;
      continue;
    }
    const auto lower = factor.template triangularView<Eigen::Lower>();
    const Vector x = lower.solve(values);
    const Vector u = lower.transpose().solve(Vector::Unit(n, k));
    const Vector v = lower.solve(slope * u);
    const double xk = x[k], vk = v[k];
    log_likelihood -= std::log(double(factor(k, k))) + 0.5 * xk * xk;
    score -= 0.5 * (vk + xk * xk * vk - 2.0 * xk * double(x.dot(v)));
    information += double(v.dot(v)) - 0.5 * vk * vk;
  }
  return {log_likelihood, score, information, failed};
}

}  // namespace

// The last rows of `points` are targets, one for each row of `neighbors`.
// [[Rcpp::export]]
Rcpp::NumericVector vecchia_terms(const Eigen::MatrixXd& points, const Eigen::VectorXd& y,
                                  const Rcpp::IntegerMatrix& neighbors, double range, double nugget, bool single) {
  return single ? vecchia_terms<float>(points, y, neighbors, range, nugget)
                : vecchia_terms<double>(points, y, neighbors, range, nugget);
}
