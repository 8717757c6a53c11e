// The bound on inducing points of rows that R hands on in pieces.
#include <vector>

#include "base/error.h"
#include "bind_blas.h"
#include "bind_bound.h"
#include "bind_convert.h"
#include "bind_covariance.h"
#include "bind_eigen.h"
#include "bind_numbers.h"
#include "variational/streamed_bound.h"

namespace {

using Eigen::MatrixXd;
using neargp::Index;
using StreamedPointer = Rcpp::XPtr<neargp::StreamedBound>;

template <class Sums, class Visitor>
void visit_sums(Sums& sums, Visitor&& visit) {
  visit(sums.gram);
  visit(sums.cross);
  visit(sums.columns);
  visit(&sums.traces, 1);
  visit(&sums.log_precision, 1);
  visit(&sums.unexplained, 1);
}

template <class Adjoints, class Visitor>
void visit_adjoints(Adjoints& adjoints, Visitor&& visit) {
  visit(adjoints.gradient.parameters.data(), Index(adjoints.gradient.parameters.size()));
  visit(adjoints.gradient.positions);
  visit(adjoints.traced);
}

// Rows of a source as the core reads them.
class Piece {
 public:
  Piece(const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& columns, const Rcpp::NumericVector& noise_scale)
      : coords_(coords), values_(row_major(columns)), columns_(columns.ncol()), noise_scale_(noise_scale) {
    if (columns.nrow() != coords.nrow() || noise_scale.size() != coords.nrow())
      throw neargp::Error("Coordinates, values and noise must have the same number of rows.");
  }
  neargp::RegressionData view() const { return {coords_.view(), columns_, values_.data(), noise_scale_.begin()}; }

 private:
  PointStore coords_;
  std::vector<double> values_;
  int columns_;
  Rcpp::NumericVector noise_scale_;
};

}  // namespace

// n: rows of all pieces, of each of which core_streamed_value() and then core_streamed_gradient() are called.
// [[Rcpp::export]]
SEXP core_streamed_bound(double n, int columns, const Rcpp::NumericMatrix& inducing, const Rcpp::List& covariance,
                         double nugget, const std::string& bound, double jitter, bool derivatives,
                         const Rcpp::List& context) {
  const PointStore positions(inducing);
  neargp::StreamedRows rows;
  rows.n = neargp::Index(n);
  rows.columns = columns;
  rows.derivatives = derivatives;
  rows.dense = run_context(context).dense;
  return StreamedPointer(new neargp::StreamedBound(rows, positions.view(), to_covariance(covariance, nugget),
                                                   bound_settings(bound, jitter)));
}

// The number of rows of each piece except the last must be a multiple of this.
// [[Rcpp::export]]
double core_streamed_rows() { return double(neargp::BoundSettings().chunk_rows); }

// Returns false if the rows are not needed, since the objective fails whatever they are.
// [[Rcpp::export]]
bool core_streamed_regular(SEXP pointer) { return StreamedPointer(pointer)->regular(); }

// [[Rcpp::export]]
void core_streamed_add_value(SEXP pointer, const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& columns,
                             const Rcpp::NumericVector& noise_scale, const Rcpp::List& context) {
  StreamedPointer(pointer)->add_to_value(Piece(coords, columns, noise_scale).view(), run_context(context));
}

// The result of core_collapsed_bound(), without its gradient.
// [[Rcpp::export]]
Rcpp::List core_streamed_value(SEXP pointer, const Rcpp::List& context) {
  use_products_of(context);
  return bound_to_r(StreamedPointer(pointer)->value());
}

// [[Rcpp::export]]
void core_streamed_add_gradient(SEXP pointer, const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& columns,
                                const Rcpp::NumericVector& noise_scale, const Rcpp::List& context) {
  StreamedPointer(pointer)->add_to_gradient(Piece(coords, columns, noise_scale).view(), run_context(context));
}

// [[Rcpp::export]]
Rcpp::List core_streamed_gradient(SEXP pointer, const Rcpp::List& context) {
  use_products_of(context);
  return gradient_to_r(StreamedPointer(pointer)->gradient());
}

// ---- a part of the rows: core_streamed_bound() of them, and one of all rows that is given their sums ----------------

// [[Rcpp::export]]
Rcpp::NumericVector core_streamed_sums(SEXP pointer) {
  Numbers numbers;
  const neargp::CollapsedBoundSums sums = StreamedPointer(pointer)->sums();
  visit_sums(sums, [&](const auto&... values) { numbers.write(values...); });
  return numbers.all();
}

// [[Rcpp::export]]
void core_streamed_set_sums(SEXP pointer, const Rcpp::NumericVector& numbers) {
  StreamedPointer bound(pointer);
  neargp::CollapsedBoundSums sums = bound->sums();
  NumberReader reader(numbers);
  visit_sums(sums, [&](auto&&... values) { reader.read(values...); });
  bound->set_sums(std::move(sums));
}

// Moments of all rows after a value that did not fail: what parts of them begin their gradient with.
// [[Rcpp::export]]
Rcpp::List core_streamed_moments(SEXP pointer) {
  const neargp::BoundMoments moments = StreamedPointer(pointer)->moments();
  return Rcpp::List::create(Rcpp::_["contrasts"] = to_r(moments.contrasts), Rcpp::_["means"] = to_r(moments.means),
                            Rcpp::_["covariance"] = to_r(moments.covariance));
}

// [[Rcpp::export]]
void core_streamed_begin_gradient(SEXP pointer, const Rcpp::List& moments, const Rcpp::List& context) {
  use_products_of(context);
  StreamedPointer(pointer)->begin_gradient(neargp::BoundMoments{
      to_eigen(moments["contrasts"]), to_eigen(moments["means"]), to_eigen(moments["covariance"])});
}

// [[Rcpp::export]]
Rcpp::NumericVector core_streamed_adjoints(SEXP pointer) {
  Numbers numbers;
  const neargp::BoundAdjoints adjoints = StreamedPointer(pointer)->adjoints();
  visit_adjoints(adjoints, [&](const auto&... values) { numbers.write(values...); });
  return numbers.all();
}

// [[Rcpp::export]]
void core_streamed_set_adjoints(SEXP pointer, const Rcpp::NumericVector& numbers) {
  StreamedPointer bound(pointer);
  neargp::BoundAdjoints adjoints = bound->adjoints();
  NumberReader reader(numbers);
  visit_adjoints(adjoints, [&](auto&&... values) { reader.read(values...); });
  bound->set_adjoints(std::move(adjoints));
}
