#include "latent/mean_field_adam.h"

#include <algorithm>
#include <cmath>

#include "covariance/metric_shape.h"
#include "latent/latent_solve.h"
#include "latent/mean_field_batches.h"
#include "latent/node_design.h"
#include "optim/adam.h"

namespace neargp {

namespace {

const Component& largest_component(const Covariance& covariance) {
  return *std::max_element(covariance.components.begin(), covariance.components.end(),
                           [](const Component& a, const Component& b) { return a.variance < b.variance; });
}

double largest_difference(const std::vector<double>& x, const std::vector<double>& y) {
  double largest = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) largest = std::max(largest, std::abs(x[i] - y[i]));
  return largest;
}

std::vector<double> column_spread(const std::vector<double>& coords, int dim) {
  const double n = double(coords.size()) / dim;
  std::vector<double> mean(dim, 0.0), spread(dim, 0.0);
  for (std::size_t e = 0; e < coords.size(); ++e) mean[e % dim] += coords[e] / n;
  for (std::size_t e = 0; e < coords.size(); ++e) spread[e % dim] += std::pow(coords[e] - mean[e % dim], 2) / n;
  for (double& s : spread) s = std::sqrt(s);
  return spread;
}

// All variables, on the scale on which they move. Covariance and likelihood move on the working scale, the trend as it
// is. Each node moves log s and the mean of the centred field, v = m + x'beta with x the design there. With m in place
// of v a constant would pass from the trend to the field only through small differences of large gradients. But steps
// of the trend would move a field with a small fixed variance by many standard deviations: then v = m.
class AdamState {
 public:
  AdamState(const LatentModel& model, const LatentResponse& response, MeanFieldPoint point,
            const MeanFieldAdamSettings& settings)
      : model_(model), point_(std::move(point)), settings_(settings), dim_(model.dim()),
        design_(centering_design(model, response, settings)), is_shape_(shape_parameters(point_.covariance)),
        moments_(point_.moments), moment_unit_{settings.field_unit > 0.0 ? settings.field_unit : settings.unit, 1.0},
        location_unit_(column_spread(point_.coords, model.dim())),
        root_unit_(settings.full ? model.nodes() : 0, settings.field_unit > 0.0 ? settings.field_unit : 1.0),
        shared_adam_(1, int(point_.covariance.parameters() + point_.likelihood.parameters.size() + point_.beta.size())),
        moment_adam_(model.nodes(), 2), location_adam_(settings.locations ? model.nodes() : 0, model.dim()),
        root_adam_(settings.full ? model.nodes() : 0, int(model.nodes())) {
    for (Index j = 0; j < model.nodes(); ++j) {
      moments_[2 * j] += trend_at(j);
      moments_[2 * j + 1] = std::log(moments_[2 * j + 1]);
    }
    shared_ = settings.covariance.working(parameter_values(point_.covariance));
    for (const double working : settings.likelihood.working(point_.likelihood.parameters)) shared_.push_back(working);
    shared_unit_.assign(shared_.size(), 1.0);
    shared_.insert(shared_.end(), point_.beta.begin(), point_.beta.end());
    shared_unit_.resize(shared_.size(), settings.unit);
  }

  const Covariance& covariance() const { return point_.covariance; }

  // The point, with the moments of these nodes up to date.
  const MeanFieldPoint& point_at(const std::vector<int>& nodes) {
    for (const int node : nodes) point_.moments[2 * Index(node)] = moments_[2 * Index(node)] - trend_at(node);
    return point_;
  }

  void step(const MeanFieldGradient& gradient, double rate) {
    const std::vector<double> slopes = shared_gradient(gradient);
    for (const int node : gradient.active) {
      double* moments = moments_.data() + 2 * Index(node);
      moment_adam_.step(node, moments, gradient.moments.data() + 2 * Index(node), rate, moment_unit_.data());
      point_.moments[2 * Index(node) + 1] = std::exp(moments[1]);
      if (settings_.locations)
        location_adam_.step(node, point_.coords.data() + Index(node) * dim_,
                            gradient.locations.data() + Index(node) * dim_, rate, location_unit_.data());
      if (settings_.full) {
        const Index row = Index(node) * model_.nodes();
        root_adam_.step(node, point_.root.data() + row, gradient.root.data() + row, rate, root_unit_.data());
      }
    }
    shared_adam_.step(0, shared_.data(), slopes.data(), rate, shared_unit_.data());
    set_shared();
  }

