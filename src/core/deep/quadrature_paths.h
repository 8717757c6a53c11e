// The components of a deep Gaussian process: paths from the rows to the last layer, which take one site of each hidden
// layer.
//
// One path enters the first layer, and each hidden layer splits the paths that enter it. Where sites are lined up
// (SiteRule::free and random), only the first hidden layer splits its path. Component s then takes site s of every
// layer.
#pragma once

#include "deep/deep_state.h"

namespace neargp {

class QuadraturePaths {
 public:
  // SiteRule::random draws its sites for each step. In step 0 they are the same for all rows. The state outlives the
  // object.
  explicit QuadraturePaths(const DeepState& state, std::uint64_t step = 0);

  // The number of paths that enter a layer, counted from 0, or leave the last hidden one.
  Index paths(std::size_t layer) const { return paths_[layer]; }
  Index components() const { return paths_.back(); }

  // The path that entered the hidden layer and split into `path`, and the site of that path for a unit and a row of the
  // data.
  Index parent(std::size_t layer, Index path) const {
    return paths_[layer + 1] == paths_[layer] ? path : path / (paths_[layer + 1] / paths_[layer]);
  }
  double site(std::size_t layer, Index path, Index unit, Index row) const;

  // Turns derivatives in the sites of all paths behind each hidden layer (paths x units) into those in state.sites.
  void gradient(const std::vector<Eigen::MatrixXd>& bars, DeepState& gradient) const;

 private:
  Index grid_row(std::size_t layer, Index path, Index unit) const;

  const DeepState& state_;
  std::uint64_t step_;
  std::vector<Index> paths_;
  Index widest_ = 1;
  bool lined_up_;
};

}  // namespace neargp
