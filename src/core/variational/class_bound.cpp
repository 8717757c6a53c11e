#include "variational/class_bound.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "variational/anderson_mixing.h"
#include "variational/class_means.h"
#include "variational/inducing_posterior.h"
#include "variational/posterior_adjoint.h"
#include "variational/sum_rows.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Posteriors given pseudo-observations, and the expectations of the labels under them.
struct ClassState {
  ClassPosterior given;
  double value = -INFINITY;
  std::vector<InducingPosterior> fields;
  MatrixXd linear_predictor, variance;  // variance: A_i'S_c A_i
  MatrixXd slope, curvature;
};

// Each row less its mean.
MatrixXd contrasts(const MatrixXd& matrix) { return matrix.colwise() - matrix.rowwise().mean().eval(); }

class ClassSearch {
 public:
  ClassSearch(const ClassLabels& labels, const std::vector<double>& design, int coefficients, Points coords,
              const InducingFactor& factor, const FamilyBoundSettings& settings, const RunContext& context)
      : labels_(labels), design_(design.data(), coords.n, coefficients), coords_(coords), factor_(factor),
        settings_(settings), context_(context),
        regression_(factor, coords, design.data(), coefficients, settings.chunk_rows, context) {}

  ClassBound run(ClassPosterior start, bool derivatives) {
    ClassBound bound;
    const bool rough = start.precision.size() == 0;
    ClassState best;
    best.given = rough ? at_labels() : std::move(start);
    bound.failure = evaluate(best);
    // Pseudo-observations of an earlier covariance can be too negative here, unless the likelihood is log-concave.
    if (bound.failure == BoundFailure::posterior && best.given.precision.minCoeff() < 0.0) {
      best.given.precision = best.given.precision.cwiseMax(0.0);
      bound.failure = evaluate(best);
    }
    if (bound.failure != BoundFailure::none) return bound;
    if (rough && labels_.link == ClassLink::robust_max) climb(best, bound, true);
    climb(best, bound, false);
    finish(best, derivatives, bound);
    return bound;
  }

 private:
  // Starts from means that favour the labels, with unit variance.
  ClassPosterior at_labels() const {
    const Index n = coords_.n, classes = labels_.classes;
    MatrixXd mean = MatrixXd::Constant(n, classes, -2.0 / double(classes));
    for (Index i = 0; i < n; ++i) mean(i, labels_.label[i]) += 2.0;
    MatrixXd slope, curvature;
    class_expectations(labels_, mean, MatrixXd::Ones(n, classes), slope, curvature, context_);
    const MatrixXd precision = curvature.cwiseAbs();
    return {precision, precision.cwiseProduct(mean) + slope, VectorXd::Ones(classes)};
  }

  // `rough`: uses the absolute values of curvatures, and ends when a step gains almost nothing. Where the likelihood is
  // not log-concave, the path from the labels leads through negative curvatures, which slow it down.
  //
  // Once a step was too long or there were many, the next ones mix the steps before. Steps that overshoot in one
  // direction and creep in another would go on by halves, with a failure before each.
  void climb(ClassState& best, ClassBound& bound, bool rough) {
    constexpr int many = 12;
    const double tolerance = rough ? 1e-3 * double(coords_.n) : settings_.tolerance;
    AndersonMixing mixing(5);
    bool mixes = false;
    bound.converged = false;
    for (double share = 1.0; bound.iterations < settings_.max_iterations && !bound.converged; ++bound.iterations) {
      if (context_.check_interrupt) context_.check_interrupt();
      const bool mixed = mixing.ready();
      ClassState tried;
      tried.given = mixed ? mixed_step(best, mixing) : part_of_step(best, share, rough);
      const bool possible = evaluate(tried) == BoundFailure::none;
      const double gain = possible ? tried.value - best.value : -INFINITY;
      const bool too_long = !(gain > -settings_.tolerance);
      if (!mixes && labels_.link == ClassLink::softmax && (too_long || bound.iterations == many)) {
        mixes = true;
        mixing.add(mixed_part(best.given), step_of(best));
      }
      if (too_long && mixed) {
        mixing.restart();
      } else if (too_long) {
        // Take a smaller part of the same step. Where a part of 2^-12 brings no gain, the difference is rounding.
        share *= 0.5;
        bound.converged = rough || share < 2.5e-4;
      } else {
        best = std::move(tried);
        bound.converged = std::abs(gain) < tolerance && (rough || mixed || share == 1.0);
        if (mixed || !mixes) share = std::min(1.0, 2.0 * share);
        if (mixes) mixing.add(mixed_part(best.given), step_of(best));
      }
    }
  }

