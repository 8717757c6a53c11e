// The gradient of the evidence bound, as fit() of a SparsePosterior returns it, and of Laplace's approximation.
//
// Field, trend and pseudo-observations are stationary, so that only the explicit dependence on weights and variances
// counts. The prior's part is P = -1/2 m'Qm + 1/2 log|Q| - 1/2 tr(Z Q). Let v_j = (a_j'm)^2 + a_j'Z a_j, and let N be
// the neighbours of node j. Then
//
//   dP / db_j = [a_j'm m_N + (Z a_j)_N] / f_j,   dP / df_j = -1/2 [1/f_j - v_j / f_j^2].
//
// Let g be the expected slope. The derivatives of the part D of data that interpolate are
//
//   dD / dc_i = g_i m_N - W_i (Z c_i)_N,   dD / dv_i = -W_i / 2.
//
// With random effects (effect_posterior.h) the covariance of field and linear predictor, Z c_i - H S d_i, replaces Z
// c_i.
//
// With a low-rank part (low_rank_prior.h) the field is r + A'w. The mean of r and its covariance matrix Z + G C^-1 G'
// then replace m and Z. Let m_w be the mean of w, and let g_j be the slope and W_j the precision of the data at node j.
// The derivative in the features A_j is g_j m_w - W_j C^-1 F_j.
//
// Laplace's value is not stationary in m, which maximises the log density alone, nor in the coefficients u of random
// effects. Let t = [A, C'WE; E'WC, E'WE + I]^-1 d(-1/2 log|A|)/d(m, u), where d log|A|/d eta_i = -s_i d3 log p. The
// covariance then gets in addition -t'dQ m, and the parameters of the likelihood get t'd(slopes). The derivative in A_j
// gets g_j t_w + [1/2 s_i d3 log p - W_i t_eta]_j m_w, where t_w is the part of t for the whitened field.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "latent/evidence_bound.h"
#include "latent/sparse_posterior.h"
#include "linalg/products.h"

