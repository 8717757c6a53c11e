// Class probabilities and their score: by hand, against differences, and where exponentials overflow.
#include <doctest/doctest.h>

#include <cmath>

#include "methods/class_score.h"

using namespace neargp;

namespace {

LabelMoments some_moments(Index targets, int outputs, int variances) {
  LabelMoments moments;
  for (Index i = 0; i < targets * outputs; ++i) moments.mean.push_back(std::sin(1.0 + 2.0 * double(i)));
  for (Index i = 0; i < targets * variances; ++i) moments.variance.push_back(0.3 + 0.1 * double(i));
  return moments;
}

std::vector<double> some_shift(Index targets, int outputs) {
  std::vector<double> shift(targets * outputs);
  for (std::size_t i = 0; i < shift.size(); ++i) shift[i] = std::cos(3.0 * double(i));
  return shift;
}

}  // namespace

TEST_CASE("one output is the log odds of the second class") {
  const LabelMoments moments{{0.7}, {0.4}, -1};
  const double shift = -0.2, a = 1.5;
  const double eta = a * 0.7 / std::sqrt(1.0 + M_PI / 8.0 * a * a * 0.4) + shift;
  const std::vector<double> p = class_probabilities(moments, 1, {a, &shift});
  CHECK(p[1] == doctest::Approx(1.0 / (1.0 + std::exp(-eta))).epsilon(1e-14));
  CHECK(p[0] + p[1] == doctest::Approx(1.0).epsilon(1e-15));
  const int observed = 0;
  const double count = 3.0;
  CHECK(class_score(moments, 1, {a, &shift}, {&observed, &count}).value == doctest::Approx(3.0 * std::log(p[0])).epsilon(1e-14));
}

TEST_CASE("derivatives of the score are differences of it") {
  const Index targets = 3;
  for (const int outputs : {1, 3})
    for (const int variances : {1, outputs}) {
      CAPTURE(outputs);
      CAPTURE(variances);
      const LabelMoments moments = some_moments(targets, outputs, variances);
      const std::vector<double> shift = some_shift(targets, outputs);
      const std::vector<int> observed = {1, 0, outputs == 1 ? 1 : 2};
      const std::vector<double> count = {1.0, 2.0, 5.0};
      const auto value = [&](const LabelMoments& at, const std::vector<double>& shifts, double slope) {
        return class_score(at, outputs, {slope, shifts.data()}, {observed.data(), count.data()}).value;
      };
      const ClassScore score = class_score(moments, outputs, {2.0, shift.data()}, {observed.data(), count.data()});
      const double h = 1e-6;
      for (std::size_t i = 0; i < moments.mean.size(); ++i) {
        LabelMoments up = moments, down = moments;
        up.mean[i] += h, down.mean[i] -= h;
        CHECK(score.bar.mean[i] == doctest::Approx((value(up, shift, 2.0) - value(down, shift, 2.0)) / (2 * h)).epsilon(1e-7));
        std::vector<double> more = shift, less = shift;
        more[i] += h, less[i] -= h;
        CHECK(score.shift_bar[i] ==
              doctest::Approx((value(moments, more, 2.0) - value(moments, less, 2.0)) / (2 * h)).epsilon(1e-7));
      }
      for (std::size_t i = 0; i < moments.variance.size(); ++i) {
        LabelMoments up = moments, down = moments;
        up.variance[i] += h, down.variance[i] -= h;
        CHECK(score.bar.variance[i] ==
              doctest::Approx((value(up, shift, 2.0) - value(down, shift, 2.0)) / (2 * h)).epsilon(1e-6));
      }
      const double slope = (value(moments, shift, 2.0 * std::exp(h)) - value(moments, shift, 2.0 * std::exp(-h))) / (2 * h);
      CHECK(score.d_log_slope == doctest::Approx(slope).epsilon(1e-7));
    }
}

TEST_CASE("certainty does not overflow") {
  const LabelMoments moments{{1.0, -1.0}, {1e-12, 1e-12}, -1};
  const std::vector<double> shift = {0.0, 0.0};
  const std::vector<int> observed = {0, 0};
  const std::vector<double> count = {1.0, 1.0};
  const ClassScore score = class_score(moments, 1, {5000.0, shift.data()}, {observed.data(), count.data()});
  CHECK(score.value == doctest::Approx(-5000.0));
  const std::vector<double> p = class_probabilities({{900.0, -900.0, 0.0}, {0.0}, -1}, 3, {1.0, some_shift(1, 3).data()});
  CHECK(p[0] == doctest::Approx(1.0));
  CHECK(p[1] >= 0.0);
}
