// Precisions of Vecchia priors plus weights, on the patterns of their cliques.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "geometry/neighbors.h"
#include "geometry_fixtures.h"
#include "linalg/sparse/sparse_factor.h"

namespace fixtures {

// n points in the unit square in maxmin order, k earlier neighbours each, and the cliques {j} u N(j).
struct VecchiaCliques {
  Cloud cloud;
  std::vector<int> order;
  neargp::NeighborTable neighbors;
  std::vector<int> member;  // n x (k + 1), the node itself first

  VecchiaCliques(int n, int k);

  neargp::Index n() const { return cloud.view().n; }
  int size() const { return neighbors.k + 1; }
  neargp::CliqueTable table() const { return {n(), size(), member.data()}; }
  neargp::SparsePattern pattern(int threads = 1) const;
};

// Q = sum_j a_j a_j' / f_j, with a_j = (1, -b_j), for a Matérn 3/2 covariance with range 0.1 and unit variance; and Q +
// W.
struct VecchiaPrecision {
  std::vector<double> vectors;  // n x (k + 1): a_j
  std::vector<double> scale;    // 1 / f_j
  std::vector<double> weight;

  VecchiaPrecision(const VecchiaCliques& cliques, double weight, double jitter = 1e-6);

  std::vector<double> values(const neargp::SparsePattern& pattern) const;
};

// The matrix, indexed by node, that a pattern's array of values represents.
Eigen::MatrixXd dense(const neargp::SparsePattern& pattern, const std::vector<double>& values);

}  // namespace fixtures
