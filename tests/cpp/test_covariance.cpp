#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "core_fixtures.h"
#include "covariance/parameters.h"
#include "covariance/with_family.h"
#include "extended.h"

using namespace neargp;
using namespace fixtures;

namespace {

PreparedCovariance prepared(const Covariance& covariance, int dim) { return prepare(covariance, dim, true); }

struct Correlation {
  double value, slope, shape;
};

Correlation correlation(const PreparedComponent& component, double r2) {
  Correlation result{0.0, 0.0, 0.0};
  with_family(component, [&](const auto& family) {
    if (component.wants_shape())
      family.template evaluate<true, true>(r2, result.value, result.slope, result.shape);
    else
      family.template evaluate<true, false>(r2, result.value, result.slope, result.shape);
  });
  return result;
}

void check_refused(Component component, const char* sentence, int dim = 2) {
  CHECK_THROWS_WITH_AS(check_covariance({{component}, 0.1, {}}, dim), sentence, Error);
}

}  // namespace

TEST_CASE("values and derivatives of each family at a distance") {
  std::vector<Model> models = families();
  models.push_back(model("periodic", {component(Family::periodic, 1.0, {1.0}, {0, 0}, 0.7)}));
  for (const Model& model : models) {
    CAPTURE(model.name);
    const PreparedCovariance covariance = prepared(model.covariance, 2);
    const PreparedComponent& family = covariance.components[0];
    const Component& component = model.covariance.components[0];
    for (const double r : {1e-4, 1e-2, 0.3, 0.95, 2.5, 6.0, 20.0}) {
      CAPTURE(r);
      const Correlation at = correlation(family, r * r);
      CHECK(std::abs(at.value - reference::correlation(component, r)) < 2e-14);
      // r^2 dc/dr^2 = (dc / d log r)/2
      const auto moved_r = [&](double step) { return reference::correlation(component, r * std::exp(step)); };
      const double h = 2e-3 / std::max(1.0, 8.0 * r);  // short beside a wave
      const double slope = (8.0 * (moved_r(h) - moved_r(-h)) - (moved_r(2 * h) - moved_r(-2 * h))) / (24.0 * h);
      CHECK(std::abs(r * r * at.slope - slope) < 1e-9);
      if (family.wants_shape()) {
        const auto moved_shape = [&](double step) {
          Component other = component;
          other.shape += step;
          return reference::correlation(other, r);
        };
        const double s = 2e-3;
        const double shape =
            (8.0 * (moved_shape(s) - moved_shape(-s)) - (moved_shape(2 * s) - moved_shape(-2 * s))) / (12.0 * s);
        CHECK(std::abs(at.shape - shape) < 1e-8);
      }
    }
  }
}

TEST_CASE("at distance zero the correlation is one and what derivatives are multiplied by stays zero") {
  std::vector<Model> models = families();
  models.push_back(model("power 0.01", {component(Family::powered_exponential, 1e4, {1.0}, {0, 0}, 0.01)}));
  models.push_back(model("rough Matern", {component(Family::matern, 1.0, {1.0}, {0, 0}, 0.01)}));
  for (const Model& each : models) {
    CAPTURE(each.name);
    const PreparedCovariance covariance = prepared(each.covariance, 2);
    const Correlation at = correlation(covariance.components[0], 0.0);
    CHECK(at.value == 1.0);
    CHECK(covariance.components[0].variance * at.slope * 0.0 == 0.0);
    CHECK(at.shape == 0.0);
  }
}

TEST_CASE("compact correlations end at the range, and a wave keeps below 1 / r at any distance") {
  const auto at = [](Family family, double shape, double r) {
    const Model made = model("", {component(family, 1.0, {1.0}, {0, 0}, shape)});
    return correlation(prepared(made.covariance, 2).components[0], r * r);
  };
  for (const double r : {1.0, 1.5, 1e3, 1e60}) {
    CHECK(at(Family::spherical, 0.0, r).value == 0.0);
    CHECK(at(Family::spherical, 0.0, r).slope == 0.0);
    for (const double smoothness : {0.0, 1.0, 2.0}) {
      CHECK(at(Family::wendland, smoothness, r).value == 0.0);
      CHECK(at(Family::wendland, smoothness, r).slope == 0.0);
    }
  }
  for (const double r : {3.0, 7.7, 1e3, 123456.789, 1e8, 1e15, 1e17, 1e60}) {
    CAPTURE(r);
    const Correlation wave = at(Family::wave, 0.0, r);
    CHECK(std::abs(wave.value) <= 1.0 / r);
    if (r < 1e9) CHECK(std::abs(wave.value - std::sin(r) / r) < 1e-15);
    const Correlation periodic = at(Family::periodic, 0.5, r);
    CHECK(periodic.value <= 1.0);
    CHECK(periodic.value >= std::exp(-8.0) * (1.0 - 1e-14));
    CHECK(std::isfinite(periodic.slope));
  }
}

