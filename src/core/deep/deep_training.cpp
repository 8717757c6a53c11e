#include "deep/deep_training.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "optim/batches.h"

namespace neargp {

namespace {

using Eigen::VectorXd;

struct Batch {
  std::vector<int> rows;
  std::vector<double> x;
  DeepResponse response;

  Batch(const DeepRows& all, std::vector<int> drawn) : rows(std::move(drawn)), response(take_rows(all.response, rows)) {
    for (const int row : rows) x.insert(x.end(), all.x[row], all.x[row] + all.x.dim);
  }

  DeepRows view(int dim) const { return {{x.data(), Index(rows.size()), dim}, response, rows.data()}; }
};

class DeepTrainer {
 public:
  DeepTrainer(const DeepState& start, const DeepRows& rows, const DeepTraining& settings, const RunContext& context)
      : rows_(rows), settings_(settings), context_(context),
        steps_((rows.x.n + settings.batch_size - 1) / settings.batch_size),
        batch_size_((rows.x.n + steps_ - 1) / steps_), batches_(rows.x.n, settings.key, 0), state_(start),
        working_(to_working(state_)), average_(working_), adam_(1, int(working_.size())) {
    context_.progress = nullptr;
    batches_.skip(Index(settings.from) * steps_ * batch_size_);
    if (settings.memory.adam.clock.empty()) return;
    adam_.restore(settings.memory.adam);
    average_ = Eigen::Map<const VectorXd>(settings.memory.average.data(), working_.size());
  }

  // One pass over the rows; the mean of its batches' objectives. None where an inducing matrix is singular.
  std::optional<double> epoch(int number) {
    double sum = 0.0;
    for (Index step = Index(number) * steps_; step < Index(number + 1) * steps_; ++step) {
      if (context_.check_interrupt) context_.check_interrupt();
      const Batch batch(rows_, batches_.next(batch_size_));
      DeepObjectiveSettings objective = settings_.objective;
      objective.rows = rows_.x.n;
      objective.step = std::uint64_t(step) + 1;
      DeepValue at = deep_objective(state_, batch.view(rows_.x.dim), objective, context_, workspace_);
      failure_ = at.failure;
      if (failure_) return std::nullopt;
      sum += at.value;
      move(as_working(at.gradient), double(step) / double(steps_ * settings_.epochs));
      average_ += (working_ - average_) / double(std::min(step + 1, averaged_epochs * steps_));
    }
    return sum / double(steps_);
  }

  const DeepState& state() const { return state_; }
  DeepMemory memory() const { return {adam_.memory(), {average_.data(), average_.data() + average_.size()}}; }

  DeepState average() const {
    DeepState state = state_;
    from_working(average_, state);
    normalise(state);
    return state;
  }

  const std::optional<SingularUnit>& failure() const { return failure_; }

 private:
  static constexpr Index averaged_epochs = 2;

  void move(const VectorXd& gradient, double done) {
    adam_.step(0, working_.data(), gradient.data(), cosine_rate(settings_.learning_rate, done));
    from_working(working_, state_);
    normalise(state_);
    working_ = to_working(state_);
  }

  // Weights that sum to one, and parameters within their bounds.
  void normalise(DeepState& state) const {
    if (state.learns_sites()) {
      const double largest = state.log_weights.maxCoeff();
      state.log_weights.array() -= largest + std::log((state.log_weights.array() - largest).exp().sum());
    }
    if (state.likelihood.family == ResponseFamily::gaussian)
      for (double& noise : state.likelihood.parameters) noise = std::max(noise, settings_.least_noise);
    else
      for (std::size_t p = 0; p < settings_.least_parameters.size(); ++p)
        state.likelihood.parameters[p] =
            std::clamp(state.likelihood.parameters[p], settings_.least_parameters[p], settings_.most_parameters[p]);
    state.output_noise = state.output_noise.cwiseMax(settings_.least_noise);
  }

  const DeepRows& rows_;
  const DeepTraining& settings_;
  RunContext context_;
  DeepWorkspace workspace_;
  Index steps_, batch_size_;
  Batches batches_;
  DeepState state_;
  VectorXd working_, average_;
  RowAdam adam_;
  std::optional<SingularUnit> failure_;
};

}  // namespace

DeepRun train_deep(const DeepState& start, const DeepRows& rows, const DeepRows& validation,
                   const DeepTraining& settings, const RunContext& context) {
  DeepTrainer trainer(start, rows, settings, context);
  RunContext quiet = context;
  quiet.progress = nullptr;
  DeepRun run;
  run.state = run.best = start;
  double best = -std::numeric_limits<double>::infinity();
  run.start_score = std::numeric_limits<double>::quiet_NaN();
  if (settings.judge_start && validation.x.n > 0) {
    const DeepDensity density = deep_density(start, validation.x, validation.response, quiet);
    run.failure = density.failure;
    if (run.failure) return run;
    run.start_score = best = density.value.mean();
  }
  for (int epoch = settings.from; epoch < settings.to; ++epoch) {
    const std::optional<double> objective = trainer.epoch(epoch);
    DeepState average = trainer.average();
    DeepDensity density;
    if (objective && validation.x.n > 0) density = deep_density(average, validation.x, validation.response, quiet);
    run.failure = objective ? density.failure : trainer.failure();
    if (run.failure) break;
    const double score = validation.x.n > 0 ? density.value.mean() : std::numeric_limits<double>::quiet_NaN();
    if (score > best || validation.x.n == 0) {
      best = score;
      run.best = std::move(average);
      run.best_epoch = epoch + 1;
      if (settings.keep) settings.keep(run.best, score);
    }
    run.objective.push_back(*objective);
    run.validation.push_back(score);
    run.rate.push_back(cosine_rate(settings.learning_rate, double(epoch) / double(settings.epochs)));
    if (settings.report) settings.report(epoch + 1, *objective, score);
  }
  run.state = trainer.state();
  run.memory = trainer.memory();
  return run;
}

}  // namespace neargp
