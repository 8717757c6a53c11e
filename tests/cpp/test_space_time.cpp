// Covariances of space and time against the dense reference, their special cases, and what refuses them.
#include <doctest/doctest.h>

#include <cmath>

#include "conditional/gpu/covariance.h"
#include "covariance/parameters.h"
#include "covariance/search_ranges.h"
#include "covariance_checks.h"
#include "variational/inducing_points.h"

using namespace neargp;
using namespace fixtures;

namespace {

// A component of four coordinates, of which the last is time.
Component gneiting(Component component, double alpha, double beta) {
  component.space_time.model = SpaceTimeModel::gneiting;
  component.space_time.alpha = alpha;
  component.space_time.beta = beta;
  return component;
}

Component with_metric(Component component) {
  component.space_time.model = SpaceTimeModel::metric;
  return component;
}

Component separable(Component component, Family time_family, double time_shape = 0.0) {
  component.space_time.model = SpaceTimeModel::separable;
  component.space_time.time_family = time_family;
  component.space_time.time_shape = time_shape;
  return component;
}

Component product_sum(Component component, Family time_family, double time_shape, double product, double space) {
  component = separable(component, time_family, time_shape);
  component.space_time.model = SpaceTimeModel::product_sum;
  component.space_time.product = product;
  component.space_time.space = space;
  return component;
}

const Component rough = component(Family::exponential, 1.3, {0.4, 0.3}, {0, 0, 0, 1});
const Component smooth = component(Family::matern, 0.8, {0.3, 0.5, 0.4}, {0, 1, 1, 2}, 1.2);
const Component rotated = anisotropic(component(Family::cauchy, 0.9, {0.4, 0.6, 0.5}, {0, 0, 1, 2}, 0.7), 0.3, -0.2);

std::vector<Covariance> space_time_covariances() {
  const Component metric = component(Family::exponential, 0.4, {0.5, 0.2}, {0, 0, 0, 1});
  std::vector<Covariance> result;
  result.push_back({{gneiting(rough, 0.8, 0.5)}, 0.2, {}});
  result.push_back({{gneiting(smooth, 0.3, 0.6), metric}, 0.2, {}});
  result.push_back({{metric, gneiting(rotated, 0.95, 0.1)}, 0.2, {}});
  result.push_back({{separable(rough, Family::exponential)}, 0.2, {}});
  result.push_back({{separable(smooth, Family::powered_exponential, 1.3)}, 0.2, {}});
  result.push_back({{separable(rotated, Family::matern, 0.8), gneiting(rough, 0.5, 0.3)}, 0.2, {}});
  result.push_back({{product_sum(rough, Family::gaussian, 0.0, 0.5, 0.3)}, 0.2, {}});
  result.push_back({{metric, product_sum(smooth, Family::cauchy, 1.1, 0.6, 0.8)}, 0.2, {}});
  result.push_back({{gneiting(smooth, 0.7, 0.4)}, 0.2, {}});
  result.back().active.assign(result.back().parameters(), 1);
  for (const int a : {2, 4, 5}) result.back().active[a] = 0;  // a range, the smoothness and alpha
  return result;
}

// Coordinates 0 and 1 are of space, 2 is time, and 3 is a covariate.
std::vector<Covariance> local_space_time_covariances() {
  Component plain = component(Family::exponential, 1.3, {0.4, 0.3}, {0, 0, 1});
  Component scaled = component(Family::matern, 0.8, {0.3, 0.5, 0.4}, {0, 1, 2}, 1.2);
  Component multiplied = plain, both = scaled;
  scaled.log_sd = both.log_sd = {{3}, {0.4}};
  multiplied.by = both.by = 3;
  std::vector<Covariance> result;
  result.push_back({{gneiting(scaled, 0.8, 0.5)}, 0.2, {}});
  result.push_back({{gneiting(plain, 0.6, 0.3), separable(multiplied, Family::exponential)}, 0.2, {}});
  result.push_back({{product_sum(both, Family::cauchy, 1.1, 0.6, 0.8), scaled}, 0.2, {}});
  return result;
}

// The same coordinates. Columns of warps need not increase for the derivatives.
std::vector<Covariance> warped_space_time_covariances() {
  const Component plain = component(Family::exponential, 1.3, {0.4, 0.3}, {0, 0, 1});
  Component ranged = plain, expanded = plain, all = component(Family::matern, 0.8, {0.3, 0.5, 0.4}, {0, 1, 2}, 1.2);
  ranged.log_range = {{3}, {0.6}};
  expanded.warps = {{3, {{3}, {0.5}}, false}};
  all.log_sd = {{3}, {0.4}};
  all.log_range = {{3}, {-0.5}};
  all.warps = {{1, {{3}, {0.3}}, true}, {3, {{3}, {0.4}}, false}};
  std::vector<Covariance> result;
  result.push_back({{separable(ranged, Family::exponential)}, 0.2, {}});
  result.push_back({{with_metric(ranged)}, 0.2, {}});
  result.push_back({{plain, with_metric(all)}, 0.2, {}});
  result.push_back({{gneiting(ranged, 0.7, 0.0)}, 0.2, {}});
  result.back().active.assign(result.back().parameters(), 1);
  result.back().active[4] = 0;  // beta
  result.push_back({{gneiting(expanded, 0.8, 0.5), plain}, 0.2, {}});
  result.push_back({{plain, product_sum(all, Family::cauchy, 1.1, 0.6, 0.8)}, 0.2, {}});
  return result;
}

const std::vector<Cloud>& clouds() {
  static const std::vector<Cloud> all{uniform_cloud(29, 4)};
  return all;
}

double value(const Component& component, std::vector<double> x, std::vector<double> y) {
  const Covariance covariance{{component}, 0.0, {}};
  return covariance_matrix(prepare(covariance, int(x.size()), false), {x.data(), 1, int(x.size())},
                           {y.data(), 1, int(y.size())})(0, 0);
}

}  // namespace