TEST_CASE("extreme ranges leave the correlation in [0, 1]: everything is far or everything is near" * extended) {
  const Data data(uniform_cloud(20, 2), 1);
  const LocalProblem problem(data.view(), neighbors_before(data, 5), {}, with_threads(1));
  for (Model& each : families())
    for (const double range : {1e-30, 1e-15, 1e-5, 1e5, 1e30}) {
      CAPTURE(each.name);
      CAPTURE(range);
      each.covariance.components[0].range[0] = range;
      with_each_instruction_set([&] {
        const LikelihoodSums sums = vecchia_sums(problem, each.covariance, true, with_threads(1));
        CHECK(sums.failed == -1);
        CHECK(std::isfinite(sums.log_det));
        for (const double x : sums.d_gram) CHECK(std::isfinite(x));
        for (const double x : sums.information) CHECK(std::isfinite(x));
        if (range > 1e-4) return;
        // these fall slowly
        const Family family = each.covariance.components[0].family;
        if (family == Family::cauchy || family == Family::wave) return;
        const bool is_rough = each.covariance.components[0].has_shape() && each.covariance.components[0].shape < 0.5;
        if (is_rough && family != Family::wendland && range > 1e-20) return;
        double independent = 0.0;
        for (const double noise : data.noise_scale) independent += std::log(1.3 + 0.2 * noise);
        CHECK(sums.log_det == doctest::Approx(independent).epsilon(1e-12));
      });
    }
}

TEST_CASE("scaled coordinates have the distance of the formulas") {
  for (const Model& model : structures()) {
    CAPTURE(model.name);
    const Cloud cloud = uniform_cloud(2, model.dim);
    const PreparedCovariance covariance = prepared(model.covariance, model.dim);
    for (std::size_t c = 0; c < covariance.components.size(); ++c) {
      std::vector<double> a(model.dim), b(model.dim);
      scale_point(covariance.components[c], model.dim, cloud.view()[0], a.data());
      scale_point(covariance.components[c], model.dim, cloud.view()[1], b.data());
      CHECK(
          std::sqrt(distance2(a.data(), b.data(), model.dim)) ==
          doctest::Approx(reference::scaled_distance(model.covariance.components[c], cloud.view()[0], cloud.view()[1]))
              .epsilon(1e-13));
    }
  }
}

TEST_CASE("the major axis of an anisotropy has the longer range") {
  const Component major = anisotropic(component(Family::exponential, 1.0, {2.0}, {0, 0}), 0.0, 0.5);
  const double origin[] = {0.0, 0.0}, diagonal[] = {1.0, 1.0}, across[] = {1.0, -1.0};
  const Covariance covariance{{major}, 0.0, {}};
  const PreparedCovariance ready = prepared(covariance, 2);
  double along_scaled[2], across_scaled[2];
  scale_point(ready.components[0], 2, diagonal, along_scaled);
  scale_point(ready.components[0], 2, across, across_scaled);
  CHECK(std::sqrt(distance2(along_scaled, origin, 2)) ==
        doctest::Approx(std::sqrt(2.0) / (2.0 * std::exp(0.5))).epsilon(1e-14));
  CHECK(std::sqrt(distance2(across_scaled, origin, 2)) ==
        doctest::Approx(std::sqrt(2.0) / (2.0 * std::exp(-0.5))).epsilon(1e-14));
}

