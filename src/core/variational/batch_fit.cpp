#include "variational/batch_fit.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "base/error.h"
#include "optim/adam.h"
#include "optim/batches.h"

namespace neargp {

namespace {

// The numbers that Adam moves, on the scale on which it moves them.
class AdamParameters {
 public:
  AdamParameters(BatchFit& at, int dim, const BatchFitSettings& settings)
      : at_(at), dim_(dim), settings_(settings), is_shape_(shape_parameters(at.covariance)),
        shared_(settings.covariance.working(parameter_values(at.covariance))), own_(shared_.size()),
        shared_adam_(1, int(shared_.size() + at.likelihood.parameters.size())),
        position_adam_(settings.position_unit.empty() ? 0 : points(), dim),
        network_adam_(at.network ? 1 : 0, at.network ? int(at.network->weights.size()) : 0) {
    for (const double working : settings.likelihood.working(at.likelihood.parameters)) shared_.push_back(working);
    if (at.memory.epochs == 0) return;
    shared_ = at.memory.shared;
    shared_adam_.restore(at.memory.shared_adam);
    position_adam_.restore(at.memory.position_adam);
    network_adam_.restore(at.memory.network_adam);
  }

  void remember(BatchMemory& memory) const {
    memory.shared = shared_;
    memory.shared_adam = shared_adam_.memory();
    memory.position_adam = position_adam_.memory();
    memory.network_adam = network_adam_.memory();
  }

  void step(const BatchGradient& gradient, double rate) {
    const std::vector<double> slopes = shared_slopes(gradient);
    shared_adam_.step(0, shared_.data(), slopes.data(), rate);
    std::vector<double> values = parameter_values(at_.covariance);
    settings_.covariance.set_values(shared_.data(), values);
    set_parameter_values(at_.covariance, values);
    settings_.likelihood.set_values(shared_.data() + own_, at_.likelihood.parameters);
    if (!settings_.position_unit.empty())
      for (Index j = 0; j < points(); ++j) move_position(j, gradient.covariance.positions.row(j), rate);
  }

  void step_network(const std::vector<double>& gradient, double rate) {
    network_adam_.step(0, at_.network->weights.data(), gradient.data(), rate);
  }

 private:
  Index points() const { return Index(at_.positions.size()) / dim_; }

  std::vector<double> shared_slopes(const BatchGradient& gradient) const {
    const std::vector<double> values = parameter_values(at_.covariance);
    const std::vector<double>& given = gradient.covariance.parameters;
    std::vector<double> slopes;
    for (std::size_t a = 0; a < own_; ++a) {
      const double slope = working_slope(settings_.covariance.scale[a], is_shape_[a], values[a]);
      slopes.push_back(settings_.covariance.free[a] ? slope * given[a] : 0.0);
    }
    for (std::size_t a = 0; a < gradient.likelihood.size(); ++a)
      slopes.push_back(settings_.likelihood.free[a] ? gradient.likelihood[a] : 0.0);
    return slopes;
  }

  void move_position(Index j, const Eigen::RowVectorXd& gradient, double rate) {
    Eigen::Map<Eigen::RowVectorXd> position(at_.positions.data() + j * dim_, dim_);
    const double radius = settings_.spherical ? position.head(3).norm() : 0.0;
    position_adam_.step(j, position.data(), gradient.data(), rate, settings_.position_unit.data());
    if (settings_.spherical) position.head(3) *= radius / position.head(3).norm();
  }

