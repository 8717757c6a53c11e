#include "deep/quadrature_paths.h"

#include <algorithm>

#include "base/error.h"
#include "random/philox.h"

namespace neargp {

using Eigen::MatrixXd;

QuadraturePaths::QuadraturePaths(const DeepState& state, std::uint64_t step)
    : state_(state), step_(step), lined_up_(state.rule == SiteRule::free || state.rule == SiteRule::random) {
  const std::size_t hidden = state.layers.size() - 1;
  const bool random = state.rule == SiteRule::random;
  if (!random && state.sites.size() != hidden) throw Error("Each hidden layer must have its sites.");
  paths_.push_back(1);
  for (std::size_t layer = 0; layer < hidden; ++layer) {
    const Index width = Index(state.layers[layer].units.size()),
                sites = random ? state.samples : state.sites[layer].rows();
    if (sites < 1 || (!random && state.sites[layer].cols() != width))
      throw Error("A hidden layer must have a site at least, and a column of sites for each unit.");
    widest_ = std::max(widest_, width);
    if (lined_up_) {
      if (layer > 0 && sites != paths_.back())
        throw Error("Hidden layers must have equally many sites, which are lined up.");
      paths_.push_back(sites);
      continue;
    }
    paths_.push_back(paths_.back());
    for (Index unit = 0; unit < width; ++unit) paths_.back() *= sites;
  }
  if (state.log_weights.size() != components()) throw Error("Each component must have a weight.");
}

// A path of a grid is a number in the base of the layer's number of sites. Its last digits are those of the layer's
// units.
Index QuadraturePaths::grid_row(std::size_t layer, Index path, Index unit) const {
  const Index sites = state_.sites[layer].rows();
  for (Index later = state_.sites[layer].cols() - 1; later > unit; --later) path /= sites;
  return path % sites;
}

double QuadraturePaths::site(std::size_t layer, Index path, Index unit, Index row) const {
  if (state_.rule == SiteRule::random) {
    const Index of_row = step_ == 0 ? 0 : row, hidden = Index(state_.layers.size()) - 1;
    const Index draw = ((of_row * components() + path) * hidden + Index(layer)) * widest_ + unit;
    return Philox(state_.seed, step_).normal(std::uint64_t(draw));
  }
  return state_.sites[layer](lined_up_ ? path : grid_row(layer, path, unit), unit);
}

void QuadraturePaths::gradient(const std::vector<MatrixXd>& bars, DeepState& gradient) const {
  if (!state_.learns_sites()) return;
  for (std::size_t layer = 0; layer < bars.size(); ++layer) {
    MatrixXd& sites = gradient.sites[layer];
    for (Index unit = 0; unit < bars[layer].cols(); ++unit)
      for (Index path = 0; path < bars[layer].rows(); ++path)
        sites(lined_up_ ? path : grid_row(layer, path, unit), unit) += bars[layer](path, unit);
    // The derivative of a pair t and -t in t, and its negative for -t.
    if (state_.rule == SiteRule::symmetric) sites = (sites - sites.colwise().reverse()).eval();
  }
}

}  // namespace neargp