TEST_CASE("parameters out of their domain are refused, by name") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const Component good = component(Family::matern, 1.0, {1.0}, {0, 0}, 1.5);
  CHECK_NOTHROW(check_covariance({{good}, 0.0, {}}, 2));
  for (const double bad : {0.0, -1.0, nan, inf}) {
    Component changed = good;
    changed.variance = bad;
    check_refused(changed, "The variance of a covariance must be positive and finite.");
    changed = good;
    changed.range[0] = bad;
    check_refused(changed, "The range of a covariance must lie between 1e-30 and 1e30.");
    changed = good;
    changed.shape = bad;
    check_refused(changed, "The smoothness of a Matern covariance must lie between 0.01 and 50.");
  }
  check_refused(good, "A covariance must say for each coordinate which range divides it.", 3);
  Component changed = good;
  changed.group[1] = 1;
  check_refused(changed, "A coordinate refers to a range that the covariance does not have.");
  check_refused(component(Family::powered_exponential, 1.0, {1.0}, {0, 0}, 2.1),
                "The power of a powered exponential covariance must lie in (0, 2].");
  check_refused(component(Family::cauchy, 1.0, {1.0}, {0, 0}, nan),
                "The shape of a Cauchy covariance must be positive.");
  check_refused(component(Family::wendland, 1.0, {1.0}, {0, 0}, 3.0),
                "The smoothness of a Wendland covariance must be 0, 1 or 2.");
  check_refused(component(Family::periodic, 1.0, {1.0}, {0, 0}, 0.0),
                "The lengthscale of a periodic covariance must lie between 0.001 and 1000.");
  check_refused(anisotropic(component(Family::exponential, 1.0, {1.0, 1.0}, {0, 1}), 0.1, 0.1),
                "Geometric anisotropy needs two coordinates that share the first range.");
  check_refused(anisotropic(component(Family::exponential, 1.0, {1.0}, {0, 0}), nan, 0.1),
                "The anisotropy of a covariance must lie between -10 and 10.");
  check_refused(rotated_in_space(component(Family::exponential, 1.0, {1.0, 1.0}, {0, 0, 1}), {0.1, 0.1, 0.1, 0.1, 0.1}),
                "Geometric anisotropy needs three coordinates that share the first range.", 3);
  check_refused(rotated_in_space(component(Family::exponential, 1.0, {1.0}, {0, 0, 0}), {0.1, 0.1, 0.1}),
                "An anisotropy takes two numbers, or five in three coordinates.", 3);
  CHECK_THROWS_AS(check_covariance({{}, 0.1, {}}, 2), Error);
  for (const double bad : {-1.0, nan, inf}) CHECK_THROWS_AS(check_covariance({{good}, bad, {}}, 2), Error);
  CHECK_THROWS_AS(check_covariance({{good}, 0.1, {1, 1}}, 2), Error);
  CHECK_NOTHROW(check_covariance({std::vector<Component>(8, good), 0.1, {}}, 2));
  CHECK_THROWS_WITH_AS(check_covariance({std::vector<Component>(9, good), 0.1, {}}, 2),
                       "A covariance can have at most 8 components.", Error);
  CHECK_THROWS_AS(family_from_name("circular"), Error);
}

TEST_CASE("values are those of the parameters in the order of their derivatives, of one output and of several") {
  const auto ramp = [](int count) {
    std::vector<double> values;
    for (int a = 0; a < count; ++a) values.push_back(a + 1.0);
    return values;
  };
  Component local = component(Family::matern, 0.0, {0.0, 0.0}, {0, 1}, 0.0);
  local.log_sd = {{2}, {0.0}};
  local.warps = {{0, {{2, 3}, {0.0, 0.0}}, true}};
  Covariance one{{local}, 0.0, {}};
  set_parameter_values(one, ramp(one.parameters()));
  CHECK(parameter_values(one) == ramp(8));
  const Component& set = one.components[0];
  CHECK(set.variance == 1.0);
  CHECK(set.range == std::vector<double>{2.0, 3.0});
  CHECK(set.shape == 4.0);
  CHECK(set.log_sd.coefficients[0] == 5.0);
  CHECK(set.warps[0].field.coefficients == std::vector<double>{6.0, 7.0});
  CHECK(one.nugget == 8.0);

  Component loaded = anisotropic(component(Family::exponential, 1.0, {0.0}, {0, 0}, 0.0), 0.0, 0.0);
  loaded.loadings = {0.0, 0.0};
  Covariance two{{loaded}, 0.5, {}, {0.0, 0.0}};
  set_parameter_values(two, ramp(two.parameters()));
  CHECK(parameter_values(two) == ramp(7));
  CHECK(two.components[0].loadings == std::vector<double>{1.0, 2.0});
  CHECK(two.components[0].variance == 1.0);
  CHECK(two.components[0].range[0] == 3.0);
  CHECK(two.components[0].anisotropy[1] == 5.0);
  CHECK(two.output_nuggets == std::vector<double>{6.0, 7.0});
  CHECK(two.nugget == 0.5);
  CHECK_THROWS_WITH_AS(set_parameter_values(two, ramp(6)), "There must be one value for each covariance parameter.",
                       Error);
}