  BatchFit& at_;
  int dim_;
  const BatchFitSettings& settings_;
  std::vector<bool> is_shape_;
  std::vector<double> shared_;  // covariance, then likelihood
  std::size_t own_;             // parameters of the covariance
  RowAdam shared_adam_, position_adam_, network_adam_;
};

// A single gradient whose square overflows would stop a parameter of Adam for good.
bool usable(const BatchGradient& gradient) {
  const auto small = [](double x) { return std::abs(x) < 1e150; };
  const std::vector<double>& own = gradient.covariance.parameters;
  return small(gradient.score) && std::all_of(own.begin(), own.end(), small) &&
         std::all_of(gradient.likelihood.begin(), gradient.likelihood.end(), small) &&
         gradient.covariance.positions.unaryExpr(small).all() && gradient.mean.unaryExpr(small).all() &&
         gradient.root.unaryExpr(small).all() && gradient.coords.unaryExpr(small).all();
}

Eigen::VectorXd take(const Eigen::VectorXd& from, const std::vector<int>& rows) {
  Eigen::VectorXd taken(Index(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) taken[Index(i)] = from[rows[i]];
  return taken;
}

// The posterior q during a run. It moves on the rows of a batch and computes their gradient: natural gradients after
// the move, Adam before it.
class MovingPosterior {
 public:
  MovingPosterior(const BatchFitStart& start, const BatchFitSettings& settings, const RunContext& context)
      : start_(start), settings_(settings), context_(context) {}
  virtual ~MovingPosterior() = default;
  virtual BatchGradient gradient(const InducingFactor& factor, const RowBatch& batch, const Likelihood& likelihood,
                                 const std::vector<int>& rows) = 0;
  virtual void accept(BatchGradient gradient, double rate) = 0;
  virtual RootedPosterior at() const = 0;
  virtual void remember(BatchMemory& memory) const = 0;

 protected:
  NaturalPosterior first(const NaturalStep& step, const std::vector<int>& rows) const {
    return step.posterior(take(start_.pseudo_observations.precision, rows),
                          take(start_.pseudo_observations.natural, rows));
  }

  const BatchFitStart& start_;
  const BatchFitSettings& settings_;
  const RunContext& context_;
};

class NaturalMoves : public MovingPosterior {
 public:
  NaturalMoves(const BatchFitStart& start, const BatchFitSettings& settings, const RunContext& context)
      : MovingPosterior(start, settings, context) {
    if (!start.before) return;
    q_ = start.before->memory.natural;
    steps_ = start.before->memory.moves;
  }

  BatchGradient gradient(const InducingFactor& factor, const RowBatch& batch, const Likelihood& likelihood,
                         const std::vector<int>& rows) override {
    const NaturalStep step(factor, batch, likelihood, settings_.objective, context_);
    ++steps_;
    q_ = steps_ == 1 ? first(step, rows) : step.moved(q_, std::max(settings_.natural_rate, 1.0 / double(steps_)));
    return step.gradient(q_);
  }
  void accept(BatchGradient, double) override {}
  RootedPosterior at() const override { return rooted(q_); }
  void remember(BatchMemory& memory) const override {
    memory.natural = q_;
    memory.moves = steps_;
  }

 private:
  NaturalPosterior q_;
  Index steps_ = 0;
};

class AdamMoves : public MovingPosterior {
 public:
  using MovingPosterior::MovingPosterior;

  BatchGradient gradient(const InducingFactor& factor, const RowBatch& batch, const Likelihood& likelihood,
                         const std::vector<int>& rows) override {
    const Index trend = batch.response.coefficients;
    if (!q_ && start_.before) {
      q_ = std::make_unique<AdamPosterior>(start_.before->memory.adam, trend, settings_.objective.kl_weight);
    } else if (!q_ && start_.posterior.mean.size() > 0) {
      q_ = std::make_unique<AdamPosterior>(start_.posterior, trend, settings_.objective.kl_weight);
    } else if (!q_) {
      const NaturalStep step(factor, batch, likelihood, settings_.objective, context_);
      q_ = std::make_unique<AdamPosterior>(with_covariance_root(rooted(first(step, rows))), trend,
                                           settings_.objective.kl_weight);
    }
    const BatchRows at(factor, batch, likelihood, settings_.objective, context_);
    return at.gradient(q_->at(), at.moments(q_->at()), true);
  }
  void accept(BatchGradient gradient, double rate) override { q_->step(std::move(gradient), rate); }
  RootedPosterior at() const override { return q_->at(); }
  void remember(BatchMemory& memory) const override { memory.adam = q_->memory(); }

 private:
  std::unique_ptr<AdamPosterior> q_;
};

// The network at the rows of a batch, whose coordinates its outputs become.
class BatchNetwork {
 public:
  BatchNetwork(const Perceptron& network, RowBatch& batch) : network_(network), pass_(network, inputs(batch)) {
    const RowMajor coords = pass_.outputs();
    batch.coords.assign(coords.data(), coords.data() + coords.size());
    batch.moves = true;
  }

  // The gradient of the objective of n rows in the weights, given its derivatives in the coordinates.
  std::vector<double> gradient(const Eigen::MatrixXd& coords_bar, double decay_of_rows) const {
    std::vector<double> gradient = pass_.gradient(coords_bar);
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] -= decay_of_rows * network_.weights[i];
    return gradient;
  }

 private:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  Eigen::MatrixXd inputs(const RowBatch& batch) const {
    return Eigen::Map<const RowMajor>(batch.coords.data(), batch.response.n(), network_.inputs());
  }

  const Perceptron& network_;
  PerceptronPass pass_;
};

double squared_norm(const std::vector<double>& x) { return std::inner_product(x.begin(), x.end(), x.begin(), 0.0); }

std::unique_ptr<MovingPosterior> moving_posterior(const BatchFitStart& start, const BatchFitSettings& settings,
                                                  const RunContext& context) {
  if (settings.moves == PosteriorMoves::adam) return std::make_unique<AdamMoves>(start, settings, context);
  return std::make_unique<NaturalMoves>(start, settings, context);
}

}  // namespace

BatchFit batch_fit(const LatentResponse& response, Points coords, Points inducing, const Covariance& covariance,
                   const Likelihood& likelihood, const BatchFitStart& start, const BatchFitSettings& settings,
                   const RunContext& context) {
  BatchFit fit = start.before ? *start.before : BatchFit{covariance,
                                                         likelihood,
                                                         {inducing.data, inducing.data + inducing.n * inducing.dim},
                                                         start.network,
                                                         {},
                                                         {},
                                                         0,
                                                         {}};
  AdamParameters parameters(fit, inducing.dim, settings);
  const Index batch_size = std::min(settings.batch_size, coords.n), steps = (coords.n + batch_size - 1) / batch_size;
  Batches batches(coords.n, settings.key, 0);
  RunContext quiet = context;
  quiet.progress = nullptr;
  const std::unique_ptr<MovingPosterior> q = moving_posterior(start, settings, quiet);
  const double decay = settings.weight_decay * double(coords.n);
  const int until = settings.until > 0 ? settings.until : settings.epochs;
  Index step = steps * fit.memory.epochs;
  if (step > 0) batches.skip(step * batch_size);
  for (int epoch = fit.memory.epochs; epoch < until; ++epoch) {
    double score = 0.0;
    for (const Index end = step + steps; step < end; ++step) {
      if (context.check_interrupt) context.check_interrupt();
      const std::vector<int> rows = batches.next(batch_size);
      RowBatch batch = take_batch(coords, response, rows);
      std::optional<BatchNetwork> network;
      if (fit.network) network.emplace(*fit.network, batch);
      const PreparedCovariance prepared = prepare(fit.covariance, inducing.dim, true);
      const InducingPoints points(prepared, {fit.positions.data(), inducing.n, inducing.dim});
      const InducingFactor factor(points, settings.jitter, true);
      if (!factor.regular()) throw Error("The covariance matrix of the inducing points is singular.");
      BatchGradient gradient = q->gradient(factor, batch, fit.likelihood, rows);
      if (!usable(gradient)) {
        ++fit.skipped;
        continue;
      }
      score += gradient.score / double(steps);
      gradient.covariance.parameters = active_part(std::move(gradient.covariance.parameters), fit.covariance);
      const double done = settings.goes_on ? 1.0 : double(step) / double(steps * settings.epochs);
      const double rate = decayed_rate(settings.learning_rate, done);
      parameters.step(gradient, rate);
      if (network) parameters.step_network(network->gradient(gradient.coords, decay), rate);
      q->accept(std::move(gradient), rate);
    }
    fit.posterior = q->at();
    fit.trace.push_back(score -
                        settings.objective.kl_weight * divergence_from_prior(fit.posterior, response.coefficients) -
                        (fit.network ? 0.5 * decay * squared_norm(fit.network->weights) : 0.0));
    if (settings.report) settings.report(epoch + 1, fit);
  }
  fit.memory.epochs = until;
  parameters.remember(fit.memory);
  q->remember(fit.memory);
  return fit;
}

}  // namespace neargp
