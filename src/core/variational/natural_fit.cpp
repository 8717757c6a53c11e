#include "variational/natural_fit.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "optim/adam.h"
#include "optim/batches.h"
#include "variational/natural_step.h"

namespace neargp {

namespace {

// What Adam moves, on the scale on which it moves.
class AdamParameters {
 public:
  AdamParameters(NaturalFit& at, int dim, const NaturalFitSettings& settings)
      : at_(at), dim_(dim), settings_(settings), is_shape_(shape_parameters(at.covariance)),
        shared_(settings.covariance.working(parameter_values(at.covariance))), own_(shared_.size()),
        shared_adam_(1, int(shared_.size() + at.likelihood.parameters.size())),
        position_adam_(settings.position_unit.empty() ? 0 : points(), dim) {
    for (const double working : settings.likelihood.working(at.likelihood.parameters)) shared_.push_back(working);
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

  NaturalFit& at_;
  int dim_;
  const NaturalFitSettings& settings_;
  std::vector<bool> is_shape_;
  std::vector<double> shared_;  // covariance, then likelihood
  std::size_t own_;             // parameters of the covariance
  RowAdam shared_adam_, position_adam_;
};

// One gradient whose square overflows would stop a parameter for good.
bool usable(const BatchGradient& gradient) {
  const auto small = [](double x) { return std::abs(x) < 1e150; };
  const std::vector<double>& own = gradient.covariance.parameters;
  return small(gradient.expected) && std::all_of(own.begin(), own.end(), small) &&
         std::all_of(gradient.likelihood.begin(), gradient.likelihood.end(), small) &&
         gradient.covariance.positions.unaryExpr(small).all();
}

Eigen::VectorXd take(const Eigen::VectorXd& from, const std::vector<int>& rows) {
  Eigen::VectorXd taken(Index(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) taken[Index(i)] = from[rows[i]];
  return taken;
}

}  // namespace

NaturalFit natural_fit(const LatentResponse& response, Points coords, Points inducing, const Covariance& covariance,
                       const Likelihood& likelihood, const FamilyPosterior& start, const NaturalFitSettings& settings,
                       const RunContext& context) {
  NaturalFit fit{covariance, likelihood, {inducing.data, inducing.data + inducing.n * inducing.dim}, {}, 0};
  AdamParameters parameters(fit, inducing.dim, settings);
  const Index batch_size = std::min(settings.batch_size, coords.n), steps = (coords.n + batch_size - 1) / batch_size;
  Batches batches(coords.n, settings.key, 0);
  NaturalPosterior q;
  RunContext quiet = context;
  quiet.progress = nullptr;
  Index step = 0;
  for (int epoch = 0; epoch < settings.epochs; ++epoch) {
    double expected = 0.0;
    for (const Index end = step + steps; step < end; ++step) {
      if (context.check_interrupt) context.check_interrupt();
      const std::vector<int> rows = batches.next(batch_size);
      const RowBatch batch = take_batch(coords, response, rows);
      const PreparedCovariance prepared = prepare(fit.covariance, coords.dim, true);
      const InducingPoints points(prepared, {fit.positions.data(), inducing.n, inducing.dim});
      const InducingFactor factor(points, settings.jitter, true);
      if (!factor.regular()) throw Error("The covariance matrix of the inducing points is singular.");
      const NaturalStep natural(factor, batch, fit.likelihood, settings.kind, quiet);
      q = step == 0 ? natural.posterior(take(start.precision, rows), take(start.natural, rows))
                    : natural.moved(q, std::max(settings.natural_rate, 1.0 / double(step + 1)));
      BatchGradient gradient = natural.gradient(q);
      if (!usable(gradient)) {
        ++fit.skipped;
        continue;
      }
      expected += gradient.expected / double(steps);
      gradient.covariance.parameters = active_part(std::move(gradient.covariance.parameters), fit.covariance);
      parameters.step(gradient, decayed_rate(settings.learning_rate, double(step) / double(steps * settings.epochs)));
    }
    fit.trace.push_back(expected - divergence_from_prior(q, response.coefficients));
    if (settings.report) settings.report(epoch + 1, fit.trace.back());
  }
  return fit;
}

}  // namespace neargp