  void finish(const ClassState& best, bool derivatives, ClassBound& bound) const {
    bound.value = best.value;
    bound.end = best.given;
    for (const InducingPosterior& field : best.fields)
      bound.fields.push_back({field.beta, field.beta_covariance, field.weights, field.factor});
    bound.linear_predictor = best.linear_predictor;
    bound.slope = best.slope;
    bound.variance = best.variance;
    bound.unexplained = regression_.unexplained();
    if (derivatives) bound.gradient = gradient(best);
  }

  double places() const { return double(settings_.places > 0 ? settings_.places : coords_.n); }

  // A step of size one leads to the share v = 1 / (1 + ratio).
  VectorXd share_ratio(const MatrixXd& curvature) const {
    if (settings_.kind == BoundKind::standard) return VectorXd::Zero(curvature.cols());
    return (curvature.transpose() * regression_.unexplained() / places()).cwiseMax(0.0);
  }

  // Under softmax, the means follow from precisions and shares. These are what steps change: W above 1/v.
  VectorXd mixed_part(const MatrixXd& precision, const VectorXd& inverse) const {
    VectorXd result(precision.size() + inverse.size());
    result << Eigen::Map<const VectorXd>(precision.data(), precision.size()), inverse;
    return result;
  }
  VectorXd mixed_part(const ClassPosterior& given) const {
    return mixed_part(given.precision, given.unexplained_share.cwiseInverse());
  }
  VectorXd step_of(const ClassState& at) const {
    return mixed_part(at.curvature, share_ratio(at.curvature) + VectorXd::Ones(labels_.classes)) - mixed_part(at.given);
  }

  // Weights by the curvature of the divergences: 1/4 sum s^2 dW^2, and u/4 (v d(1/v))^2.
  ClassPosterior mixed_step(const ClassState& at, const AndersonMixing& mixing) const {
    const VectorXd point = mixing.next(mixed_part(at.variance, std::sqrt(places()) * at.given.unexplained_share));
    ClassPosterior moved;
    moved.precision = Eigen::Map<const MatrixXd>(point.data(), at.variance.rows(), at.variance.cols());
    moved.natural = moved.precision.cwiseProduct(at.linear_predictor) + at.slope;
    moved.unexplained_share = point.tail(labels_.classes).cwiseMax(1.0).cwiseInverse();
    return moved;
  }

  ClassPosterior part_of_step(const ClassState& at, double share, bool rough) const {
    ClassPosterior moved = at.given;
    const MatrixXd curvature = rough ? MatrixXd(at.curvature.cwiseAbs()) : at.curvature;
    const MatrixXd pulled = at.given.natural - at.given.precision.cwiseProduct(at.linear_predictor);
    moved.precision += share * (curvature - moved.precision);
    moved.natural = moved.precision.cwiseProduct(at.linear_predictor) + pulled + share * (at.slope - pulled);
    const VectorXd inverse = moved.unexplained_share.cwiseInverse();
    const VectorXd change = share_ratio(curvature) - inverse + VectorXd::Ones(inverse.size());
    moved.unexplained_share = (inverse + share * change).cwiseInverse();
    return moved;
  }

  BoundFailure evaluate(ClassState& at) const {
    const Index classes = labels_.classes;
    at.fields.assign(std::size_t(classes), {});
    at.linear_predictor.resize(coords_.n, classes);
    at.variance.resize(coords_.n, classes);
    for (Index c = 0; c < classes; ++c) {
      InducingPosterior& field = at.fields[c];
      const BoundFailure failure = regression_.solve(at.given.precision.col(c), at.given.natural.col(c), field);
      if (failure != BoundFailure::none) return failure;
      VectorXd mean = design_ * field.beta, variance;
      regression_.add_moments(field, mean, variance);
      at.linear_predictor.col(c) = mean;
      at.variance.col(c) = variance;
    }
    remove_common_part(at);
    const double expected = expect(at);
    at.value = expected - divergences(at);
    return std::isfinite(at.value) ? BoundFailure::none : BoundFailure::posterior;
  }

  // Centres means, trends and pseudo-observations. They remain consistent, as m_c = A q_c and X'q_c = 0 are linear.
  void remove_common_part(ClassState& at) const {
    const MatrixXd pulled = at.given.natural - at.given.precision.cwiseProduct(at.linear_predictor);
    at.linear_predictor = contrasts(at.linear_predictor);
    at.given.natural = at.given.precision.cwiseProduct(at.linear_predictor) + contrasts(pulled);
    set_coefficients(contrasts(coefficients(at)), at);
  }

  // The m_c above the beta_c, a column for each class.
  MatrixXd coefficients(const ClassState& at) const {
    MatrixXd result(regression_.inducing() + design_.cols(), labels_.classes);
    for (Index c = 0; c < result.cols(); ++c) result.col(c) << at.fields[c].mean, at.fields[c].beta;
    return result;
  }