 private:
  static std::vector<double> centering_design(const LatentModel& model, const LatentResponse& response,
                                              const MeanFieldAdamSettings& settings) {
    if (settings.field_unit > 0.0) return std::vector<double>(model.nodes() * response.coefficients, 0.0);
    return by_row(node_design(model, response), response.coefficients);
  }

  static std::vector<double> by_row(const std::vector<double>& by_column, int columns) {
    std::vector<double> rows(by_column.size());
    const std::size_t n = columns ? by_column.size() / columns : 0;
    for (std::size_t j = 0; j < n; ++j)
      for (int c = 0; c < columns; ++c) rows[j * columns + c] = by_column[c * n + j];
    return rows;
  }

  double trend_at(Index node) const {
    const std::size_t p = point_.beta.size();
    double sum = 0.0;
    for (std::size_t c = 0; c < p; ++c) sum += design_[node * p + c] * point_.beta[c];
    return sum;
  }

  // At fixed v a step in the trend takes x from m.
  std::vector<double> trend_gradient(const MeanFieldGradient& gradient) const {
    std::vector<double> slopes = gradient.beta;
    for (const int node : gradient.active)
      for (std::size_t c = 0; c < slopes.size(); ++c)
        slopes[c] -= design_[node * slopes.size() + c] * gradient.moments[2 * Index(node)];
    return slopes;
  }

  std::vector<double> shared_gradient(const MeanFieldGradient& gradient) const {
    std::vector<double> slopes;
    const std::vector<double> values = parameter_values(point_.covariance);
    for (std::size_t a = 0; a < values.size(); ++a) {
      const double slope = working_slope(settings_.covariance.scale[a], is_shape_[a], values[a]);
      slopes.push_back(settings_.covariance.free[a] ? slope * gradient.covariance[a] : 0.0);
    }
    for (std::size_t a = 0; a < gradient.likelihood.size(); ++a)
      slopes.push_back(settings_.likelihood.free[a] ? gradient.likelihood[a] : 0.0);
    const std::vector<double> in_trend = trend_gradient(gradient);
    slopes.insert(slopes.end(), in_trend.begin(), in_trend.end());
    return slopes;
  }

  void set_shared() {
    std::vector<double> values = parameter_values(point_.covariance);
    settings_.covariance.set_values(shared_.data(), values);
    set_parameter_values(point_.covariance, values);
    point_.covariance = model_.with_jitter(std::move(point_.covariance));
    double* likelihood = shared_.data() + values.size();
    settings_.likelihood.set_values(likelihood, point_.likelihood.parameters);
    std::copy(likelihood + point_.likelihood.parameters.size(), shared_.data() + shared_.size(), point_.beta.begin());
  }

  const LatentModel& model_;
  MeanFieldPoint point_;
  const MeanFieldAdamSettings& settings_;
  int dim_;
  std::vector<double> design_;  // nodes x coefficients, 0 where v = m
  std::vector<bool> is_shape_;
  std::vector<double> moments_;  // nodes x 2: v and log s
  std::vector<double> shared_;   // covariance and likelihood on the working scale, then the trend
  std::vector<double> moment_unit_, location_unit_, root_unit_, shared_unit_;
  RowAdam shared_adam_, moment_adam_, location_adam_, root_adam_;
};

// One gradient whose square overflows would stop a parameter for good.
bool usable(const MeanFieldGradient& gradient) {
  const auto small = [](double x) { return std::abs(x) < 1e150; };
  if (!small(gradient.value)) return false;
  const Index nodes = Index(gradient.moments.size() / 2), columns = gradient.root.empty() ? 0 : nodes;
  for (const int node : gradient.active) {
    if (!small(gradient.moments[2 * Index(node)]) || !small(gradient.moments[2 * Index(node) + 1])) return false;
    const double* row = gradient.root.data() + node * columns;
    if (!std::all_of(row, row + columns, small)) return false;
  }
  for (const auto* part : {&gradient.covariance, &gradient.likelihood, &gradient.beta})
    if (!std::all_of(part->begin(), part->end(), small)) return false;
  return true;
}

// `done`: the share of the steps.
double rate_at(const std::vector<double>& rates, double done) {
  if (rates.size() == 1) return decayed_rate(rates[0], done);
  return rates[std::min(rates.size() - 1, std::size_t(done * double(rates.size())))];
}

// The objective at a point. Where all data of a batch share their nodes it is the mean over the batches of one pass,
// which are the same in all fits.
double objective_at(MeanField& bound, const MeanFieldPoint& point, const MeanFieldAdamSettings& settings,
                    const RunContext& context) {
  if (!bound.shares_nodes()) return bound.evaluate(point, bound.everything(), context).value;
  MeanFieldBatches batches(bound, settings.batch_size, 0);
  double sum = 0.0;
  for (Index step = 0; step < batches.steps(); ++step) sum += bound.evaluate(point, batches.next(), context).value;
  return sum / double(batches.steps());
}

void record_point(MeanField& bound, const MeanFieldPoint& point, const MeanFieldAdamSettings& settings,
                  const RunContext& context, MeanFieldFit& fit) {
  fit.point = point;
  fit.value = objective_at(bound, fit.point, settings, context);
  fit.node_neighbors = bound.node_neighbors();
  fit.data_neighbors = bound.data_neighbors();
}

}  // namespace

