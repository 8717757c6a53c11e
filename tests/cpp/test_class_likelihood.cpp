#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "core_fixtures.h"
#include "extended.h"
#include "inducing_fixtures.h"
#include "likelihoods/class_likelihood.h"
#include "likelihoods/robust_max.h"
#include "likelihoods/softmax.h"

using namespace neargp;
using namespace fixtures;

namespace {

using Eigen::MatrixXd;

struct Row {
  std::vector<double> mean, variance;
  int classes() const { return int(mean.size()); }
};

const std::vector<Row> rows = {
    {{0.3, -1.0}, {0.5, 0.02}},
    {{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}},
    {{2.0, -1.0, 1.5}, {4.0, 0.3, 9.0}},
    {{-3.0, 5.0, 4.0, 1.0}, {0.001, 0.05, 20.0, 2.0}},
};

double tilted_at(const Row& row, const std::vector<double>& a) {
  double square = 0.0, sum = 0.0;
  for (int c = 0; c < row.classes(); ++c) {
    square += 0.5 * a[c] * a[c] * row.variance[c];
    sum += std::exp(row.mean[c] + (1.0 - 2.0 * a[c]) * row.variance[c] / 2.0);
  }
  return square + std::log(sum);
}

double bound_of(const Row& row) {
  std::vector<double> a(row.mean.size());
  return softmax_bound(row.mean.data(), row.variance.data(), row.classes(), a.data());
}

// E f(x) over independent normals on a fine grid in each dimension.
template <class Function>
double expected(const Row& row, const Function& f, int half = 28, double reach = 7.0) {
  std::vector<double> x(row.mean.size());
  double total = 0.0, mass = 0.0;
  const std::function<void(std::size_t, double)> integrate = [&](std::size_t c, double weight) {
    if (c == x.size()) {
      total += weight * f(x);
      mass += weight;
      return;
    }
    for (int q = -half; q <= half; ++q) {
      const double z = reach * q / half;
      x[c] = row.mean[c] + std::sqrt(row.variance[c]) * z;
      integrate(c + 1, weight * std::exp(-0.5 * z * z));
    }
  };
  integrate(0, 1.0);
  return total / mass;
}

Row moved(Row row, bool variance, int c, double by) {
  (variance ? row.variance : row.mean)[c] += by;
  return row;
}

}  // namespace

TEST_CASE("the tilted bound of softmax is at its minimum, above the expectation, and has the derivatives said") {
  for (const Row& row : rows) {
    std::vector<double> a(row.mean.size());
    const double value = softmax_bound(row.mean.data(), row.variance.data(), row.classes(), a.data());
    CHECK(value == doctest::Approx(tilted_at(row, a)).epsilon(1e-13));
    double sum = 0.0;
    for (int c = 0; c < row.classes(); ++c) {
      sum += a[c];
      for (const double by : {-1e-3, 1e-3}) {
        std::vector<double> other = a;
        other[c] += by;
        CHECK(tilted_at(row, other) > value);
      }
      const double step = 1e-3 * std::min(1.0, row.variance[c]);
      CHECK(a[c] == doctest::Approx(derivative(1e-3, [&](double by) {
                      return bound_of(moved(row, false, c, by));
                    })).epsilon(1e-8));
      CHECK(0.5 * a[c] * (1.0 - a[c]) == doctest::Approx(derivative(step, [&](double by) {
                                           return bound_of(moved(row, true, c, by));
                                         })).epsilon(1e-7));
    }
    CHECK(sum == doctest::Approx(1.0).epsilon(1e-12));
    if (row.classes() > 3) continue;
    const double exact = expected(row, [](const std::vector<double>& x) {
      double total = 0.0;
      for (const double one : x) total += std::exp(one);
      return std::log(total);
    });
    CHECK(value >= exact);
  }
}

TEST_CASE("the tilted bound converges at large variances, where its fixed point cycles") {
  for (const double variance : {10.0, 100.0, 1000.0}) {
    const Row row{{1.0, -2.0, 0.5, 30.0, 0.0}, std::vector<double>(5, variance)};
    std::vector<double> a(5);
    softmax_bound(row.mean.data(), row.variance.data(), 5, a.data());
    double most = -INFINITY, sum = 0.0;
    std::vector<double> p(5);
    for (int c = 0; c < 5; ++c) most = std::max(most, p[c] = row.mean[c] + (0.5 - a[c]) * variance);
    for (double& one : p) sum += one = std::exp(one - most);
    for (int c = 0; c < 5; ++c) CHECK(std::abs(p[c] / sum - a[c]) < 1e-9);
  }
}