  void set_coefficients(const MatrixXd& coefficients, ClassState& at) const {
    for (Index c = 0; c < coefficients.cols(); ++c) {
      InducingPosterior& field = at.fields[c];
      field.mean = coefficients.col(c).head(regression_.inducing());
      field.beta = coefficients.col(c).tail(design_.cols());
      field.weights.col(0) = field.mean + field.weights.rightCols(design_.cols()) * field.beta;
    }
  }

  // The terms of the labels at the means, which softmax first moves to their optimum.
  double expect(ClassState& at) const {
    const MatrixXd variance = regression_.unexplained() * at.given.unexplained_share.transpose() + at.variance;
    ClassMeans means{coefficients(at), at.linear_predictor, {}, {}, 0.0};
    means.expected =
        class_expectations(labels_, means.linear_predictor, variance, means.slope, means.curvature, context_);
    if (labels_.link == ClassLink::softmax) {
      raise_means(labels_, regression_, at.fields, variance, 0.1 * settings_.tolerance, context_, means);
      set_coefficients(means.coefficients, at);
      at.given.natural = at.given.precision.cwiseProduct(means.linear_predictor) + means.slope;
    }
    at.linear_predictor = std::move(means.linear_predictor);
    at.slope = std::move(means.slope);
    at.curvature = std::move(means.curvature);
    return means.expected;
  }

  double divergences(const ClassState& at) const {
    double sum = 0.0;
    for (std::size_t c = 0; c < at.fields.size(); ++c) {
      const double v = at.given.unexplained_share[Index(c)];
      sum += divergence(at.fields[c].mean, at.fields[c].covariance(), at.fields[c].factor) +
             0.5 * places() * (v - 1.0 - std::log(v));
    }
    return sum;
  }

  // The gradient at the optimum, where A dE/df_c = m_c.
  InducingGradient gradient(const ClassState& at) const {
    const Index m = regression_.inducing();
    const MatrixXd means = coefficients(at).topRows(m);
    MatrixXd covariance = MatrixXd::Zero(m, m), gram = covariance;
    std::vector<MatrixXd> covariances;
    for (std::size_t c = 0; c < at.fields.size(); ++c) {
      covariances.push_back(at.fields[c].covariance());
      covariance += covariances.back();
      gram += at.given.unexplained_share[Index(c)] * at.fields[c].gram;
    }
    const PosteriorAdjoint posterior(factor_, means, std::move(covariances), at.given.unexplained_share);
    InducingGradient gradient =
        sum_rows(coords_.n, settings_.chunk_rows, m * coords_.dim, context_, factor_.points().zero_gradient(),
                 [&](Index first, Index last, InducingGradient& sum) {
                   MatrixXd slope = at.slope.middleRows(first, last - first);
                   posterior.add_rows(
                       {coords_[first], last - first, coords_.dim}, at.curvature.middleRows(first, last - first),
                       [&](const MatrixXd&) { return slope; }, sum);
                 });
    add_prior_adjoint(factor_, means, covariance, gram, gradient, labels_.classes);
    return gradient;
  }

  const ClassLabels& labels_;
  Eigen::Map<const RowMajor> design_;
  Points coords_;
  const InducingFactor& factor_;
  const FamilyBoundSettings& settings_;
  const RunContext& context_;
  InducingRegression regression_;
};

void check_class_rows(const ClassLabels& labels, const std::vector<double>& design, int coefficients, Index n,
                      const ClassPosterior& start) {
  check_labels(labels);
  if (labels.n() != n || Index(design.size()) != n * coefficients)
    throw Error("There must be one label and one row of the design for each row of the coordinates.");
  const auto fits = [&](const MatrixXd& x) { return x.size() == 0 || (x.rows() == n && x.cols() == labels.classes); };
  if (!fits(start.precision) || !fits(start.natural) || start.natural.size() != start.precision.size() ||
      (start.precision.size() > 0 && start.unexplained_share.size() != labels.classes))
    throw Error("A start must have a pseudo-observation of each class for each row.");
}

}  // namespace

ClassBound class_bound(const ClassLabels& labels, const std::vector<double>& design, int coefficients, Points coords,
                       Points inducing, const Covariance& covariance, ClassPosterior start,
                       const FamilyBoundSettings& settings, bool derivatives, const RunContext& context) {
  check_class_rows(labels, design, coefficients, coords.n, start);
  const PreparedCovariance prepared = prepare(covariance, coords.dim, derivatives);
  const InducingPoints points(prepared, inducing);
  const InducingFactor factor(points, settings.jitter, derivatives);
  ClassBound bound;
  if (factor.regular())
    bound =
        ClassSearch(labels, design, coefficients, coords, factor, settings, context).run(std::move(start), derivatives);
  else
    bound.failure = BoundFailure::prior;
  if (bound.failure != BoundFailure::none)
    bound.value = -INFINITY;
  else if (derivatives)
    bound.gradient.parameters = active_part(std::move(bound.gradient.parameters), covariance);
  return bound;
}

}  // namespace neargp