std::vector<double> starting_moments(const LatentModel& model, const LatentResponse& response,
                                     const Likelihood& likelihood, const std::vector<double>& beta,
                                     const std::vector<double>& eta, const RunContext& context) {
  const Index n = response.n();
  std::vector<double> slope(n), precision(n), weighted(n), at_nodes(model.nodes());
  expectations(likelihood, response.observations(), eta.data(), nullptr,
               {nullptr, slope.data(), precision.data(), nullptr}, nullptr, context);
  const double largest = *std::max_element(precision.begin(), precision.end());
  const std::vector<double> trend = response.trend(beta);
  for (Index i = 0; i < n; ++i) {
    precision[i] = std::max(precision[i], 0.05 * largest);
    weighted[i] = precision[i] * (eta[i] - trend[i]) + slope[i];
  }
  model.sum_at_nodes(weighted.data(), at_nodes.data());
  const std::vector<double> mean = solve_latent(model, precision, at_nodes, 1e-3, 200, context).x;
  const std::vector<double> of_prior = prior_diagonal(model), of_data = data_diagonal(model, precision);
  std::vector<double> moments;
  for (Index j = 0; j < model.nodes(); ++j) moments.insert(moments.end(), {mean[j], 1.0 / (of_prior[j] + of_data[j])});
  return moments;
}

MeanFieldFit fit_mean_field(const LatentModel& model, const LatentResponse& response, MeanFieldPoint start,
                            const MeanFieldAdamSettings& settings, const RunContext& context) {
  start.covariance = model.with_jitter(std::move(start.covariance));
  if (settings.full && start.root.empty()) start.root.assign(model.nodes() * model.nodes(), 0.0);
  MeanField bound(model, response, settings.locations, settings.prior, settings.kl_weight, settings.shared);
  MeanFieldBatches batches(bound, settings.batch_size, settings.key);
  AdamState state(model, response, std::move(start), settings);
  const MeanFieldBatch everything = bound.everything();
  std::vector<double> sought_in = metric_shape(largest_component(state.covariance()));
  const Index steps = settings.epochs * batches.steps();
  MeanFieldFit fit, earlier;
  if (settings.warm_start) record_point(bound, state.point_at(everything.nodes), settings, context, earlier);
  for (int epoch = 0; epoch < settings.epochs; ++epoch) {
    const std::vector<double> shape = metric_shape(largest_component(state.covariance()));
    if (epoch > 0 && (settings.locations || largest_difference(shape, sought_in) > 0.25)) {
      bound.renew_neighbors(state.point_at({}), context);
      sought_in = shape;
    }
    double sum = 0.0;
    int taken = 0;
    for (Index step = 0; step < batches.steps(); ++step) {
      if (context.check_interrupt) context.check_interrupt();
      const MeanFieldBatch batch = batches.next();
      const MeanFieldGradient& gradient = bound.evaluate(state.point_at(bound.members(batch)), batch, context);
      if (!usable(gradient)) {
        ++fit.skipped;
        continue;
      }
      sum += gradient.value;
      ++taken;
      const double done = settings.warm_start ? 1.0 : double(epoch * batches.steps() + step) / double(steps);
      state.step(gradient, rate_at(settings.learning_rates, done));
    }
    fit.trace.push_back(taken ? sum / taken : -INFINITY);
    if (settings.report) settings.report(epoch + 1, state.point_at(everything.nodes));
  }
  const MeanFieldPoint& result = state.point_at(everything.nodes);
  if (settings.locations) bound.renew_neighbors(result, context);
  record_point(bound, result, settings, context, fit);
  if (!settings.warm_start || fit.value > earlier.value) return fit;
  earlier.trace = std::move(fit.trace);
  earlier.skipped = fit.skipped;
  return earlier;
}

}  // namespace neargp