TEST_CASE("the curvature of softmax's bound is the derivative of its slope") {
  for (const Row& row : rows) {
    const int classes = row.classes();
    std::vector<double> a(row.mean.size()), v(row.mean.size()), product(row.mean.size());
    softmax_bound(row.mean.data(), row.variance.data(), classes, a.data());
    for (int c = 0; c < classes; ++c) v[c] = std::cos(3.0 * c);
    softmax_curvature_product(a.data(), row.variance.data(), classes, v.data(), product.data());
    for (int c = 0; c < classes; ++c)
      CHECK(product[c] == doctest::Approx(derivative(1e-3, [&](double by) {
                            Row at = row;
                            for (int j = 0; j < classes; ++j) at.mean[j] += by * v[j];
                            std::vector<double> there(row.mean.size());
                            softmax_bound(at.mean.data(), at.variance.data(), classes, there.data());
                            return there[c];
                          })).epsilon(1e-6));
  }
}

TEST_CASE("probabilities of softmax are the expectations of it" * extended) {
  for (const Row& row : rows) {
    if (row.classes() > 3) continue;
    std::vector<double> probability(row.mean.size());
    softmax_probabilities(row.mean.data(), row.variance.data(), row.classes(), probability.data());
    for (int c = 0; c < row.classes(); ++c) {
      const double exact = expected(
          row,
          [&](const std::vector<double>& x) {
            double total = 0.0;
            for (const double one : x) total += std::exp(one - x[c]);
            return 1.0 / total;
          },
          60);
      CHECK(std::abs(probability[c] - exact) < 1e-7);
    }
  }
}

TEST_CASE("probabilities of two classes by robust-max are in closed form") {
  for (const Row& row : {rows[0], Row{{1.0, 0.5}, {3.0, 0.1}}, Row{{-1.0, 1.5}, {0.05, 6.0}}}) {
    std::vector<double> probability(2);
    robust_max_probabilities(row.mean.data(), row.variance.data(), 2, probability.data());
    const double z = (row.mean[0] - row.mean[1]) / std::sqrt(row.variance[0] + row.variance[1]);
    const double largest = 0.5 * std::erfc(-z / std::sqrt(2.0));
    CHECK(std::abs(probability[0] - (robust_max_error + (1.0 - 2.0 * robust_max_error) * largest)) < 1e-7);
    CHECK(probability[0] + probability[1] == doctest::Approx(1.0).epsilon(1e-14));
  }
}

TEST_CASE("probabilities that a field is the largest sum to one without being made to") {
  for (const Row& row : rows) {
    double sum = 0.0;
    std::vector<double> slope(row.mean.size()), curvature(row.mean.size());
    const double mistaken = std::log(robust_max_error / (row.classes() - 1)),
                 gain = std::log1p(-robust_max_error) - mistaken;
    for (int c = 0; c < row.classes(); ++c)
      sum += (robust_max_expectation(row.mean.data(), row.variance.data(), row.classes(), c, slope.data(),
                                     curvature.data()) -
              mistaken) /
             gain;
    CHECK(sum == doctest::Approx(1.0).epsilon(1e-6));
  }
}

TEST_CASE("slopes and curvatures of robust-max are those of differences") {
  for (const Row& row : rows) {
    const int classes = row.classes();
    std::vector<double> slope(row.mean.size()), curvature(row.mean.size()), ignored(row.mean.size());
    const auto value = [&](const Row& at) {
      return robust_max_expectation(at.mean.data(), at.variance.data(), classes, 1, ignored.data(), ignored.data());
    };
    robust_max_expectation(row.mean.data(), row.variance.data(), classes, 1, slope.data(), curvature.data());
    for (int c = 0; c < classes; ++c) {
      const double step = 1e-3 * std::min(1.0, row.variance[c]);
      CHECK(slope[c] == doctest::Approx(derivative(1e-3, [&](double by) {
                          return value(moved(row, false, c, by));
                        })).epsilon(1e-5));
      CHECK(-0.5 * curvature[c] ==
            doctest::Approx(derivative(step, [&](double by) { return value(moved(row, true, c, by)); })).epsilon(1e-5));
    }
  }
}

TEST_CASE("labels and links that are none are errors") {
  ClassLabels labels{ClassLink::softmax, 3, {0, 1, 2}, {1.0, 1.0, 1.0}};
  check_labels(labels);
  labels.label[1] = 3;
  CHECK_THROWS(check_labels(labels));
  labels.label[1] = 1;
  labels.weights.pop_back();
  CHECK_THROWS(check_labels(labels));
  CHECK_THROWS(class_link_from_name("probit"));
}