namespace neargp {

namespace {

using Column = Eigen::Map<const Eigen::VectorXd>;

}  // namespace

LatentAdjoints prior_adjoints(const LatentModel& model, const std::vector<double>& mean,
                              const std::vector<double>& products, const std::vector<char>* own) {
  const int width = model.prior().k() + 1;
  LatentAdjoints adjoints;
  adjoints.node_weights.assign(std::size_t(model.nodes()) * (width - 1), 0.0);
  adjoints.node_variance.resize(model.nodes());
  for (Index j = 0; j < model.nodes(); ++j) {
    if (own && !(*own)[j]) continue;
    const int* member = model.prior_members().data() + j * width;
    const double* a = model.prior_vectors().data() + j * width;
    const double* za = products.data() + j * width;
    const double inverse_f = model.prior_scale()[j];
    double residual = 0.0, spread = 0.0;
    for (int m = 0; m < width && member[m] >= 0; ++m) {
      residual += a[m] * mean[member[m]];
      spread += a[m] * za[m];
    }
    double* bar = adjoints.node_weights.data() + j * (width - 1);
    for (int m = 1; m < width && member[m] >= 0; ++m) bar[m - 1] = (residual * mean[member[m]] + za[m]) * inverse_f;
    adjoints.node_variance[j] = -0.5 * inverse_f * (1.0 - (residual * residual + spread) * inverse_f);
  }
  return adjoints;
}

PosteriorGradient SparsePosterior::gradient(const RunContext& context) {
  const std::vector<double>& vectors = model_.prior_vectors();
  std::vector<double> products(vectors.size());
  factor_.multiply_cliques(0, vectors.data(), products.data(), context);
  if (model_.low_rank()) add_taken_products(factor_.low_rank().taken(*model_.low_rank()), products);
  if (effects_.count() > 0) add_taken_products(effects_.taken(), products);

  LatentAdjoints adjoints = prior_adjoints(model_, residual_of(state_.mean), products);
  if (model_.interpolates()) add_interpolation_terms(adjoints, context);
  if (model_.low_rank()) add_low_rank_terms(adjoints);

  PosteriorGradient result;
  result.likelihood = likelihood_gradient_;
  if (effects_.count() > 0) result.design = design_gradient();
  if (kind_ == PosteriorKind::laplace) add_laplace_terms(adjoints, result, context);
  result.covariance = model_.gradient(adjoints, context);
  return result;
}

void SparsePosterior::add_interpolation_terms(LatentAdjoints& adjoints, const RunContext& context) const {
  const DataWeights data = model_.interpolation();
  const int k = data.k();
  adjoints.data_weights.resize(data.weights().size());
  adjoints.data_variance.resize(data.targets());
  factor_.multiply_cliques(1, data.weights().data(), adjoints.data_weights.data(), context);
  for (Index i = 0; i < data.targets(); ++i) {
    const int* member = data.neighbors()[i];
    double* bar = adjoints.data_weights.data() + i * k;
    for (int m = 0; m < k; ++m) {
      if (member[m] < 0) {
        bar[m] = 0.0;
        continue;
      }
      const double covariance = bar[m] - effects_.explained(member[m], i);
      bar[m] = slope_[i] * state_.mean[member[m]] - state_.precision[i] * covariance;
    }
    adjoints.data_variance[i] = -0.5 * state_.precision[i];
  }
}

// The residual of a field after its low-rank part. Without a low-rank part it is the field.
std::vector<double> SparsePosterior::residual_of(const std::vector<double>& field) const {
  if (!model_.low_rank()) return field;
  const Eigen::MatrixXd residual = model_.low_rank()->split(Column(field.data(), model_.nodes())).residual;
  return {residual.data(), residual.data() + residual.size()};
}

// The derivative in row i of the design E of the random effects u is g_i u - W_i (D S)_i. Linear predictors and their
// variances depend on E.
Eigen::MatrixXd SparsePosterior::design_gradient() const {
  const Index n = response_.n();
  const int count = effects_.count();
  const Column u(state_.beta.data() + effects_.first(), count), slope(slope_.data(), n);
  const Column precision(state_.precision.data(), n);
  return slope * u.transpose() - precision.asDiagonal() * effects_.covariance_with_data();
}

// (T'T a_j) on the clique of each node: G C^-1 G' of a low-rank part, H S H' of random effects.
void SparsePosterior::add_taken_products(const Eigen::MatrixXd& taken, std::vector<double>& products) const {
  const int width = model_.prior().k() + 1;
  for (Index j = 0; j < model_.nodes(); ++j) {
    const int* member = model_.prior_members().data() + j * width;
    const double* a = model_.prior_vectors().data() + j * width;
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(taken.rows());
    for (int m = 0; m < width && member[m] >= 0; ++m) sum += a[m] * taken.col(member[m]);
    for (int m = 0; m < width && member[m] >= 0; ++m) products[j * width + m] += taken.col(member[m]).dot(sum);
  }
}

void SparsePosterior::add_low_rank_terms(LatentAdjoints& adjoints) const {
  const Index m = model_.nodes();
  std::vector<double> slope(m), precision(m);
  model_.sum_at_nodes(slope_.data(), slope.data());
  model_.sum_at_nodes(state_.precision.data(), precision.data());
  Eigen::MatrixXd covariance = factor_.low_rank().spread();  // C^-1 F'
  lower_transposed_solve(factor_.low_rank().lower(), covariance);
  const Eigen::VectorXd whitened = model_.low_rank()->split(Column(state_.mean.data(), m)).whitened;
  adjoints.node_features =
      whitened * Column(slope.data(), m).transpose() - covariance * Column(precision.data(), m).asDiagonal();
}

// `third`: 1/2 s d3 log p by datum.
void SparsePosterior::add_laplace_low_rank_terms(LatentAdjoints& adjoints, const std::vector<double>& t,
                                                 const std::vector<double>& t_at_data,
                                                 const std::vector<double>& third) const {
  const Index m = model_.nodes();
  std::vector<double> moved(third), slope(m), in_mean(m);
  for (std::size_t i = 0; i < moved.size(); ++i) moved[i] -= state_.precision[i] * t_at_data[i];
  model_.sum_at_nodes(slope_.data(), slope.data());
  model_.sum_at_nodes(moved.data(), in_mean.data());
  adjoints.node_features +=
      model_.low_rank()->split(Column(t.data(), m)).whitened * Column(slope.data(), m).transpose() +
      model_.low_rank()->split(Column(state_.mean.data(), m)).whitened * Column(in_mean.data(), m).transpose();
}

// Factor, inverse and variances at the mode.
double SparsePosterior::finish_laplace(const RunContext& context) {
  if (model_.interpolates()) throw Error("Laplace's approximation needs a node at every datum.");
  double value = evaluate(state_, context);
  if (*std::min_element(curvature_.begin(), curvature_.end()) < 0.0) value = approach_mode(value, context);
  state_.precision = curvature_;
  state_.find_natural_means(slope_);
  factorize_or_fall_back(context);
  factor_.find_inverse(context);
  if (!effects_.find(factor_, state_.precision, context))
    throw Error("The precision matrix of the random effects is not positive definite to working precision.");
  return laplace_evidence(value, model_, factor_) - 0.5 * effects_.log_det();
}

// Steps without the negative curvatures approach the mode linearly. The remaining distance enters log|A| as an error of
// the first order. A Newton step with all curvatures squares it. Returns the log density after that step, or at the old
// state if the step fails.
double SparsePosterior::approach_mode(double value, const RunContext& context) {
  PosteriorState newton = state_;
  newton.precision = curvature_;
  newton.find_natural_means(slope_);
  if (!factor_.factorize(newton.precision, context)) return evaluate(state_, context);
  move_mean(newton, context);
  const double gained = evaluate(newton, context);
  if (!(gained >= value)) return evaluate(state_, context);
  state_ = std::move(newton);
  return gained;
}

void SparsePosterior::add_laplace_terms(LatentAdjoints& adjoints, PosteriorGradient& gradient,
                                        const RunContext& context) {
  const int width = model_.prior().k() + 1;
  const TrendSystem system(model_, response_, centring(state_.precision), effects_.count(), factor_, state_.precision,
                           PosteriorFactor::precise, context);
  const auto [third, t, t_at_data] = laplace_move(system, context);
  const std::vector<double> residual_mean = residual_of(state_.mean), residual_t = residual_of(t.mean);

  for (Index j = 0; j < model_.nodes(); ++j) {
    const int* member = model_.prior_members().data() + j * width;
    const double* a = model_.prior_vectors().data() + j * width;
    const double inverse_f = model_.prior_scale()[j];
    double of_mean = 0.0, of_t = 0.0;
    for (int m = 0; m < width && member[m] >= 0; ++m) {
      of_mean += a[m] * residual_mean[member[m]];
      of_t += a[m] * residual_t[member[m]];
    }
    double* bar = adjoints.node_weights.data() + j * (width - 1);
    for (int m = 1; m < width && member[m] >= 0; ++m)
      bar[m - 1] += (of_mean * residual_t[member[m]] + of_t * residual_mean[member[m]]) * inverse_f;
    adjoints.node_variance[j] += of_t * of_mean * inverse_f * inverse_f;
  }

  if (model_.low_rank()) add_laplace_low_rank_terms(adjoints, t.mean, t_at_data, third);
  const std::vector<double> terms = laplace_likelihood_terms(t_at_data, context);
  for (std::size_t a = 0; a < terms.size(); ++a) gradient.likelihood[a] += terms[a];
  if (effects_.count() > 0) add_laplace_design_terms(t, t_at_data, third, gradient.design);
}

// The mode moves with the design, which adds t'd(gradient of the log density at the mode). The curvatures move with the
// linear predictors.
void SparsePosterior::add_laplace_design_terms(const TrendSystem::Direction& t, const std::vector<double>& t_at_data,
                                               const std::vector<double>& third, Eigen::MatrixXd& design) const {
  const Index n = response_.n();
  const int count = effects_.count();
  const Column u(state_.beta.data() + effects_.first(), count), t_u(t.beta.data() + effects_.first(), count);
  const Column slope(slope_.data(), n);
  Eigen::VectorXd moved(n);
  for (Index i = 0; i < n; ++i) moved[i] = third[i] - state_.precision[i] * t_at_data[i];
  design += slope * t_u.transpose() + moved * u.transpose();
}

// The derivatives of sum_i t_i slope_i - 1/2 s_i curvature_i, at fixed t and s, in the logarithm of each parameter of
// the likelihood. Central differences of the slopes and curvatures compute them, with a relative error of about 1e-10.
// Laplace's approximation is of one response.
std::vector<double> SparsePosterior::laplace_likelihood_terms(const std::vector<double>& at_data,
                                                              const RunContext& context) const {
  constexpr double step = 1e-4;
  const Index n = response_.n();
  const Likelihood& likelihood = likelihood_.responses()[0];
  const std::size_t kinds = likelihood.kinds(n);
  const std::vector<double> variance = total_variance();
  std::vector<double> slope(n), curvature(n), terms(likelihood_.parameters());
  for (std::size_t a = 0; a < kinds; ++a) {
    for (const double sign : {1.0, -1.0}) {
      const Likelihood moved = likelihood.with_parameter_times(a, kinds, std::exp(sign * step));
      expectations(moved, response_.observations(), state_.linear_predictor.data(), nullptr,
                   {nullptr, slope.data(), curvature.data(), nullptr}, nullptr, context);
      for (Index i = 0; i < n; ++i)
        terms[likelihood.place(i, a, kinds)] += sign * (at_data[i] * slope[i] - 0.5 * variance[i] * curvature[i]);
    }
  }
  for (double& term : terms) term /= 2.0 * step;
  return terms;
}

}  // namespace neargp
