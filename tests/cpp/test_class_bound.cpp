#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "inducing_fixtures.h"
#include "latent_reference.h"
#include "random/philox.h"
#include "variational/class_bound.h"

using namespace neargp;
using namespace fixtures;

namespace {

using Eigen::MatrixXd;

FamilyBoundSettings settings_of(BoundKind kind) {
  FamilyBoundSettings settings;
  settings.kind = kind;
  settings.jitter = 1e-4;
  settings.tolerance = 1e-11;
  settings.max_iterations = 500;
  return settings;
}

// The label is the class with the largest score, which is a smooth function of the location plus some noise.
struct LabelledRows {
  Cloud inducing, places;
  ClassLabels labels;
  std::vector<double> design;

  LabelledRows(int classes, int points, int n) : inducing(uniform_cloud(points, 2, 3)), places(uniform_cloud(n, 2, 4)) {
    const Philox random(8);
    labels.classes = classes;
    for (int i = 0; i < n; ++i) {
      const double* x = places.view()[i];
      std::vector<double> score;
      for (int c = 0; c < classes; ++c)
        score.push_back(std::sin(5.0 * x[0] + 2.0 * c) + std::cos(4.0 * x[1] * c) +
                        random.uniform(std::uint64_t(i * classes + c)));
      labels.label.push_back(int(std::max_element(score.begin(), score.end()) - score.begin()));
      labels.weights.push_back(i % 5 == 0 ? 2.0 : 1.0);
      design.insert(design.end(), {1.0, x[0] - 0.5});
    }
  }

  ClassBound at(const Covariance& covariance, const Cloud& points, const FamilyBoundSettings& settings,
                bool derivatives = false, const ClassPosterior& start = {}, int threads = 1) const {
    return class_bound(labels, design, 2, places.view(), points.view(), covariance, start, settings, derivatives,
                       with_threads(threads));
  }
};

}  // namespace

TEST_CASE("the gradient of the bound of classes is that of differences") {
  for (const BoundKind kind : {BoundKind::standard, BoundKind::tight}) {
    const LabelledRows problem(4, 7, 60);
    const Covariance covariance = latent_covariance(1.5, 0.3);
    const FamilyBoundSettings settings = settings_of(kind);
    const ClassBound bound = problem.at(covariance, problem.inducing, settings, true);
    REQUIRE(bound.failure == BoundFailure::none);
    CHECK(bound.converged);
    CHECK(difference(bound.gradient.positions, position_differences(problem.inducing, 1e-3, [&](const Cloud& at) {
                       return problem.at(covariance, at, settings).value;
                     })) < 2e-5);
    CHECK(difference(parameter_gradient(bound.gradient),
                     parameter_differences(covariance, 1e-3, [&](const Covariance& at) {
                       return problem.at(at, problem.inducing, settings).value;
                     })) < 2e-5);
  }
}

TEST_CASE("posteriors of classes are where their pseudo-observations are the labels' own, and sum to nothing") {
  const LabelledRows problem(3, 10, 80);
  const ClassBound bound = problem.at(latent_covariance(2.0, 0.3), problem.inducing, settings_of(BoundKind::tight));
  const MatrixXd variance = bound.unexplained * bound.end.unexplained_share.transpose() + bound.variance;
  MatrixXd slope, curvature;
  class_expectations(problem.labels, bound.linear_predictor, variance, slope, curvature, {});
  const MatrixXd pulled = bound.end.natural - bound.end.precision.cwiseProduct(bound.linear_predictor);
  CHECK((slope - pulled).cwiseAbs().maxCoeff() < 1e-5);
  CHECK((curvature - bound.end.precision).cwiseAbs().maxCoeff() < 1e-5);
  CHECK(bound.linear_predictor.rowwise().sum().cwiseAbs().maxCoeff() < 1e-8);
  CHECK((bound.fields[0].beta + bound.fields[1].beta + bound.fields[2].beta).cwiseAbs().maxCoeff() < 1e-8);
}

// With large variances full steps overshoot in one direction and creep in others. Steps by halves did not settle within
// 200.
TEST_CASE("the search for the posterior of classes settles where full steps overshoot") {
  const LabelledRows problem(3, 30, 300);
  FamilyBoundSettings settings = settings_of(BoundKind::tight);
  settings.tolerance = 1e-7;
  settings.max_iterations = 60;
  const ClassBound bound = problem.at(latent_covariance(100.0, 0.2), problem.inducing, settings);
  REQUIRE(bound.failure == BoundFailure::none);
  CHECK(bound.converged);
  const MatrixXd variance = bound.unexplained * bound.end.unexplained_share.transpose() + bound.variance;
  MatrixXd slope, curvature;
  class_expectations(problem.labels, bound.linear_predictor, variance, slope, curvature, {});
  CHECK(variance.cwiseProduct(curvature - bound.end.precision).cwiseAbs().maxCoeff() < 1e-3);
}

