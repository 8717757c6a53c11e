#include "core_fixtures.h"

#include <algorithm>
#include <cmath>

namespace fixtures {

std::vector<const char*>& tested_instruction_sets() {
  static std::vector<const char*> names = neargp::instruction_sets();
  return names;
}

Data::Data(Cloud cloud_, int columns_) : cloud(std::move(cloud_)), columns(columns_) {
  const neargp::Philox random(3);
  const neargp::Index n = cloud.view().n;
  for (neargp::Index i = 0; i < n; ++i) {
    noise_scale.push_back(0.5 + 1.5 * random.uniform(std::uint64_t(i)));
    for (int c = 0; c < columns; ++c)
      values.push_back(c == 1 ? 1.0 : random.normal(std::uint64_t(n + i * columns + c)));
  }
}

std::vector<double> Data::beta() const {
  std::vector<double> beta;
  for (int c = 1; c < columns; ++c) beta.push_back(0.3 - 0.2 * c);
  return beta;
}

neargp::NeighborTable neighbors_before(const Data& data, int k) {
  return nearest_before(data.cloud.view(), shuffled(int(data.cloud.view().n)), k, with_threads(1));
}

neargp::NeighborTable neighbors_others(const Data& data, int k) {
  return nearest_others(data.cloud.view(), k, with_threads(1));
}

neargp::LocalProblem with_few_targets(const Data& data, int k) {
  const neargp::NeighborTable all = neighbors_before(data, k);
  std::vector<int> targets;
  int with_all = 0, with_fewer = 0;
  for (neargp::Index t = 0; t < all.n; ++t)
    if ((k > 0 && all[t][k - 1] >= 0 ? with_all : with_fewer)++ < 6) targets.push_back(int(t));
  neargp::NeighborTable table(neargp::Index(targets.size()), k);
  for (std::size_t t = 0; t < targets.size(); ++t) std::copy_n(all[targets[t]], k, table[neargp::Index(t)]);
  return neargp::LocalProblem(data.view(), table, targets, with_threads(1));
}

neargp::Component component(neargp::Family family, double variance, std::vector<double> range, std::vector<int> group,
                            double shape) {
  neargp::Component result;
  result.family = family;
  result.variance = variance;
  result.range = std::move(range);
  result.group = std::move(group);
  result.shape = shape;
  return result;
}

neargp::Component anisotropic(neargp::Component result, double u, double v) {
  result.anisotropy = {u, v};
  return result;
}

neargp::Component rotated_in_space(neargp::Component result, std::vector<double> axes) {
  result.anisotropy = std::move(axes);
  return result;
}

Model model(std::string name, std::vector<neargp::Component> components, bool fixed_shape) {
  Model result{std::move(name), int(components[0].group.size()), {std::move(components), 0.2, {}}};
  if (fixed_shape) {
    result.covariance.active.assign(result.covariance.parameters(), 1);
    result.covariance.active[result.covariance.components[0].parameters() - 1] = 0;
  }
  return result;
}

std::vector<Model> families() {
  using neargp::Family;
  const auto isotropic = [](Family family, double range, double shape = 0.0) {
    return component(family, 1.3, {range}, {0, 0}, shape);
  };
  std::vector<Model> models;
  for (const double nu : {0.5, 1.5, 2.5, 3.5})
    models.push_back(model("closed Matern " + std::to_string(nu), {isotropic(Family::matern, 0.3, nu)}, true));
  models.push_back(model("tabulated Matern, nu fixed", {isotropic(Family::matern, 0.3, 0.83)}, true));
  for (const double nu : {0.3, 0.5, 1.5, 2.2, 6.1})
    models.push_back(model("Matern " + std::to_string(nu), {isotropic(Family::matern, 0.2, nu)}));
  models.push_back(model("exponential", {isotropic(Family::exponential, 0.3)}));
  models.push_back(model("Gaussian", {isotropic(Family::gaussian, 0.2)}));
  for (const double power : {0.3, 1.3, 1.9})
    models.push_back(model("power " + std::to_string(power), {isotropic(Family::powered_exponential, 0.3, power)}));
  models.push_back(model("Cauchy", {isotropic(Family::cauchy, 0.3, 0.9)}));
  // The slope of these may jump at the range. All distances are below it, since references are differences.
  models.push_back(model("spherical", {isotropic(Family::spherical, 1.5)}));
  for (const double smoothness : {0.0, 1.0, 2.0})
    models.push_back(model("Wendland " + std::to_string(smoothness),
                           {isotropic(Family::wendland, smoothness > 0.0 ? 0.9 : 1.5, smoothness)}, true));
  models.push_back(model("wave", {isotropic(Family::wave, 0.15)}));
  return models;
}

std::vector<Model> structures() {
  using neargp::Family;
  const auto matern = component(Family::matern, 1.1, {0.3}, {0, 0}, 2.5);
  const auto rough = component(Family::exponential, 0.4, {0.05}, {0, 0});
  return {
      model("one coordinate", {component(Family::matern, 1.2, {0.1}, {0}, 1.5)}, true),
      model("a range for each coordinate", {component(Family::matern, 1.2, {0.3, 0.5}, {0, 1}, 1.5)}, true),
      model("anisotropy", {anisotropic(matern, 0.3, -0.4)}, true),
      model("anisotropy at isotropy", {anisotropic(matern, 0.0, 0.0)}, true),
      model("anisotropy of an exponential", {anisotropic(rough, -0.2, 0.7)}),
      model("space and time", {component(Family::matern, 1.0, {0.4, 0.8}, {0, 0, 1}, 0.9)}),
      model("anisotropic space and time",
            {anisotropic(component(Family::cauchy, 1.0, {0.4, 0.8}, {0, 0, 1}, 0.9), 0.2, 0.3)}),
      model("a rotation of three coordinates",
            {rotated_in_space(component(Family::matern, 1.1, {0.4}, {0, 0, 0}, 2.5), {0.3, -0.2, 0.25, -0.3, 0.4})},
            true),
      model(
          "a rotation at isotropy, and a further coordinate",
          {rotated_in_space(component(Family::cauchy, 1.0, {0.4, 0.8}, {0, 0, 0, 1}, 0.9), {0.0, 0.0, 0.0, 0.0, 0.0})}),
      model("a rotation with two equal ranges",
            {rotated_in_space(component(Family::exponential, 1.1, {0.4}, {0, 0, 0}), {0.0, 0.0, 0.0, 0.0, -0.5}),
             component(Family::gaussian, 0.3, {0.3}, {0, 0, 0})}),
      model("five coordinates, three ranges",
            {component(Family::powered_exponential, 1.0, {0.4, 0.8, 1.5}, {2, 0, 1, 0, 2}, 1.4)}),
      model("components of some of the coordinates", {component(Family::matern, 0.9, {0.3}, {-1, 0, 0, -1}, 1.5),
                                                      component(Family::exponential, 0.5, {0.4}, {0, -1, -1, -1}),
                                                      component(Family::cosine, 0.1, {}, {-1, -1, 0, 0}),
                                                      component(Family::cosine, 0.1, {4.0}, {-1, 0, -1, 0})}),
      model("a period of one coordinate", {component(Family::matern, 0.9, {0.3}, {0, 0, 0}, 2.5),
                                           component(Family::periodic, 0.5, {1.2}, {-1, -1, 0}, 0.9)}),
      model("a sum of two", {matern, rough}, true),
      model("a sum of three", {component(Family::matern, 0.9, {0.2, 0.4}, {0, 1}, 1.2),
                               anisotropic(component(Family::cauchy, 0.4, {0.5}, {0, 0}, 0.7), 0.1, 0.2),
                               component(Family::gaussian, 0.3, {0.15}, {0, 0})}),
  };
}

std::vector<Model> all_models() {
  std::vector<Model> models = families();
  for (Model& structure : structures()) models.push_back(std::move(structure));
  return models;
}

double difference(const Eigen::MatrixXd& value, const Eigen::MatrixXd& expected) {
  return (value - expected).cwiseAbs().maxCoeff() / std::max(1.0, expected.cwiseAbs().maxCoeff());
}

Eigen::MatrixXd square(const std::vector<double>& entries, int size, int skip) {
  return Eigen::Map<const Eigen::MatrixXd>(entries.data() + std::size_t(skip) * size * size, size, size);
}

void check_values(const neargp::LikelihoodSums& sums, const reference::Sums& expected) {
  CHECK(sums.failed == -1);
  CHECK(std::abs(sums.log_det - expected.log_det) < 1e-10 * std::max(1.0, std::abs(expected.log_det)));
  CHECK(difference(square(sums.gram, int(expected.gram.rows())), expected.gram) < 1e-10);
}

void check_derivatives(const neargp::LikelihoodSums& sums, const reference::Sums& expected) {
  const int p = int(expected.d_log_det.size());
  const Eigen::Map<const Eigen::VectorXd> d_log_det(sums.d_log_det.data(), p);
  CHECK(difference(d_log_det, expected.d_log_det) < 1e-7);
  for (int a = 0; a < p; ++a)
    CHECK(difference(square(sums.d_gram, int(expected.gram.rows()), a), expected.d_gram[a]) < 1e-7);
  CHECK(difference(square(sums.information, p), expected.information) < 1e-7);
}

namespace {

double log_density(const reference::Sums& sums, const Eigen::VectorXd& contrast, double count) {
  return -0.5 * (count * std::log(2.0 * std::acos(-1.0)) + sums.log_det + contrast.dot(sums.gram * contrast));
}

}  // namespace

void check_gradient(const neargp::ObjectiveGradient& objective, const reference::Sums& expected,
                    const std::vector<double>& beta, double count) {
  Eigen::VectorXd contrast(1 + beta.size());
  contrast[0] = 1.0;
  for (std::size_t c = 0; c < beta.size(); ++c) contrast[Eigen::Index(c) + 1] = -beta[c];
  Eigen::VectorXd gradient = -0.5 * expected.d_log_det;
  for (Eigen::Index a = 0; a < gradient.size(); ++a)
    gradient[a] -= 0.5 * contrast.dot(expected.d_gram[std::size_t(a)] * contrast);
  CHECK(objective.failed == -1);
  CHECK(objective.value == doctest::Approx(log_density(expected, contrast, count)).epsilon(1e-9));
  CHECK(difference(Eigen::Map<const Eigen::VectorXd>(objective.gradient.data(), gradient.size()), gradient) < 1e-7);
}

}  // namespace fixtures
