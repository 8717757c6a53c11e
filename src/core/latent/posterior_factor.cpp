#include "latent/posterior_factor.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "latent/latent_solve.h"
#include "linalg/sparse/exact_cholesky.h"
#include "linalg/sparse/incomplete_cholesky.h"
#include "linalg/sparse/mean_field_factor.h"
#include "parallel/parallel_for.h"

namespace neargp {

namespace {

constexpr Index most_nodes_for_exact = 5000;
// For binary responses at 1,500 points in two and five coordinates, with Matérn fields of smoothness 1/2 to 5/2, the
// error was at most 0.04. With 0.05 to 0.12 values were wrong by up to 6 units (smoothness 5/2, 400 points in 20
// coordinates).
constexpr double most_factor_error = 0.05;

double dot(const std::vector<double>& x, const std::vector<double>& y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}

constexpr int most_iterations = 200;  // of conjugate gradients

void throw_not_converged() {
  throw Error("The conjugate gradients for the posterior mean did not converge: raise the jitter.");
}

bool are_positive(const std::vector<double>& x) { return *std::min_element(x.begin(), x.end()) > 0.0; }

void assign_prior(const LatentModel& model, const SparsePattern& pattern, std::vector<double>& values) {
  values.assign(pattern.length(), 0.0);
  pattern.add_outer_products(0, model.prior_vectors().data(), model.prior_scale().data(), values.data());
}

}  // namespace

PosteriorFactor::PosteriorFactor(const LatentModel& model, PosteriorKind kind, FactorSettings settings,
                                 const RunContext& context)
    : model_(model), kind_(kind), exact_(settings.exact), may_be_exact_(settings.may_be_exact),
      pattern_(make_pattern(settings.most_bytes, context)), factor_(make_factor()), inverse_(pattern_.length()),
      variance_(model.data()) {}

// Several fields are unknowns of a location, up to as many as there is code for. An exact factor, and more fields, need
// a node for each field at a location.
SparsePattern PosteriorFactor::make_pattern(double most_bytes, const RunContext& context) const {
  if (exact_) most_bytes = std::numeric_limits<double>::infinity();
  if (exact_ || !model_.loadings() || model_.fields() > most_unknowns)
    return SparsePattern(model_.nodes(), model_.order(), model_.cliques(), context, most_bytes);
  return SparsePattern(model_.places(), model_.order_of_places(), model_.cliques_of_places(), context, most_bytes,
                       model_.fields());
}

std::unique_ptr<SparseFactor> PosteriorFactor::make_factor() const {
  std::unique_ptr<SparseFactor> factor;
  if (exact_) {
    factor = exact_factor(pattern_);
  } else {
    factor = incomplete_factor(pattern_);
  }
  if (kind_ != PosteriorKind::mean_field) return factor;
  return std::make_unique<MeanFieldFactor>(pattern_, std::move(factor));
}

// Q, the same for all pseudo-observations. It is kept for one field. For several fields it would take a fifth of the
// memory, and its sums take 3% of the time of a fit.
void PosteriorFactor::set_prior() {
  if (prior_revision_ == model_.revision()) return;
  prior_revision_ = model_.revision();
  factorized_.clear();
  if (!model_.loadings()) assign_prior(model_, pattern_, prior_values_);
}

// Nothing is done if the factor is already that of these pseudo-observations. For a Gaussian response that holds in all
// but the first step. A is made where its inverse will be.
bool PosteriorFactor::factorize(const std::vector<double>& precision, const RunContext& context) {
  if (precision == factorized_) return true;
  factorized_.clear();
  std::vector<double>& values = inverse_;
  if (model_.loadings()) {
    assign_prior(model_, pattern_, values);
  } else {
    values = prior_values_;
  }
  if (model_.interpolates()) {
    pattern_.add_joint_outer_products(1, model_.interpolation().weights().data(), precision.data(), values.data());
  } else {
    std::vector<double> at_nodes(model_.nodes());
    model_.sum_at_nodes(precision.data(), at_nodes.data());
    pattern_.add_diagonal(at_nodes.data(), values.data());
  }
  if (!factor_->factorize(values.data(), context)) return false;
  if (kind_ != PosteriorKind::laplace) {
    factor_->inverse(inverse_.data(), context);
    if (!model_.low_rank() && !find_variances(context)) return false;
  }
  // An area with little noise couples its points by more than the prior does, and fill of its clique then matters.
  const bool has_areas = model_.loadings() && model_.loadings()->locations_of_row() > 1;
  const bool checked = !exact_ && kind_ != PosteriorKind::mean_field && (can_be_exact() || has_areas);
  if (checked && relative_error(precision, context) > most_factor_error) return false;
  factorized_ = precision;
  if (factorize_low_rank(context)) return true;
  factorized_.clear();
  return false;
}

// Variances come last, for they are of both parts.
bool PosteriorFactor::factorize_low_rank(const RunContext& context) {
  if (!model_.low_rank()) return true;
  constexpr double tolerance = 1e-8;
  std::vector<double> at_nodes(model_.nodes());
  model_.sum_at_nodes(factorized_.data(), at_nodes.data());
  const auto solve = [&](Eigen::MatrixXd& columns) { solve_residual(columns, tolerance); };
  if (!low_rank_.update(*model_.low_rank(), at_nodes, solve, context)) return false;
  return kind_ == PosteriorKind::laplace || find_variances(context);
}

double PosteriorFactor::log_det() const {
  if (!model_.low_rank()) return factor_->log_det();
  return factor_->log_det() + low_rank_.log_det() - model_.low_rank()->log_det_inner();
}

void PosteriorFactor::find_inverse(const RunContext& context) {
  factor_->inverse(inverse_.data(), context);
  find_variances(context);
}

void PosteriorFactor::become_exact(const RunContext& context) {
  exact_ = true;
  factorized_.clear();
  if (pattern_.unknowns() > 1) {
    pattern_ = make_pattern(0.0, context);
    inverse_.resize(pattern_.length());
    prior_revision_ = 0;
  }
  factor_ = make_factor();
  set_prior();
}

bool PosteriorFactor::can_be_exact() const {
  return may_be_exact_ && !pattern_.is_restricted() && model_.nodes() <= most_nodes_for_exact;
}

// dA is a diagonal for data at nodes. For several fields it is a block for each location, if each datum is at one.
double PosteriorFactor::gain_of_change(const std::vector<double>& change) const {
  if (!model_.interpolates()) {
    std::vector<double> at_nodes(model_.nodes());
    model_.sum_at_nodes(change.data(), at_nodes.data());
    return 0.5 * pattern_.squared_form(inverse_.data(), at_nodes.data());
  }
  if (pattern_.unknowns() != model_.fields() || model_.loadings()->locations_of_row() > 1)
    return std::numeric_limits<double>::infinity();
  return 0.5 * pattern_.squared_form(inverse_.data(), model_.loadings()->at_locations(change).data());
}

// All pivots may be positive although the factor M = LL' is nowhere near A. For a smooth field in many dimensions
// values have been wrong by thousands. Returns the error of M^-1 h, for a vector h of signs, in the norm of M^-1. It is
// 0 for an exact factor, and otherwise nearly the error of the largest variances.
double PosteriorFactor::relative_error(const std::vector<double>& precision, const RunContext& context) const {
  constexpr double golden = 0.6180339887498949;
  std::vector<double> h(model_.nodes());
  for (std::size_t j = 0; j < h.size(); ++j) h[j] = std::fmod(golden * double(j), 1.0) < 0.5 ? 1.0 : -1.0;
  std::vector<double> solved = h;
  factor_->solve(solved.data(), 1, context);
  std::vector<double> residual = posterior_precision_times(model_, precision, solved);
  for (std::size_t j = 0; j < h.size(); ++j) residual[j] -= h[j];
  std::vector<double> error = residual;
  factor_->solve(error.data(), 1, context);
  return std::sqrt(dot(residual, error) / dot(h, solved));
}

// s_i = v_i + c_i'Z c_i. Returns whether all are positive.
bool PosteriorFactor::find_variances(const RunContext& context) {
  if (!model_.interpolates()) {
    model_.field_at_data(node_variance().data(), variance_.data());
    return are_positive(variance_);
  }
  const DataWeights data = model_.interpolation();
  std::vector<double> products(data.weights().size());
  pattern_.multiply_joint_cliques(1, inverse_.data(), data.weights().data(), products.data(), context);
  for (Index i = 0; i < data.targets(); ++i)
    variance_[i] = data.variance()[i] +
                   std::inner_product(data.weights(i), data.weights(i) + data.k(), products.data() + i * data.k(), 0.0);
  // All loadings of a response may be 0.
  return are_positive(variance_) || (model_.loadings() && *std::min_element(variance_.begin(), variance_.end()) >= 0.0);
}

std::vector<double> PosteriorFactor::node_variance() const {
  std::vector<double> variance(model_.nodes());
  pattern_.diagonal(inverse_.data(), variance.data());
  if (!model_.low_rank()) return variance;
  const Eigen::VectorXd added = low_rank_.variance();
  for (std::size_t j = 0; j < variance.size(); ++j) variance[j] += added[Index(j)];
  return variance;
}

std::vector<double> PosteriorFactor::solve_residual(const std::vector<double>& h, double tolerance,
                                                    const RunContext& context) const {
  const auto precondition = [&](std::vector<double> x) {
    factor_->solve(x.data(), 1, context);
    return x;
  };
  LinearSolution solution = conjugate_gradient(
      [&](const std::vector<double>& x) { return posterior_precision_times(model_, factorized_, x); }, precondition, h,
      tolerance, most_iterations, context);
  if (!solution.converged) throw_not_converged();
  return std::move(solution.x);
}

void PosteriorFactor::solve_residual(Eigen::MatrixXd& columns, double tolerance, const Eigen::MatrixXd& guess,
                                     Eigen::MatrixXd* left) const {
  const RunContext serial;
  const auto multiply = [&](const std::vector<double>& x) { return posterior_precision_times(model_, factorized_, x); };
  const auto precondition = [&](double* x, int count) { factor_->solve(x, count, serial); };
  if (!conjugate_gradients(multiply, precondition, columns, tolerance, most_iterations, guess, left))
    throw_not_converged();
}

std::vector<double> PosteriorFactor::solve(const std::vector<double>& h, const RunContext& context) const {
  std::vector<double> x = solve_residual(h, precise, context);
  if (model_.low_rank()) low_rank_.add_solved(h.data(), x.data());
  return x;
}

void PosteriorFactor::solve_columns(std::vector<double>& columns, double tolerance, const RunContext& context) const {
  const std::size_t m = std::size_t(model_.nodes());
  if (tolerance == by_factor) {
    const std::vector<double> h = columns;
    factor_->solve(columns.data(), int(columns.size() / m), context);
    for (std::size_t first = 0; model_.low_rank() && first < columns.size(); first += m)
      low_rank_.add_solved(h.data() + first, columns.data() + first);
    return;
  }
  if (model_.loadings()) {
    solve_near(columns, {}, tolerance, context);
    return;
  }
  // The factor is read once for as many columns as it solves together; what is left is solved one by one.
  const Index count = Index(columns.size() / m), blocks = count / SparseFactor::together;
  const Index left = count % SparseFactor::together;
  const RunContext serial;
  parallel_for(context, blocks + left, [&](Index part) {
    const bool single = part >= blocks;
    const Index first = single ? blocks * SparseFactor::together + part - blocks : part * SparseFactor::together;
    double* at = columns.data() + std::size_t(first) * m;
    if (!single) return solve_block(at, SparseFactor::together, tolerance);
    const std::vector<double> solved = solve({at, at + m}, serial);
    std::copy(solved.begin(), solved.end(), at);
  });
}

std::vector<double> PosteriorFactor::solve_near(std::vector<double>& columns, const std::vector<double>& guess,
                                                double tolerance, const RunContext& context) const {
  constexpr Index together = SparseFactor::together;
  const Index m = model_.nodes(), count = Index(columns.size()) / m, guessed = Index(guess.size()) / m;
  std::vector<double> left(columns.size());
  parallel_for(context, (count + together - 1) / together, [&](Index part) {
    const Index first = part * together, own = std::min(together, count - first);
    const Index known = std::min(std::max<Index>(guessed - first, 0), own);
    const Eigen::MatrixXd start = Eigen::Map<const Eigen::MatrixXd>(guess.data() + first * m, m, known);
    solve_block(columns.data() + first * m, own, tolerance, start, left.data() + first * m);
  });
  return left;
}

void PosteriorFactor::solve_block(double* columns, Index count, double tolerance, const Eigen::MatrixXd& guess,
                                  double* left) const {
  Eigen::Map<Eigen::MatrixXd> h(columns, model_.nodes(), count);
  Eigen::MatrixXd solved = h, residual;
  solve_residual(solved, tolerance, guess, left ? &residual : nullptr);
  if (left) std::copy(residual.data(), residual.data() + residual.size(), left);
  for (Index c = 0; model_.low_rank() && c < h.cols(); ++c) low_rank_.add_solved(h.col(c).data(), solved.col(c).data());
  h = solved;
}

}  // namespace neargp
