#include <doctest/doctest.h>

#include "base/error.h"
#include "inducing_fixtures.h"
#include "variational/inducing_points.h"

using namespace neargp;
using namespace fixtures;

namespace {

Eigen::MatrixXd some_weights(Index rows, Index columns) {
  const Philox random(17);
  return Eigen::MatrixXd::NullaryExpr(rows, columns,
                                      [&](Index i, Index j) { return random.normal(std::uint64_t(i * columns + j)); });
}

}  // namespace

TEST_CASE("covariances with inducing points are those of the dense model, in every instruction set") {
  with_each_instruction_set([] {
    for (const Model& model : all_models()) {
      CAPTURE(model.name);
      const Cloud inducing = uniform_cloud(11, model.dim), others = uniform_cloud(6, model.dim, 5);
      const PreparedCovariance prepared = prepare(model.covariance, model.dim, true);
      const InducingPoints points(prepared, inducing.view());
      const Eigen::MatrixXd expected = reference::cross_covariance(model.covariance, inducing.view(), others.view());
      std::vector<ComponentCovariances> parts;
      CHECK(difference(points.covariances(others.view(), nullptr), expected) < 1e-12);
      CHECK(difference(points.covariances(others.view(), &parts), expected) < 1e-12);
      CHECK(difference(points.covariances(nullptr),
                       reference::cross_covariance(model.covariance, inducing.view(), inducing.view())) < 1e-12);
    }
  });
}

TEST_CASE("derivatives through covariances with inducing points are those of differences") {
  for (const Model& model : all_models()) {
    CAPTURE(model.name);
    const Cloud inducing = uniform_cloud(7, model.dim), others = uniform_cloud(9, model.dim, 5);
    const Eigen::MatrixXd weights = some_weights(7, 9);
    const auto value = [&](const Covariance& covariance, const Cloud& positions) {
      return weights.cwiseProduct(reference::cross_covariance(covariance, positions.view(), others.view())).sum();
    };
    const PreparedCovariance prepared = prepare(model.covariance, model.dim, true);
    const InducingPoints points(prepared, inducing.view());
    std::vector<ComponentCovariances> parts;
    const Eigen::MatrixXd covariances = points.covariances(others.view(), &parts);
    InducingGradient gradient = points.zero_gradient();
    Eigen::MatrixXd bar = weights;
    points.contract(parts, bar, weights.cwiseProduct(covariances).sum(), gradient);
    CHECK(difference(gradient.positions, position_differences(inducing, 1e-5, [&](const Cloud& at) {
                       return value(model.covariance, at);
                     })) < 1e-7);
    CHECK(difference(parameter_gradient(gradient),
                     parameter_differences(model.covariance, 1e-5,
                                           [&](const Covariance& at) { return value(at, inducing); })) < 1e-7);
  }
}

TEST_CASE("a rough field at an inducing point on a datum has a finite gradient") {
  const Covariance covariance = families()[0].covariance;
  const Cloud points = uniform_cloud(5, 2);
  const PreparedCovariance prepared = prepare(covariance, 2, true);
  const InducingPoints inducing(prepared, points.view());
  std::vector<ComponentCovariances> parts;
  inducing.covariances(points.view(), &parts);
  CHECK(parts[0].slope.diagonal().isZero(0.0));
  InducingGradient gradient = inducing.zero_gradient();
  Eigen::MatrixXd bar = Eigen::MatrixXd::Ones(5, 5);
  inducing.contract(parts, bar, 1.0, gradient);
  CHECK(gradient.positions.allFinite());
}

TEST_CASE("no inducing points, and other coordinates, are refused") {
  Covariance covariance = families()[0].covariance;
  const PreparedCovariance prepared = prepare(covariance, 2, false);
  const Cloud plane = uniform_cloud(3, 2), space = uniform_cloud(3, 3);
  CHECK_THROWS_AS(InducingPoints(prepared, space.view()), Error);
  CHECK_THROWS_AS(InducingPoints(prepared, Points{plane.coords.data(), 0, 2}), Error);
  const InducingPoints points(prepared, plane.view());
  CHECK_THROWS_AS(points.covariances(space.view(), nullptr), Error);
}