TEST_CASE("the bound of classes is the same whatever their numbers") {
  LabelledRows problem(4, 8, 80);
  const Covariance covariance = latent_covariance(1.5, 0.3);
  for (const ClassLink link : {ClassLink::softmax, ClassLink::robust_max}) {
    CAPTURE(int(link));
    problem.labels.link = link;
    FamilyBoundSettings settings = settings_of(BoundKind::tight);
    settings.max_iterations = link == ClassLink::softmax ? 500 : 10;
    const ClassBound first = problem.at(covariance, problem.inducing, settings);
    LabelledRows other = problem;
    for (int& label : other.labels.label) label = 3 - label;
    const ClassBound second = other.at(covariance, problem.inducing, settings);
    CHECK(second.value == doctest::Approx(first.value).epsilon(1e-10));
    CHECK(difference(second.linear_predictor.rowwise().reverse(), first.linear_predictor) < 1e-6);
  }
}

TEST_CASE("a search for the posterior of classes that begins where one has ended takes no more than a step") {
  const LabelledRows problem(4, 8, 80);
  const Covariance covariance = latent_covariance(1.5, 0.3);
  const FamilyBoundSettings settings = settings_of(BoundKind::tight);
  const ClassBound first = problem.at(covariance, problem.inducing, settings);
  CHECK(first.iterations > 2);
  const ClassBound again = problem.at(covariance, problem.inducing, settings, false, first.end);
  CHECK(again.iterations <= 1);
  CHECK(again.value == doctest::Approx(first.value).epsilon(1e-12));
}

TEST_CASE("by robust-max the bound rises with each step and does not depend on the scale of the fields") {
  LabelledRows problem(3, 12, 90);
  problem.labels.link = ClassLink::robust_max;
  FamilyBoundSettings settings = settings_of(BoundKind::standard);
  double last = -INFINITY;
  for (const int steps : {1, 4, 16, 64}) {
    settings.max_iterations = steps;
    const double value = problem.at(latent_covariance(1.0, 0.3), problem.inducing, settings).value;
    CHECK(value >= last);
    last = value;
  }
  settings.max_iterations = 2000;
  settings.tolerance = 1e-9;
  const ClassBound one = problem.at(latent_covariance(1.0, 0.3), problem.inducing, settings);
  ClassPosterior scaled = one.end;  // f twice as large: precisions a quarter, natural means a half
  scaled.precision /= 4.0;
  scaled.natural /= 2.0;
  const ClassBound four = problem.at(latent_covariance(4.0, 0.3), problem.inducing, settings, false, scaled);
  CHECK(four.value == doctest::Approx(one.value).epsilon(1e-6));
}

TEST_CASE("chunks of the bound of classes change nothing but the order of sums, threads nothing at all") {
  const LabelledRows problem(3, 9, 300);
  const Covariance covariance = latent_covariance(1.5, 0.2);
  FamilyBoundSettings settings = settings_of(BoundKind::tight);
  const ClassBound whole = problem.at(covariance, problem.inducing, settings, true);
  settings.chunk_rows = 7;
  const ClassBound one = problem.at(covariance, problem.inducing, settings, true);
  CHECK(one.value == doctest::Approx(whole.value).epsilon(1e-10));
  CHECK(difference(one.gradient.positions, whole.gradient.positions) < 1e-6);
  for (const int threads : {2, 4}) {
    const ClassBound many = problem.at(covariance, problem.inducing, settings, true, {}, threads);
    CHECK(many.value == one.value);
    CHECK(many.linear_predictor == one.linear_predictor);
    CHECK(many.gradient.positions == one.gradient.positions);
    CHECK(many.gradient.parameters == one.gradient.parameters);
  }
}

TEST_CASE("a start or a design of other rows is an error") {
  LabelledRows problem(3, 5, 20);
  const Covariance covariance = latent_covariance(1.0, 0.3);
  const FamilyBoundSettings settings;
  ClassPosterior start{MatrixXd::Ones(20, 2), MatrixXd::Ones(20, 2), Eigen::VectorXd::Ones(2)};
  CHECK_THROWS(problem.at(covariance, problem.inducing, settings, false, start));
  problem.design.pop_back();
  CHECK_THROWS(problem.at(covariance, problem.inducing, settings));
}