TEST_CASE("space and time: value, gradient and information are those of dense conditional densities") {
  check_conditional_densities(space_time_covariances());
}

TEST_CASE("space and time: joint densities, and the exact likelihood") {
  check_joint_densities(space_time_covariances());
}

TEST_CASE("space and time: local standard deviations and columns are those of the dense reference") {
  check_conditional_densities(local_space_time_covariances());
  check_joint_densities(local_space_time_covariances());
  check_covariance_matrices(local_space_time_covariances());
}

TEST_CASE("space and time: local ranges and warps are those of the dense reference") {
  check_conditional_densities(warped_space_time_covariances());
  check_joint_densities(warped_space_time_covariances());
  check_covariance_matrices(warped_space_time_covariances());
}

TEST_CASE("space and time: what is no covariance with local ranges and warps is refused") {
  Component broken = gneiting(component(Family::exponential, 1.3, {0.4, 0.3}, {0, 0, 1}), 0.8, 0.5);
  broken.log_range = {{3}, {0.4}};
  CHECK_THROWS_AS(prepare({{broken}, 0.2, {}}, 4, false), Error);
  broken.log_range = {};
  broken.warps = {{2, {{3}, {0.4}}, true}};  // time
  CHECK_THROWS_AS(prepare({{broken}, 0.2, {}}, 4, false), Error);
  broken.space_time.beta = 0.8;
  broken.warps = {{3, {{3}, {0.4}}, false}};  // the third coordinate of space
  CHECK_THROWS_AS(prepare({{broken}, 0.2, {}}, 4, false), Error);
}

