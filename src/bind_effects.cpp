// Vecchia's likelihood with the effects of many levels integrated out, as R calls it. Columns of effects count from 1,
// and 0 is none.
#include <algorithm>
#include <utility>

#include "base/error.h"
#include "bind_convert.h"
#include "bind_covariance.h"
#include "bind_eigen.h"
#include "effects/effects_likelihood.h"
#include "parallel/parallel_for.h"

using neargp::Index;

namespace {

using ProblemPointer = Rcpp::XPtr<neargp::LocalProblem>;
using EffectsPointer = Rcpp::XPtr<neargp::EffectsLikelihood>;

std::vector<int> zero_based_row_major(const Rcpp::IntegerMatrix& columns) {
  std::vector<int> result;
  result.reserve(std::size_t(columns.nrow()) * columns.ncol());
  for (int i = 0; i < columns.nrow(); ++i)
    for (int s = 0; s < columns.ncol(); ++s) result.push_back(columns(i, s) - 1);
  return result;
}

}  // namespace

// Returns NULL where a factor of the effects takes more than `most_work` multiplications. Where it takes more than
// `most_exact` the system is iterative, with few signs if `roughly`.
// [[Rcpp::export]]
SEXP core_effects(SEXP problem, const Rcpp::IntegerMatrix& column, int columns, double most_work, double most_exact,
                  bool roughly, const Rcpp::List& context) {
  ProblemPointer pointer(problem);
  if (column.nrow() != pointer->data()) throw neargp::Error("There must be columns of effects for each row.");
  const std::vector<int> rows = zero_based_row_major(column);
  const EffectsPointer effects(new neargp::EffectsLikelihood(*pointer, {columns, column.ncol(), rows.data()}, most_work,
                                                             most_exact, roughly, run_context(context)),
                               true, R_NilValue, problem);
  if (!effects->is_affordable()) return R_NilValue;
  return effects;
}

// [[Rcpp::export]]
Rcpp::List core_effects_evaluate(SEXP effects, const Rcpp::List& covariance, double nugget,
                                 const Rcpp::NumericMatrix& values, const Rcpp::List& context) {
  EffectsPointer pointer(effects);
  const neargp::EffectSums sums =
      pointer->evaluate(to_covariance(covariance, nugget), row_major(values).data(), run_context(context));
  if (sums.failed >= 0) return Rcpp::List::create(Rcpp::_["failed"] = int(sums.failed + 1));
  const int columns = int(pointer->solved().cols());
  return Rcpp::List::create(Rcpp::_["log_det"] = sums.log_det,
                            Rcpp::_["gram"] = Rcpp::NumericMatrix(columns, columns, sums.gram.begin()),
                            Rcpp::_["failed"] = 0);
}

// [[Rcpp::export]]
Rcpp::List core_effects_derivatives(SEXP effects, const Rcpp::NumericMatrix& contrasts, const Rcpp::List& context) {
  EffectsPointer pointer(effects);
  const neargp::EffectDerivatives found = pointer->derivatives(to_eigen(contrasts), run_context(context));
  return Rcpp::List::create(Rcpp::_["gradient"] = Rcpp::NumericVector(found.gradient.begin(), found.gradient.end()),
                            Rcpp::_["effects"] = to_r(found.effects), Rcpp::_["failed"] = int(found.failed + 1));
}

// C^-1 W'E, or C^-1 x.
// [[Rcpp::export]]
Rcpp::NumericMatrix core_effects_solve(SEXP effects, Rcpp::Nullable<Rcpp::NumericMatrix> x) {
  EffectsPointer pointer(effects);
  if (x.isNull()) return to_r(pointer->solved());
  Eigen::MatrixXd solved = to_eigen(Rcpp::NumericMatrix(x.get()));
  if (solved.rows() != pointer->effects()) throw neargp::Error("There must be a number for each effect.");
  if (!pointer->system().solve(solved)) throw neargp::Error(neargp::no_solution);
  return to_r(solved);
}

// Whether conjugate gradients replace a factor.
// [[Rcpp::export]]
bool core_effects_iterates(SEXP effects) { return EffectsPointer(effects)->system().iterates(); }

// The values of log|C| before and after it is made more precise, with its standard error.
// [[Rcpp::export]]
Rcpp::NumericVector core_effects_refine(SEXP effects, const Rcpp::List& context) {
  EffectsPointer pointer(effects);
  neargp::EffectSystem& system = pointer->system();
  const double before = system.log_det();
  system.refine_log_det(run_context(context));
  return Rcpp::NumericVector::create(Rcpp::_["before"] = before, Rcpp::_["after"] = system.log_det(),
                                     Rcpp::_["error"] = system.log_det_error());
}

// With `held`, derivatives near the values last evaluated take fewer steps, until a call without it.
// [[Rcpp::export]]
void core_effects_hold(SEXP effects, bool held, const Rcpp::List& context) {
  EffectsPointer pointer(effects);
  if (held) {
    pointer->hold(run_context(context));
  } else {
    pointer->let_go();
  }
}

// Computes what core_effects_inverse() and core_effects_forms() need.
// [[Rcpp::export]]
void core_effects_invert(SEXP effects, const Rcpp::List& context) {
  EffectsPointer(effects)->system().invert(run_context(context));
}

// Entries of C^-1 at pairs of columns that occur in the same row, after derivatives or core_effects_invert().
// [[Rcpp::export]]
Rcpp::NumericVector core_effects_inverse(SEXP effects, const Rcpp::IntegerVector& row,
                                         const Rcpp::IntegerVector& column) {
  EffectsPointer pointer(effects);
  Rcpp::NumericVector result(row.size());
  for (R_xlen_t i = 0; i < row.size(); ++i) result[i] = pointer->system().inverse(row[i] - 1, column[i] - 1);
  return result;
}

// x'C^-1 x for each row x, of sparse entries whose columns may repeat.
// [[Rcpp::export]]
Rcpp::NumericVector core_effects_forms(SEXP effects, const Rcpp::IntegerMatrix& column,
                                       const Rcpp::NumericMatrix& value, const Rcpp::List& context) {
  EffectsPointer pointer(effects);
  const std::vector<int> columns = zero_based_row_major(column);
  const std::vector<double> values = row_major(value);
  const int width = column.ncol();
  std::vector<double> forms(column.nrow());
  parallel_for(run_context(context), Index(forms.size()), [&](Index i) {
    std::vector<std::pair<int, double>> entries;
    for (int s = 0; s < width; ++s) {
      if (columns[i * width + s] >= pointer->effects()) throw neargp::Error("A column of effects does not exist.");
      if (columns[i * width + s] >= 0) entries.emplace_back(columns[i * width + s], values[i * width + s]);
    }
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<int> own;
    std::vector<double> x;
    for (const auto& [column, entry] : entries) {
      if (!own.empty() && own.back() == column) {
        x.back() += entry;
      } else {
        own.push_back(column);
        x.push_back(entry);
      }
    }
    forms[i] = pointer->system().inverse_form(own.data(), x.data(), int(own.size()));
  });
  return Rcpp::wrap(forms);
}
