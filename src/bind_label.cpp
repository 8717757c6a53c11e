// Class labels by leave-one-out: moments, scores and probabilities, as R calls them.
#include "base/error.h"
#include "bind_convert.h"
#include "bind_covariance.h"
#include "bind_neighbors.h"
#include "loo/label_link.h"

using neargp::Index;

namespace {

using LabelPointer = Rcpp::XPtr<neargp::LabelRegression>;

// A shift for each of the targets, by rows.
std::vector<double> shift_rows(const Rcpp::NumericMatrix& shift, Index targets, int outputs) {
  if (shift.nrow() != targets || shift.ncol() != outputs)
    throw neargp::Error("There must be a shift for each target and output.");
  return row_major(shift);
}

neargp::LabelLink label_link(const neargp::LabelRegression& model, double slope, const std::vector<double>& shifts,
                             const std::vector<double>& bias) {
  if (int(bias.size()) != model.outputs()) throw neargp::Error("There must be a bias for each output.");
  return {model.outputs(), model.per_class(), slope, shifts.data(), bias.data()};
}

}  // namespace

// Counts: a row for each row of coords, a column for each class. Neighbours: a column of rows of coords for each of the
// targets.
// [[Rcpp::export]]
SEXP core_label_model(const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& counts, bool per_class,
                      const Rcpp::NumericMatrix& targets, SEXP neighbors) {
  if (coords.nrow() != counts.nrow()) throw neargp::Error("Coordinates and counts must have the same number of rows.");
  const PointStore locations(coords), target_points(targets);
  const std::vector<double> count_rows = row_major(counts);
  return LabelPointer(new neargp::LabelRegression({locations.view(), counts.ncol(), count_rows.data()}, per_class,
                                                  target_points.view(), Neighbors(neighbors).table()),
                      true);
}

// The score of the targets first .. last, whose classes (from 1), counts and shifts follow; a bias for each output.
// With `gradient` it adds the derivatives in the covariance parameters, the logarithm of the slope, the shifts and the
// biases.
// [[Rcpp::export]]
Rcpp::List core_label_score(SEXP model, int first, int last, const Rcpp::IntegerVector& observed,
                            const Rcpp::NumericVector& count, const Rcpp::List& covariance, double nugget, double slope,
                            const Rcpp::NumericMatrix& shift, const std::vector<double>& bias, bool gradient,
                            const Rcpp::List& context) {
  LabelPointer pointer(model);
  const neargp::RunContext run = run_context(context);
  const neargp::Covariance spec = to_covariance(covariance, nugget);
  const Index targets = last - first + 1;
  const std::vector<double> shifts = shift_rows(shift, targets, pointer->outputs());
  const std::vector<int> classes = to_rows(observed);
  if (Index(classes.size()) != targets || count.size() != targets)
    throw neargp::Error("There must be a class and a count for each target.");
  const int class_count = pointer->outputs() == 1 ? 2 : pointer->outputs();
  for (const int c : classes)
    if (c < 0 || c >= class_count) throw neargp::Error("There is no such class.");
  const neargp::LabelMoments moments = pointer->moments(first - 1, last, spec, run);
  if (moments.failed >= 0) return Rcpp::List::create(Rcpp::_["failed"] = int(moments.failed + 1));
  const neargp::ClassScore score =
      neargp::label_link_score(moments, label_link(*pointer, slope, shifts, bias), {classes.data(), count.begin()});
  Rcpp::List result = Rcpp::List::create(Rcpp::_["value"] = score.value, Rcpp::_["failed"] = 0);
  if (!gradient) return result;
  result["gradient"] = pointer->adjoint(first - 1, last, spec, score.bar, run);
  result["d_log_slope"] = score.d_log_slope;
  result["d_shift"] = from_row_major(score.shift_bar, pointer->outputs());
  result["d_bias"] = score.bias_bar;
  return result;
}

// Class probabilities at all targets, with the moments they come from.
// [[Rcpp::export]]
Rcpp::List core_label_probabilities(SEXP model, const Rcpp::List& covariance, double nugget, double slope,
                                    const Rcpp::NumericMatrix& shift, const std::vector<double>& bias,
                                    const Rcpp::List& context) {
  LabelPointer pointer(model);
  const std::vector<double> shifts = shift_rows(shift, pointer->targets(), pointer->outputs());
  const neargp::LabelMoments moments =
      pointer->moments(0, pointer->targets(), to_covariance(covariance, nugget), run_context(context));
  if (moments.failed >= 0) return Rcpp::List::create(Rcpp::_["failed"] = int(moments.failed + 1));
  const int outputs = pointer->outputs();
  return Rcpp::List::create(
      Rcpp::_["probability"] = from_row_major(
          neargp::class_probabilities(moments, label_link(*pointer, slope, shifts, bias)), outputs == 1 ? 2 : outputs),
      Rcpp::_["mean"] = from_row_major(moments.mean, pointer->columns()),
      Rcpp::_["variance"] = from_row_major(moments.variance, pointer->variances()), Rcpp::_["failed"] = 0);
}