TEST_CASE("space and time: the covariance matrix and its diagonal") {
  const Cloud& cloud = clouds()[0];
  for (const Covariance& covariance : space_time_covariances()) {
    const PreparedCovariance prepared = prepare(covariance, 4, false);
    const Eigen::MatrixXd matrix = covariance_matrix(prepared, cloud.view(), cloud.view());
    CHECK(difference(matrix, reference::cross_covariance(covariance, cloud.view(), cloud.view())) < 1e-13);
    CHECK(difference(field_variances(prepared, cloud.view()), matrix.diagonal()) < 1e-13);
  }
}

// The reference takes differences of sixth order, which are accurate to about 1e-10.
TEST_CASE("space and time: derivatives of the matrix are those by differences") {
  const Data data(clouds()[0], 2);
  for (const Covariance& covariance : space_time_covariances()) {
    const std::vector<Eigen::MatrixXd> derivatives =
        covariance_derivatives(prepare(covariance, 4, true), data.view().coords, data.noise_scale.data());
    for (int a = 0; a < covariance.parameters(); ++a) {
      if (!covariance.is_active(a)) continue;
      CAPTURE(a);
      const auto at = [&](double step) {
        return reference::noisy_covariance(reference::moved(covariance, a, step), data.view());
      };
      const double h = 2e-3;
      const Eigen::MatrixXd expected =
          (45.0 * (at(h) - at(-h)) - 9.0 * (at(2 * h) - at(-2 * h)) + (at(3 * h) - at(-3 * h))) / (60.0 * h);
      CHECK(difference(derivatives[a], expected) < 1e-8);
    }
  }
}

TEST_CASE("space and time: without interaction Gneiting's is separable, with a Cauchy covariance in time") {
  Component cauchy = separable(smooth, Family::cauchy, 1.0);
  const Cloud& cloud = clouds()[0];
  const auto matrix = [&](const Component& component) {
    return covariance_matrix(prepare({{component}, 0.0, {}}, 4, false), cloud.view(), cloud.view());
  };
  CHECK(difference(matrix(gneiting(smooth, 1.0, 0.0)), matrix(cauchy)) < 1e-14);
  CHECK(difference(matrix(product_sum(smooth, Family::cauchy, 1.0, 1.0, 0.4)), matrix(cauchy)) < 1e-14);
}

TEST_CASE("space and time: at one time there is the covariance in space, at one place 1/2 after the range in time") {
  Component in_space = component(Family::matern, 0.8, {0.3, 0.5}, {0, 1, 1}, 1.2);
  const double expected = value(in_space, {0.1, 0.2, 0.3}, {0.4, 0.1, 0.5});
  const std::vector<double> x{0.1, 0.2, 0.3, 0.7}, y{0.4, 0.1, 0.5, 0.7}, later{0.1, 0.2, 0.3, 0.7 + 0.4};
  CHECK(value(gneiting(smooth, 0.7, 0.6), x, y) == doctest::Approx(expected).epsilon(1e-14));
  CHECK(value(separable(smooth, Family::exponential), x, y) == doctest::Approx(expected).epsilon(1e-14));
  for (const double beta : {0.0, 0.3, 2.0 / 3.0})
    CHECK(value(gneiting(smooth, 0.7, beta), x, later) == doctest::Approx(0.4).epsilon(1e-14));
}

// The least of exp(-2 sin(pi u)^2 / l^2) is at half a period. With l = 2 it is exp(-1/2), and the correlation is half
// way to it where sin(pi u)^2 = -2 log((1 + exp(-1/2)) / 2).
TEST_CASE("space and time: a period in time is searched in units of half its fall, one of its own leaves space alone") {
  const Component seasonal =
      separable(component(Family::matern, 0.4, {0.3, 12.0}, {0, 0, 0, 1}, 1.5), Family::periodic, 2.0);
  const double sine = std::sqrt(-2.0 * std::log(0.5 * (1.0 + std::exp(-0.5))));
  const double expected = 12.0 * std::asin(sine) / 3.14159265358979323846;
  const std::vector<double> ranges = search_ranges({{seasonal}, 0.1, {}}, 0);
  CHECK(ranges[1] == doctest::Approx(expected).epsilon(1e-10));
  const Component alone = component(Family::periodic, 5.0, {12.0}, {-1, -1, -1, 0}, 2.0);
  const std::vector<double> beside = search_ranges({{seasonal, alone}, 0.1, {}}, 0);
  CHECK(beside[0] == doctest::Approx(ranges[0]).epsilon(1e-10));
  CHECK(beside[1] == doctest::Approx(expected).epsilon(1e-10));
}

