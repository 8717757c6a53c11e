// Moments of pseudo-observations against dense algebra, and their adjoint against differences.
#include <doctest/doctest.h>
#include <Eigen/Cholesky>

#include <cmath>

#include "base/error.h"
#include "core_fixtures.h"
#include "covariance/covariance_matrix.h"
#include "loo/pseudo_observations.h"
#include "loo/student_t_variables.h"

using namespace neargp;
using namespace fixtures;

namespace {

struct PseudoData {
  Data data;
  NeighborTable neighbors;

  explicit PseudoData(int columns) : data(uniform_cloud(50, 2, 11), columns), neighbors(neighbors_others(data, 8)) {
    neighbors.index[5] = -1;
  }
  PseudoObservations model() const { return {data.view(), data.cloud.view(), neighbors}; }
};

Covariance smooth_covariance() {
  return model("smooth", {component(Family::matern, 1.3, {0.4}, {0, 0}, 1.5)}).covariance;
}

}  // namespace

TEST_CASE("moments of pseudo-observations are the dense ones") {
  const PseudoData pseudo(3);
  const Covariance covariance = smooth_covariance();
  const PreparedCovariance ready = prepare(covariance, 2, false);
  with_each_instruction_set([&] {
    const PseudoObservationMoments moments = pseudo.model().moments(0, 50, covariance, with_threads(1));
    CHECK(moments.failed == -1);
    for (Index t = 0; t < 50; t += 7) {
      std::vector<double> coords;
      std::vector<int> rows;
      for (int m = 0; m < 8; ++m)
        if (const int row = pseudo.neighbors[t][m]; row >= 0) {
          rows.push_back(row);
          coords.insert(coords.end(), pseudo.data.cloud.view()[row], pseudo.data.cloud.view()[row] + 2);
        }
      const Points points{coords.data(), Index(rows.size()), 2}, target{pseudo.data.cloud.view()[t], 1, 2};
      Eigen::MatrixXd K = covariance_matrix(ready, points, points);
      for (std::size_t i = 0; i < rows.size(); ++i)
        K(i, i) += covariance.nugget * pseudo.data.view().noise_scale[rows[i]];
      const Eigen::VectorXd c = covariance_matrix(ready, points, target);
      const Eigen::VectorXd b = K.ldlt().solve(c);
      CHECK(moments.variance[t] ==
            doctest::Approx(covariance_matrix(ready, target, target)(0, 0) - b.dot(c)).epsilon(1e-9));
      for (int column = 0; column < 3; ++column) {
        double sum = 0.0;
        for (std::size_t i = 0; i < rows.size(); ++i) sum += b(i) * pseudo.data.view().values[rows[i] * 3 + column];
        CHECK(moments.weighted[t * 3 + column] == doctest::Approx(sum).epsilon(1e-9));
      }
    }
  });
}

TEST_CASE("the adjoint of pseudo-observations' moments is the gradient of an objective of them") {
  const PseudoData pseudo(2);
  const PseudoObservations model = pseudo.model();
  const auto value = [&](const Covariance& covariance) {
    const PseudoObservationMoments m = model.moments(10, 40, covariance, with_threads(1));
    double sum = 0.0;
    for (std::size_t i = 0; i < m.weighted.size(); ++i) sum += std::sin(double(i)) * m.weighted[i];
    for (std::size_t i = 0; i < m.variance.size(); ++i) sum += std::cos(double(i)) * m.variance[i];
    return sum;
  };
  const Covariance covariance = smooth_covariance();
  PseudoObservationMoments bar;
  for (int i = 0; i < 60; ++i) bar.weighted.push_back(std::sin(double(i)));
  for (int i = 0; i < 30; ++i) bar.variance.push_back(std::cos(double(i)));
  const std::vector<double> gradient = model.adjoint(10, 40, covariance, bar, with_threads(2));
  const double h = 1e-5;
  const auto difference = [&](const auto& move) {
    Covariance up = covariance, down = covariance;
    move(up, std::exp(h)), move(down, std::exp(-h));
    return (value(up) - value(down)) / (2 * h);
  };
  CHECK(gradient[0] ==
        doctest::Approx(difference([](Covariance& c, double f) { c.components[0].variance *= f; })).epsilon(1e-6));
  CHECK(gradient[1] ==
        doctest::Approx(difference([](Covariance& c, double f) { c.components[0].range[0] *= f; })).epsilon(1e-6));
  CHECK(gradient.back() == doctest::Approx(difference([](Covariance& c, double f) { c.nugget *= f; })).epsilon(1e-6));
}

TEST_CASE("tables and spans that do not fit are refused") {
  const PseudoData pseudo(1);
  CHECK_THROWS_AS(pseudo.model().moments(0, 51, smooth_covariance(), with_threads(1)), Error);
  NeighborTable wrong = pseudo.neighbors;
  wrong.index[0] = 50;
  CHECK_THROWS_AS(PseudoObservations(pseudo.data.view(), pseudo.data.cloud.view(), wrong), Error);
}

TEST_CASE("gamma variables do not depend on the threads, and keep 1 where there is no neighbour") {
  const PseudoData pseudo(1);
  const StudentNoise noise{0.3, 3.0};
  const std::vector<double> one =
      gamma_variables(pseudo.data.view(), pseudo.neighbors, smooth_covariance(), noise, with_threads(1));
  CHECK(one == gamma_variables(pseudo.data.view(), pseudo.neighbors, smooth_covariance(), noise, with_threads(4)));
  CHECK(one[5] == 1.0);
  for (const double omega : one) CHECK((omega > 0.0 && omega <= 4.0 / 3.0 + 1e-12));
  const PseudoData two(2);
  CHECK_THROWS_AS(gamma_variables(two.data.view(), two.neighbors, smooth_covariance(), noise, with_threads(1)), Error);
}
