// Moments of class labels against dense algebra, and their adjoint against differences.
#include <doctest/doctest.h>
#include <Eigen/Cholesky>

#include <cmath>

#include "base/error.h"
#include "core_fixtures.h"
#include "loo/label_regression.h"

using namespace neargp;
using namespace fixtures;

namespace {

constexpr int classes = 3;

struct Locations {
  Data data;
  std::vector<double> counts;
  NeighborTable neighbors;

  explicit Locations(int k)
      : data(uniform_cloud(60, 2, 7), 1), counts(60 * classes, 0.0), neighbors(neighbors_others(data, k)) {
    for (int i = 0; i < 60; ++i) {
      counts[i * classes + (i * 7) % classes] = 1.0 + i % 2;
      if (i % 5 == 0) counts[i * classes + (i * 7 + 1) % classes] += 2.0;
    }
    neighbors.index[3] = -1;
  }
  LabelRegression model(bool per_class) const {
    return {{data.cloud.view(), classes, counts.data()}, per_class, data.cloud.view(), neighbors};
  }
};

// z and noise_scale of the rows of class r (own class) or of all rows.
void check_target(const Locations& locations, const LabelMoments& moments, const Covariance& covariance, Index target,
                  int r, bool per_class) {
  std::vector<double> coords, z, noise;
  for (int m = 0; m < locations.neighbors.k; ++m) {
    const Index location = locations.neighbors[target][m];
    if (location < 0) continue;
    const double* count = &locations.counts[location * classes];
    const double total = per_class ? count[r] : count[0] + count[1] + count[2];
    if (total == 0.0) continue;
    coords.insert(coords.end(), locations.data.cloud.view()[location], locations.data.cloud.view()[location] + 2);
    z.push_back(per_class ? 1.0 : 2.0 * count[r] / total - 1.0);
    noise.push_back(covariance.nugget / total);
  }
  const int size = int(z.size());
  const auto correlation = [&](const double* a, const double* b) {
    const Component& c = covariance.components[0];
    return c.variance * std::exp(-std::hypot((a[0] - b[0]) / c.range[0], (a[1] - b[1]) / c.range[1]));
  };
  Eigen::MatrixXd K(size, size);
  Eigen::VectorXd c(size), labels(size);
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) K(i, j) = correlation(&coords[2 * i], &coords[2 * j]) + (i == j ? noise[i] : 0.0);
    c(i) = correlation(&coords[2 * i], locations.data.cloud.view()[target]);
    labels(i) = z[i];
  }
  const Eigen::VectorXd b = size ? Eigen::VectorXd(K.ldlt().solve(c)) : Eigen::VectorXd(0);
  const int columns = per_class ? classes : classes + 1;
  CHECK(moments.mean[target * columns + r] == doctest::Approx(b.dot(labels)).epsilon(1e-10));
  if (!per_class) CHECK(moments.mean[target * columns + classes] == doctest::Approx(b.sum()).epsilon(1e-10));
  CHECK(moments.variance[per_class ? target * classes + r : target] ==
        doctest::Approx(covariance.components[0].variance - b.dot(c)).epsilon(1e-10));
}

Covariance by_coordinate(double range) {
  Covariance covariance;
  covariance.components = {component(Family::exponential, 1.7, {range, 0.4}, {0, 1})};
  covariance.nugget = 0.6;
  return covariance;
}

}  // namespace

TEST_CASE("moments of labels are the dense ones, shared and own-class") {
  const Covariance covariance = by_coordinate(0.3);
  for (const int k : {4, 20})
    for (const bool per_class : {false, true}) {
      CAPTURE(k);
      CAPTURE(per_class);
      const Locations locations(k);
      with_each_instruction_set([&] {
        const LabelMoments moments = locations.model(per_class).moments(0, 60, covariance, {});
        CHECK(moments.failed == -1);
        for (Index t = 0; t < 60; ++t)
          for (int r = 0; r < classes; ++r) check_target(locations, moments, covariance, t, r, per_class);
      });
    }
}

TEST_CASE("the adjoint of the moments of labels is that of differences, for a part of the targets") {
  for (const bool per_class : {false, true}) {
    CAPTURE(per_class);
    const Locations locations(9);
    const LabelRegression model = locations.model(per_class);
    LabelMoments bar;
    for (Index i = 0; i < 30 * model.columns(); ++i) bar.mean.push_back(std::sin(1.0 + double(i)));
    for (Index i = 0; i < 30 * model.variances(); ++i) bar.variance.push_back(std::cos(2.0 * double(i)));
    const auto value = [&](double range) {
      const LabelMoments moments = model.moments(10, 40, by_coordinate(range), {});
      double sum = 0.0;
      for (std::size_t i = 0; i < bar.mean.size(); ++i) sum += bar.mean[i] * moments.mean[i];
      for (std::size_t i = 0; i < bar.variance.size(); ++i) sum += bar.variance[i] * moments.variance[i];
      return sum;
    };
    const double h = 1e-5;
    const double slope = (value(0.3 * std::exp(h)) - value(0.3 * std::exp(-h))) / (2.0 * h);
    CHECK(model.adjoint(10, 40, by_coordinate(0.3), bar, {})[1] == doctest::Approx(slope).epsilon(1e-7));
  }
}

TEST_CASE("labels out of their domain are refused") {
  Locations locations(3);
  locations.counts[0] = -1.0;
  CHECK_THROWS_AS(locations.model(false), Error);
  locations.counts[0] = locations.counts[1] = locations.counts[2] = 0.0;
  CHECK_THROWS_AS(locations.model(false), Error);
  const Locations fine(3);
  CHECK_THROWS_AS(fine.model(true).moments(5, 5, by_coordinate(0.3), {}), Error);
}

TEST_CASE("own-class targets in several spans are the same for any number of threads, and as if each span were alone") {
  const Data data(uniform_cloud(600, 2, 9), 1);
  std::vector<double> counts(600 * classes, 0.0);
  for (int i = 0; i < 600; ++i) counts[i * classes + (i * 5 + i / 7) % classes] = 1.0 + i % 2;
  const LabelRegression own({data.cloud.view(), classes, counts.data()}, true, data.cloud.view(),
                            neighbors_others(data, 9));
  const Covariance covariance = families()[0].covariance;
  const LabelMoments one = own.moments(0, 600, covariance, with_threads(1));
  const LabelMoments four = own.moments(0, 600, covariance, with_threads(4));
  CHECK(one.mean == four.mean);
  CHECK(one.variance == four.variance);
  const LabelMoments tail = own.moments(580, 600, covariance, with_threads(1));
  for (int i = 0; i < 20 * classes; ++i)
    CHECK(tail.mean[i] == doctest::Approx(one.mean[580 * classes + i]).epsilon(1e-12));
  LabelMoments bar = one;
  CHECK(own.adjoint(0, 600, covariance, bar, with_threads(1)) == own.adjoint(0, 600, covariance, bar, with_threads(4)));
}