TEST_CASE("space and time: neighbours are searched in units of half the correlation") {
  const Covariance sum{{gneiting(rough, 0.8, 0.5), product_sum(smooth, Family::exponential, 0.0, 0.5, 0.3)}, 0.1, {}};
  const std::vector<double> ranges = search_ranges(sum, 0);
  const std::vector<double> origin(4, 0.0);
  const auto correlation = [&](std::vector<double> x, double static_part) {
    double value = 0.0;
    for (const Component& component : sum.components)
      value += reference::covariance({{component}, 0.0, {}}, origin.data(), x.data());
    return (value - static_part) / (2.1 - static_part);
  };
  CHECK(correlation({ranges[0], 0.0, 0.0, 0.0}, 0.8 * 0.5 * 0.7) == doctest::Approx(0.5).epsilon(1e-10));
  CHECK(correlation({0.0, 0.0, 0.0, ranges[1]}, 0.8 * 0.5 * 0.3) == doctest::Approx(0.5).epsilon(1e-10));
  const std::vector<double> own = search_ranges({{gneiting(smooth, 0.3, 0.6)}, 0.1, {}}, 0);
  CHECK(own[0] / own[1] == doctest::Approx(0.3 / 0.5));
  CHECK(own[2] == doctest::Approx(0.4));
}

TEST_CASE("space and time: parameters as one list, and on the working scale") {
  for (Covariance covariance : space_time_covariances()) {
    std::vector<double> values = parameter_values(covariance);
    CHECK(int(values.size()) == covariance.parameters());
    for (double& value : values) value *= 0.5;
    set_parameter_values(covariance, values);
    CHECK(parameter_values(covariance) == values);
  }
  const double working = to_working(WorkingScale::logit, 0.3);
  CHECK(from_working(WorkingScale::logit, working) == doctest::Approx(0.3).epsilon(1e-14));
  CHECK(working_slope(WorkingScale::logit, true, 0.3) == doctest::Approx(0.21));
}

TEST_CASE("space and time: what is refused") {
  const auto prepared = [](Component component) { return prepare({{component}, 0.1, {}}, 4, true); };
  CHECK_THROWS_AS(prepared(gneiting(rough, 0.8, 0.7)), Error);  // 2/3 in three coordinates
  CHECK_NOTHROW(prepared(gneiting(rough, 0.8, 2.0 / 3.0)));
  CHECK_THROWS_AS(prepared(gneiting(rough, 0.0, 0.1)), Error);
  CHECK_THROWS_AS(prepared(gneiting(rough, 1.1, 0.1)), Error);
  CHECK_THROWS_AS(prepared(product_sum(rough, Family::exponential, 0.0, 1.2, 0.5)), Error);
  CHECK_THROWS_AS(prepared(separable(rough, Family::matern, 99.0)), Error);
  CHECK_THROWS_AS(prepared(gneiting(component(Family::exponential, 1.0, {1.0}, {0, 0, 0, 0}), 0.5, 0.5)), Error);
  PreparedCovariance covariance = prepared(gneiting(rough, 0.8, 0.5));
  CHECK_THROWS_AS(keep_slopes(covariance), Error);
  CHECK_THROWS_AS(PackedCovariance<double>{covariance}, Error);
  CHECK_THROWS_AS(InducingPoints(covariance, clouds()[0].view()), Error);
}
