// Class probabilities and their score: by hand, against differences, and where exponentials overflow.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "loo/label_link.h"

using namespace neargp;

namespace {

// Means between 0 and 1, as those of an own-class process are.
LabelMoments some_moments(Index targets, int columns, int variances) {
  LabelMoments moments;
  for (Index i = 0; i < targets * columns; ++i) moments.mean.push_back(0.5 + 0.4 * std::sin(1.0 + 2.0 * double(i)));
  for (Index i = 0; i < targets * variances; ++i) moments.variance.push_back(0.3 + 0.1 * double(i));
  return moments;
}

std::vector<double> some_shift(Index targets, int outputs) {
  std::vector<double> shift(targets * outputs);
  for (std::size_t i = 0; i < shift.size(); ++i) shift[i] = std::cos(3.0 * double(i));
  return shift;
}

double scaled(double mean, double variance, double a) { return mean / std::sqrt(1.0 + M_PI / 8.0 * a * a * variance); }

}  // namespace

TEST_CASE("one output is the log odds of the second class, its bias in proportion to the weight of the neighbours") {
  const LabelMoments moments{{0.7, 0.9}, {0.4}, -1};
  const double shift = -0.2, bias = 0.6, a = 1.5;
  const LabelLink link{1, false, a, &shift, &bias};
  const double eta = a * scaled(0.7, 0.4, a) + bias * scaled(0.9, 0.4, a) + shift;
  const std::vector<double> p = class_probabilities(moments, link);
  CHECK(p[1] == doctest::Approx(1.0 / (1.0 + std::exp(-eta))).epsilon(1e-14));
  CHECK(p[0] + p[1] == doctest::Approx(1.0).epsilon(1e-15));
  const int observed = 0;
  const double count = 3.0;
  CHECK(label_link_score(moments, link, {&observed, &count}).value ==
        doctest::Approx(3.0 * std::log(p[0])).epsilon(1e-14));
}

TEST_CASE("own class: the bias acts where labels of any class are near") {
  const LabelMoments moments{{0.7, 0.2}, {0.4, 0.9}, -1};
  const std::vector<double> shift = {0.0, -0.3}, bias = {0.0, 0.8};
  const double a = 1.5, u = scaled(0.7, 0.4, a), v = scaled(0.2, 0.9, a);
  const double eta = -0.3 + a * (v - u) + 0.8 * (1.0 - (1.0 - u) * (1.0 - v));
  CHECK(class_probabilities(moments, {2, true, a, shift.data(), bias.data()})[1] ==
        doctest::Approx(1.0 / (1.0 + std::exp(-eta))).epsilon(1e-14));
}

TEST_CASE("far from data probabilities are those of the shift") {
  const std::vector<double> shift = {0.1, -2.0, 1.0}, bias = {3.0, 2.0, -4.0};
  const double sum = std::exp(0.1) + std::exp(-2.0) + std::exp(1.0);
  for (const bool per_class : {false, true}) {
    const LabelMoments moments{std::vector<double>(per_class ? 3 : 4, 0.0), std::vector<double>(per_class ? 3 : 1, 1.0),
                               -1};
    const std::vector<double> p = class_probabilities(moments, {3, per_class, 5.0, shift.data(), bias.data()});
    for (int r = 0; r < 3; ++r) CHECK(p[r] == doctest::Approx(std::exp(shift[r]) / sum).epsilon(1e-14));
  }
}

TEST_CASE("derivatives of the score are differences of it") {
  const Index targets = 3;
  const double h = 1e-6;
  for (const bool per_class : {false, true})
    for (const int outputs : {1, 2, 3}) {
      if (per_class && outputs == 1) continue;
      CAPTURE(per_class);
      CAPTURE(outputs);
      const LabelMoments moments = some_moments(targets, per_class ? outputs : outputs + 1, per_class ? outputs : 1);
      const std::vector<double> shift = some_shift(targets, outputs), bias = some_shift(2, outputs);
      const std::vector<int> observed = {1, 0, outputs == 3 ? 2 : 1};
      const std::vector<double> count = {1.0, 2.0, 5.0};
      const auto value = [&](const LabelMoments& at, const std::vector<double>& shifts,
                             const std::vector<double>& biases, double slope) {
        return label_link_score(at, {outputs, per_class, slope, shifts.data(), biases.data()},
                                {observed.data(), count.data()})
            .value;
      };
      const auto difference = [&](const std::vector<double>& of, std::size_t i, const auto& at) {
        std::vector<double> up = of, down = of;
        up[i] += h, down[i] -= h;
        return doctest::Approx((at(up) - at(down)) / (2 * h)).epsilon(1e-6);
      };
      using Values = std::vector<double>;
      const ClassScore score = label_link_score(moments, {outputs, per_class, 2.0, shift.data(), bias.data()},
                                                {observed.data(), count.data()});
      for (std::size_t i = 0; i < moments.mean.size(); ++i)
        CHECK(score.bar.mean[i] == difference(moments.mean, i, [&](const Values& x) {
                return value({x, moments.variance, -1}, shift, bias, 2.0);
              }));
      for (std::size_t i = 0; i < moments.variance.size(); ++i)
        CHECK(score.bar.variance[i] == difference(moments.variance, i, [&](const Values& x) {
                return value({moments.mean, x, -1}, shift, bias, 2.0);
              }));
      for (std::size_t i = 0; i < shift.size(); ++i)
        CHECK(score.shift_bar[i] ==
              difference(shift, i, [&](const Values& x) { return value(moments, x, bias, 2.0); }));
      for (int r = 0; r < outputs; ++r)
        CHECK(score.bias_bar[r] == difference(bias, r, [&](const Values& x) { return value(moments, shift, x, 2.0); }));
      CHECK(score.d_log_slope ==
            difference({0.0}, 0, [&](const Values& x) { return value(moments, shift, bias, 2.0 * std::exp(x[0])); }));
    }
}

TEST_CASE("certainty does not overflow") {
  const LabelMoments moments{{1.0, 1.0, -1.0, 1.0}, {1e-12, 1e-12}, -1};
  const std::vector<double> shift = {0.0, 0.0}, bias = {0.0, 0.0, 0.0};
  const std::vector<int> observed = {0, 0};
  const std::vector<double> count = {1.0, 1.0};
  const ClassScore score =
      label_link_score(moments, {1, false, 5000.0, shift.data(), bias.data()}, {observed.data(), count.data()});
  CHECK(score.value == doctest::Approx(-5000.0));
  const std::vector<double> p = class_probabilities({{900.0, -900.0, 0.0, 1.0}, {0.0}, -1},
                                                    {3, false, 1.0, some_shift(1, 3).data(), bias.data()});
  CHECK(p[0] == doctest::Approx(1.0));
  CHECK(p[1] >= 0.0);
}
