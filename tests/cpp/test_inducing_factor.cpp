#include <doctest/doctest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "extended.h"
#include "inducing_fixtures.h"
#include "variational/cross_block.h"

using namespace neargp;
using namespace fixtures;

namespace {

// sum weights o A + sum rates o d + log|K_zz|
struct Functional {
  const Data& data;
  Eigen::MatrixXd weights;
  Eigen::VectorXd rates;

  Functional(const Data& data_, Index inducing) : data(data_) {
    const Philox random(23);
    const Index n = data.cloud.view().n;
    weights = Eigen::MatrixXd::NullaryExpr(inducing, n,
                                           [&](Index i, Index j) { return random.normal(std::uint64_t(i * n + j)); });
    rates = Eigen::VectorXd::NullaryExpr(n, [&](Index i) { return random.normal(std::uint64_t(10000 + i)); });
  }

  double value(const Covariance& covariance, const Cloud& positions) const {
    const PreparedCovariance prepared = prepare(covariance, positions.dim, false);
    const InducingPoints points(prepared, positions.view());
    const InducingFactor factor(points, 1e-4, false);
    const CrossBlock block(factor, data.cloud.view(), false);
    return weights.cwiseProduct(block.features()).sum() + rates.dot(block.unexplained()) +
           2.0 * factor.lower().diagonal().array().log().sum();
  }

  InducingGradient gradient(const Covariance& covariance, const Cloud& positions) const {
    const PreparedCovariance prepared = prepare(covariance, positions.dim, true);
    const InducingPoints points(prepared, positions.view());
    const InducingFactor factor(points, 1e-4, true);
    const CrossBlock block(factor, data.cloud.view(), true);
    Eigen::MatrixXd bar = weights - 2.0 * block.features() * rates.asDiagonal();
    Eigen::MatrixXd g = bar * block.features().transpose();
    g.diagonal().array() -= 2.0;
    InducingGradient result = points.zero_gradient();
    block.adjoint(bar, rates, result);
    factor.adjoint(g, result);
    return result;
  }
};

}  // namespace

TEST_CASE("features and the variance they leave are those of dense formulas") {
  for (const Model& model : structures()) {
    CAPTURE(model.name);
    const Data data(uniform_cloud(20, model.dim), 1);
    const Cloud positions = uniform_cloud(8, model.dim, 4);
    const PreparedCovariance prepared = prepare(model.covariance, model.dim, false);
    const InducingPoints points(prepared, positions.view());
    const InducingFactor factor(points, 1e-6, false);
    REQUIRE(factor.regular());
    const CrossBlock block(factor, data.cloud.view(), false);
    Eigen::MatrixXd prior = reference::cross_covariance(model.covariance, positions.view(), positions.view());
    prior.diagonal().array() += 1e-6 * prepared.variance;
    const Eigen::MatrixXd cross = reference::cross_covariance(model.covariance, positions.view(), data.cloud.view());
    const Eigen::MatrixXd explained = cross.transpose() * prior.ldlt().solve(cross);
    CHECK(difference(block.features().transpose() * block.features(), explained) < 1e-10);
    CHECK(difference(block.unexplained(), prepared.variance - explained.diagonal().array()) < 1e-10);
  }
}

TEST_CASE("the adjoint of features, factor and unexplained variance is that of differences, for every covariance" *
          extended) {
  for (const Model& model : all_models()) {
    CAPTURE(model.name);
    const Data data(uniform_cloud(12, model.dim), 1);
    const Cloud positions = uniform_cloud(6, model.dim, 4);
    const Functional functional(data, 6);
    const InducingGradient gradient = functional.gradient(model.covariance, positions);
    CHECK(difference(gradient.positions, position_differences(positions, 1e-5, [&](const Cloud& at) {
                       return functional.value(model.covariance, at);
                     })) < 1e-7);
    CHECK(difference(parameter_gradient(gradient),
                     parameter_differences(model.covariance, 1e-5, [&](const Covariance& at) {
                       return functional.value(at, positions);
                     })) < 1e-7);
  }
}

TEST_CASE("what is above the diagonal of an adjoint of the factor plays no part") {
  const Model model = structures()[0];
  const Cloud positions = uniform_cloud(6, model.dim, 4);
  const PreparedCovariance prepared = prepare(model.covariance, model.dim, true);
  const InducingPoints points(prepared, positions.view());
  const InducingFactor factor(points, 1e-4, true);
  Eigen::MatrixXd g = Eigen::MatrixXd::Random(6, 6);
  InducingGradient first = points.zero_gradient(), second = points.zero_gradient();
  factor.adjoint(g, first);
  g.triangularView<Eigen::StrictlyUpper>().setConstant(1e3);
  factor.adjoint(g, second);
  CHECK(first.positions == second.positions);
  CHECK(first.parameters == second.parameters);
}

TEST_CASE("inducing points that coincide are singular without jitter, and regular with it") {
  const Model model = families()[1];
  Cloud positions = uniform_cloud(6, 2, 4);
  positions.coords[2] = positions.coords[0];
  positions.coords[3] = positions.coords[1];
  const PreparedCovariance prepared = prepare(model.covariance, 2, false);
  const InducingPoints points(prepared, positions.view());
  CHECK_FALSE(InducingFactor(points, 0.0, false).regular());
  CHECK(InducingFactor(points, 1e-6, false).regular());
}
