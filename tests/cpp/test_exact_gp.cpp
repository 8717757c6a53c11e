#include <doctest/doctest.h>

#include "core_fixtures.h"
#include "covariance/covariance_matrix.h"
#include "response/exact_gp.h"

using namespace neargp;
using namespace fixtures;

namespace {

std::vector<int> all_rows(int n) {
  std::vector<int> rows(n);
  for (int i = 0; i < n; ++i) rows[i] = i;
  return rows;
}

}  // namespace

TEST_CASE("every covariance: likelihood, gradient and information of the dense model") {
  for (const Model& model : all_models()) {
    CAPTURE(model.name);
    const Data data(uniform_cloud(17, model.dim), 3);
    const reference::Sums expected = reference::JointDensity(data.view(), model.covariance).of(all_rows(17));
    const LikelihoodSums sums = exact_sums(data.view(), model.covariance, true, RunContext{});
    check_values(sums, expected);
    check_derivatives(sums, expected);
    check_values(exact_sums(data.view(), model.covariance, false, RunContext{}), expected);
  }
}

TEST_CASE("a derivative that is not wanted is zero") {
  const Data data(uniform_cloud(12, 2), 2);
  Covariance covariance = structures().back().covariance;
  const int p = covariance.parameters();
  const LikelihoodSums all = exact_sums(data.view(), covariance, true, RunContext{});
  for (int off = 0; off < p; ++off) {
    covariance.active.assign(std::size_t(p), 1);
    covariance.active[off] = 0;
    const LikelihoodSums part = exact_sums(data.view(), covariance, true, RunContext{});
    for (int a = 0; a < p; ++a) {
      CHECK(part.d_log_det[a] == doctest::Approx(a == off ? 0.0 : all.d_log_det[a]).epsilon(1e-9));
      CHECK(part.information[a * p + a] == doctest::Approx(a == off ? 0.0 : all.information[a * p + a]).epsilon(1e-9));
    }
  }
}

TEST_CASE("prediction is that of simple kriging from all data") {
  for (const Model& model : structures()) {
    CAPTURE(model.name);
    const Data data(uniform_cloud(15, model.dim), 3);
    const Cloud targets = uniform_cloud(6, model.dim, 77);
    const ExactPredictor predictor(data.view(), model.covariance, RunContext{});
    predictor.at(data.cloud.view(), RunContext{});
    const Kriging kriging = predictor.at(targets.view(), RunContext{});
    for (Index t = 0; t < 6; ++t) {
      const auto expected = reference::krige(data.view(), all_rows(15), targets.view()[t], model.covariance, false);
      const Eigen::VectorXd weighted = reference::values_of(data.view()).transpose() * expected.weights;
      for (int c = 0; c < 3; ++c) CHECK(kriging.weighted[t * 3 + c] == doctest::Approx(weighted[c]).epsilon(1e-10));
      CHECK(kriging.variance[t] == doctest::Approx(expected.variance).epsilon(1e-10));
    }
  }
}

TEST_CASE("without a nugget the field at a datum is the datum, with variance zero") {
  const Data data(uniform_cloud(12, 2), 1);
  Covariance covariance = structures()[2].covariance;
  covariance.nugget = 0.0;
  const Kriging kriging = exact_krige(data.view(), data.cloud.view(), covariance, RunContext{});
  CHECK(kriging.failed == -1);
  for (Index i = 0; i < 12; ++i) {
    CHECK(kriging.weighted[i] == doctest::Approx(data.values[i]).epsilon(1e-9));
    CHECK(kriging.variance[i] >= 0.0);
    CHECK(kriging.variance[i] < 1e-9);
  }
}

TEST_CASE("a singular covariance matrix is reported") {
  const Data data(duplicated_cloud(10, 2, 4), 2);
  Covariance covariance = structures()[2].covariance;
  CHECK(exact_sums(data.view(), covariance, true, RunContext{}).failed == -1);
  covariance.nugget = 0.0;
  CHECK(exact_sums(data.view(), covariance, true, RunContext{}).failed == 0);
  CHECK(exact_krige(data.view(), data.cloud.view(), covariance, RunContext{}).failed == 0);
}

TEST_CASE("covariance matrices between two sets of points, and correlations at a distance") {
  for (const Model& model : structures()) {
    CAPTURE(model.name);
    const Cloud a = uniform_cloud(7, model.dim, 1), b = uniform_cloud(5, model.dim, 2);
    const auto prepared = prepare(model.covariance, model.dim, false);
    CHECK(difference(covariance_matrix(prepared, a.view(), b.view()),
                     reference::cross_covariance(model.covariance, a.view(), b.view())) < 1e-13);
  }
  for (const Model& model : families()) {
    CAPTURE(model.name);
    const auto prepared = prepare(model.covariance, model.dim, false);
    const Component& component = model.covariance.components[0];
    for (const double distance : {0.0, 1e-3, 0.1, 1.0, 7.0})
      CHECK(correlation_at(prepared.components[0], distance) ==
            doctest::Approx(reference::correlation(component, distance / component.range[0])).epsilon(1e-12));
  }
}
