#include "deep/deep_objective.h"

#include <algorithm>
#include <mutex>

#include "variational/padded_places.h"
#include "variational/sum_rows.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// The rows as the layers take them: the features of the network, or x itself where there is none.
class LayerRowsInput {
 public:
  LayerRowsInput(const DeepState& state, Points x) : x_(x) {
    if (!state.network) return;
    pass_.emplace(*state.network, Eigen::Map<const RowMajorMatrix>(x.data, x.n, x.dim));
    features_ = pass_->outputs();
    x_ = {features_.data(), x.n, int(features_.cols())};
  }

  Points view() const { return x_; }

  // Adds the network's gradient and its decay, given derivatives in the features.
  void finish(const DeepState& state, const MatrixXd& bar, DeepValue& result) const {
    if (!pass_) return;
    const std::vector<double>& weights = state.network->weights;
    std::vector<double> gradient = pass_->gradient(bar);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      gradient[i] -= state.weight_decay * weights[i];
      result.value -= 0.5 * state.weight_decay * weights[i] * weights[i];
    }
    result.gradient.network->weights = std::move(gradient);
  }

  MatrixXd zero_bar() const { return pass_ ? MatrixXd::Zero(x_.n, x_.dim) : MatrixXd(); }

 private:
  std::optional<PerceptronPass> pass_;
  RowMajorMatrix features_;
  Points x_;
};

ChainRows part_of(Points x, const int* of_data, Index first, Index count) {
  return {{x[first], count, x.dim}, of_data ? of_data + first : nullptr, first};
}

}  // namespace

struct DeepWorkspace::Memory {
  struct Sums {
    ChainSums chain;
    ScoreSums score;

    void add(const Sums& other) {
      chain.add(other.chain);
      score.add(other.score);
    }
  };

  // The layers of blocks that are computed at the same time, as many as there are threads.
  class LayersPool {
   public:
    std::unique_ptr<std::vector<LayerRows>> take() {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (free_.empty()) return std::make_unique<std::vector<LayerRows>>();
      auto layers = std::move(free_.back());
      free_.pop_back();
      return layers;
    }

    void give_back(std::unique_ptr<std::vector<LayerRows>> layers) {
      const std::lock_guard<std::mutex> lock(mutex_);
      free_.push_back(std::move(layers));
    }

   private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<std::vector<LayerRows>>> free_;
  };

  std::optional<RowSums<Sums>> sums;
  LayersPool layers;

  RowSums<Sums>& zero_sums(const DeepState& state, const DeepChain& chain, Index n) {
    if (sums)
      sums->restart();
    else
      sums.emplace(n, chain.on_device() ? n : rows_per_sum, chain.sums_size(),
                   Sums{chain.zero_sums(), ScoreSums(state)});
    return *sums;
  }
};

DeepWorkspace::DeepWorkspace() : memory_(std::make_unique<Memory>()) {}
DeepWorkspace::~DeepWorkspace() = default;

DeepValue deep_objective(const DeepState& state, const DeepRows& rows, const DeepObjectiveSettings& settings,
                         const RunContext& context) {
  DeepWorkspace workspace;
  return deep_objective(state, rows, settings, context, workspace);
}

