#include "sparse_fixtures.h"

#include <cmath>

#include "conditional/backend.h"
#include "geometry/ordering.h"

namespace fixtures {

using namespace neargp;

VecchiaCliques::VecchiaCliques(int n, int k)
    : cloud(uniform_cloud(n, 2)), order(maxmin_order(cloud.view(), with_threads(1))),
      neighbors(nearest_before(cloud.view(), order, k, with_threads(1))) {
  for (Index j = 0; j < n; ++j) {
    member.push_back(int(j));
    member.insert(member.end(), neighbors[j], neighbors[j] + k);
  }
}

SparsePattern VecchiaCliques::pattern(int threads) const {
  return SparsePattern(n(), order, {table()}, with_threads(threads));
}

VecchiaPrecision::VecchiaPrecision(const VecchiaCliques& cliques, double weight_, double jitter)
    : scale(std::size_t(cliques.n())), weight(std::size_t(cliques.n()), weight_) {
  Component component;
  component.family = Family::matern;
  component.variance = 1.0;
  component.range = {0.1};
  component.group = {0, 0};
  component.shape = 1.5;
  const Covariance covariance{{component}, jitter, {}};
  const std::vector<double> noise_scale(scale.size(), 1.0);
  LocalView view;
  view.dim = 2;
  view.k = cliques.neighbors.k;
  view.coords = cliques.cloud.coords.data();
  view.noise_scale = noise_scale.data();
  view.targets = cliques.n();
  view.target_coords = cliques.cloud.coords.data();
  view.neighbors = cliques.neighbors.index.data();
  std::vector<double> b(scale.size() * std::size_t(view.k));
  const PreparedCovariance prepared = prepare(covariance, 2, false);
  DeviceView(cpu_backend(), view)
      .run(ConditionalWeights{false, nullptr, scale.data(), b.data()}, prepared, with_threads(1));
  for (std::size_t j = 0; j < scale.size(); ++j) {
    scale[j] = 1.0 / (scale[j] + jitter);
    vectors.push_back(1.0);
    for (int r = 0; r < view.k; ++r) vectors.push_back(-b[j * std::size_t(view.k) + std::size_t(r)]);
  }
}

std::vector<double> VecchiaPrecision::values(const SparsePattern& pattern) const {
  std::vector<double> values(pattern.entries(), 0.0);
  pattern.add_outer_products(0, vectors.data(), scale.data(), values.data());
  pattern.add_diagonal(weight.data(), values.data());
  return values;
}

Eigen::MatrixXd dense(const SparsePattern& pattern, const std::vector<double>& values) {
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(pattern.nodes(), pattern.nodes());
  for (Index j = 0; j < pattern.nodes(); ++j) {
    matrix(pattern.node(j), pattern.node(j)) = values[pattern.start(j)];
    for (int entry = 0; entry < pattern.count(j); ++entry) {
      const int a = pattern.node(j), b = pattern.node(pattern.rows(j)[entry]);
      matrix(a, b) = matrix(b, a) = values[pattern.start(j) + 1 + std::size_t(entry)];
    }
  }
  return matrix;
}

}  // namespace fixtures
