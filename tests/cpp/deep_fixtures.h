// Deep Gaussian processes whose numbers are all in general position, and rows.
#pragma once

#include <algorithm>
#include <cmath>

#include "core_fixtures.h"
#include "deep/deep_score.h"
#include "deep/deep_state.h"
#include "random/philox.h"

namespace fixtures {

struct DeepCase {
  neargp::DeepState state;
  Cloud x;
  neargp::DeepResponse response;

  DeepCase(int layers, neargp::SiteRule rule, int n, int outputs = 1, bool full = false, int inducing = 4)
      : x(uniform_cloud(n, 2, 21)) {
    using namespace neargp;
    const int width = 2, sites = 3;
    for (int l = 0; l < layers; ++l) {
      const bool first = l == 0, last = l + 1 == layers;
      LayerState layer{{}, {!first && !last, !last}, {!first, first}};
      for (int u = 0; u < (last ? outputs : width); ++u)
        layer.units.push_back(
            unit(layer.kernel_inputs.count(width, x.dim), layer.mean_inputs.count(width, x.dim), full, inducing));
      state.layers.push_back(layer);
    }
    state.rule = rule;
    state.seed = 17;
    const bool random = rule == SiteRule::random, lined_up = rule == SiteRule::free || random;
    state.samples = sites;
    for (int l = 0; l + 1 < layers && !random; ++l) state.sites.push_back(normals(sites, width));
    const Index components = layers == 1 ? 1 : lined_up ? sites : Index(std::pow(sites, width * (layers - 1)));
    state.log_weights = random ? Eigen::VectorXd::Zero(components) : Eigen::VectorXd(normals(components, 1));
    state.log_weights.array() -= std::log(state.log_weights.array().exp().sum());
    state.likelihood.parameters = {0.3};
    response.outputs = outputs;
    for (int i = 0; i < n * outputs; ++i) response.y.push_back(next());
    if (outputs > 1) {
      state.likelihood.parameters.clear();
      state.mixing = normals(outputs, outputs);
      state.output_noise = normals(outputs, 1).array().exp();
    }
  }

  DeepCase with_rows_reversed() const {
    DeepCase other = *this;
    const std::size_t n = std::size_t(x.view().n), dim = std::size_t(x.dim);
    for (std::size_t i = 0; i < n; ++i) {
      std::copy_n(x.coords.begin() + long(i * dim), dim, other.x.coords.begin() + long((n - 1 - i) * dim));
      other.response.y[n - 1 - i] = response.y[i];
    }
    return other;
  }

 private:
  double next() { return neargp::Philox(99).normal(drawn_++); }

  Eigen::MatrixXd normals(neargp::Index rows, neargp::Index columns) {
    Eigen::MatrixXd result(rows, columns);
    for (neargp::Index i = 0; i < result.size(); ++i) result.data()[i] = next();
    return result;
  }

  neargp::UnitState unit(neargp::Index kernel_inputs, neargp::Index mean_inputs, bool full, neargp::Index m) {
    neargp::UnitState result;
    result.positions = normals(m, kernel_inputs);
    result.mean = normals(m, 1);
    if (full) {
      result.factor = (0.3 * normals(m, m)).triangularView<Eigen::StrictlyLower>();
      result.factor.diagonal() = (0.5 * normals(m, 1)).array().exp().matrix();
    } else {
      result.sd = (0.5 * normals(m, 1)).array().exp();
    }
    result.variance = std::exp(0.3 * next());
    result.range = (0.3 * normals(kernel_inputs, 1)).array().exp();
    result.weights = normals(mean_inputs, 1);
    result.constant = next();
    return result;
  }

  std::uint64_t drawn_ = 0;
};

}  // namespace fixtures