DeepValue deep_objective(const DeepState& state, const DeepRows& rows, const DeepObjectiveSettings& settings,
                         const RunContext& context, DeepWorkspace& workspace) {
  DeepValue result;
  const LayerRowsInput input(state, rows.x);
  MatrixXd x_bar = input.zero_bar();
  const DeepChain chain(state, input.view().dim, true, context, settings.step);
  result.failure = chain.failure();
  if (result.failure) return result;
  const Index n = rows.x.n, block = chain.block_rows(n);
  RowSums<DeepWorkspace::Memory::Sums>& parts = workspace.memory().zero_sums(state, chain, n);
  parts.add(n, chain.computing(context), [&](Index begin, Index end, DeepWorkspace::Memory::Sums& sum) {
    auto layers = workspace.memory().layers.take();
    for (Index first = begin; first < end; first += block) {
      const Index count = std::min(block, end - first);
      if (chain.on_device() && context.check_interrupt) context.check_interrupt();
      const ChainRows part = part_of(input.view(), rows.of_data, first, count);
      chain.layers(part, true, product_engine(), *layers);
      MomentDerivatives slope = add_scores(state, settings.score, settings.gamma, rows_of(rows.response, first, count),
                                           {layers->back().mean, layers->back().variance}, 1.0 / double(n), sum.score);
      chain.adjoint(*layers, part, std::move(slope.mean), std::move(slope.variance), sum.chain,
                    state.network ? &x_bar : nullptr);
    }
    workspace.memory().layers.give_back(std::move(layers));
  });
  DeepWorkspace::Memory::Sums sums = parts.total();
  const double divergence_weight = settings.beta / double(settings.rows > 0 ? settings.rows : n);
  result.value = sums.score.value - divergence_weight * chain.divergence();
  result.gradient = zero_gradient(state);
  chain.finish(sums.chain, divergence_weight, context, result.gradient);
  if (state.learns_sites()) result.gradient.log_weights = sums.score.log_weights;
  for (std::size_t p = 0; p < state.likelihood.parameters.size(); ++p)
    result.gradient.likelihood.parameters[p] = sums.score.likelihood[Index(p)];
  result.gradient.output_noise = sums.score.output_noise;
  result.gradient.mixing = sums.score.mixing;
  result.gradient.trend = sums.score.trend;
  input.finish(state, x_bar, result);
  return result;
}

namespace {

// Calls body(first, count, moments) for blocks of rows, on the CPU on several threads. All blocks are of one size: rows
// beyond `count` are copies.
template <class Body>
std::optional<SingularUnit> over_predictions(const DeepState& state, Points x, const RunContext& context,
                                             const Body& body) {
  const LayerRowsInput input(state, x);
  const DeepChain chain(state, input.view().dim, false, context);
  if (chain.failure()) return chain.failure();
  const Index block = chain.block_rows(x.n);
  parallel_for(chain.computing(context), (x.n + block - 1) / block, [&](Index b) {
    const PaddedPlaces places(input.view(), b * block, block);
    // With this engine, the result for a column does not depend on the position of the column.
    std::vector<LayerRows> layers;
    chain.layers({places.view()}, false, eigen_engine(), layers);
    body(b * block, std::min(block, x.n - b * block), layers.back());
  });
  return std::nullopt;
}

// The rows of `moments` that are the first `count` of each component.
MatrixXd first_rows(const MatrixXd& moments, Index components, Index count) {
  MatrixXd result(components * count, moments.cols());
  const Index block = moments.rows() / components;
  for (Index s = 0; s < components; ++s) result.middleRows(s * count, count) = moments.middleRows(s * block, count);
  return result;
}

}  // namespace

DeepPrediction deep_components(const DeepState& state, Points x, const RunContext& context) {
  const Index components = state.log_weights.size(), outputs = state.outputs();
  DeepPrediction result{MatrixXd(x.n, components * outputs), MatrixXd(x.n, components * outputs), std::nullopt};
  const MatrixXd mixing = state.mixed() ? state.mixing : MatrixXd::Ones(1, 1);
  const MatrixXd squares = mixing.cwiseAbs2();
  result.failure = over_predictions(state, x, context, [&](Index first, Index count, const LayerRows& last) {
    const MatrixXd mean = last.mean * mixing, variance = last.variance * squares;
    const Index block = mean.rows() / components;
    for (Index output = 0; output < outputs; ++output)
      for (Index s = 0; s < components; ++s) {
        result.mean.col(output * components + s).segment(first, count) = mean.col(output).segment(s * block, count);
        result.variance.col(output * components + s).segment(first, count) =
            variance.col(output).segment(s * block, count);
      }
  });
  return result;
}

DeepDensity deep_density(const DeepState& state, Points x, const DeepResponse& response, const RunContext& context) {
  DeepDensity result{VectorXd(x.n), std::nullopt};
  const Index components = state.log_weights.size();
  result.failure = over_predictions(state, x, context, [&](Index first, Index count, const LayerRows& last) {
    const MatrixXd mean = first_rows(last.mean, components, count),
                   variance = first_rows(last.variance, components, count);
    result.value.segment(first, count) = mixture_log_density(state, rows_of(response, first, count), {mean, variance});
  });
  return result;
}

}  // namespace neargp
