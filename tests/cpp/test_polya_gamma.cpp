// Polya-Gamma variables: their density, the averaged logistic function, and the score of one draw.
#include <doctest/doctest.h>

#include <cmath>

#include "base/error.h"
#include "core_fixtures.h"
#include "loo/polya_gamma.h"

using namespace neargp;
using namespace fixtures;

TEST_CASE("the averaged logistic function by fine sums, with its derivatives") {
  for (const double mean : {-2.0, 0.3})
    for (const double variance : {0.1, 1.0, 4.0}) {
      double sum = 0.0;
      const double step = 1e-3;
      for (double x = -9.0; x <= 9.0; x += step)
        sum +=
            step * std::exp(-0.5 * x * x) / std::sqrt(2.0 * M_PI) / (1.0 + std::exp(-mean - std::sqrt(variance) * x));
      const AveragedLogistic average = averaged_logistic(mean, variance);
      // 16 nodes reach this tolerance. The error of the rule grows with the variance.
      CHECK(average.value == doctest::Approx(sum).epsilon(1e-5 * (1.0 + variance)));
      const double h = 1e-5;
      CHECK(average.d_mean ==
            doctest::Approx(
                (averaged_logistic(mean + h, variance).value - averaged_logistic(mean - h, variance).value) / (2 * h))
                .epsilon(1e-8));
      CHECK(average.d_variance ==
            doctest::Approx(
                (averaged_logistic(mean, variance + h).value - averaged_logistic(mean, variance - h).value) / (2 * h))
                .epsilon(1e-6));
    }
}

TEST_CASE("the score's derivatives in the variables are differences of it") {
  const Data data(uniform_cloud(30, 2, 4), 1);
  Covariance covariance;
  covariance.components = {component(Family::exponential, 3.0, {0.4}, {0, 0})};
  covariance.nugget = 1.0;
  for (const int outputs : {1, 3}) {
    CAPTURE(outputs);
    std::vector<double> sign(30 * outputs), omega(30 * outputs), shift(30 * outputs, 0.1);
    std::vector<int> observed(30);
    for (int i = 0; i < 30; ++i) {
      observed[i] = (i * 5) % (outputs == 1 ? 2 : 3);
      for (int r = 0; r < outputs; ++r) {
        sign[i * outputs + r] = observed[i] == (outputs == 1 ? 1 : r) ? 1.0 : -1.0;
        omega[i * outputs + r] = 0.25 + 0.1 * std::sin(double(i + r));
      }
    }
    const PolyaGammaTargets targets{data.cloud.view(), neighbors_others(data, 6), shift.data(), observed.data()};
    const auto score = [&](const std::vector<double>& at) {
      return polya_gamma_score({data.cloud.view(), outputs, sign.data(), at.data()}, targets, covariance, {});
    };
    const PolyaGammaScore found = score(omega);
    const double h = 1e-5;
    for (std::size_t i = 0; i < omega.size(); i += 7) {
      std::vector<double> up = omega, down = omega;
      up[i] *= std::exp(h), down[i] *= std::exp(-h);
      CHECK(found.d_log_omega[i] == doctest::Approx((score(up).value - score(down).value) / (2 * h)).epsilon(1e-6));
    }
    Covariance other = covariance;
    other.nugget = 0.5;
    CHECK_THROWS_AS(polya_gamma_score({data.cloud.view(), outputs, sign.data(), omega.data()}, targets, other, {}),
                    Error);
  }
}
