#include "latent/latent_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/error.h"
#include "conditional/problem.h"
#include "geometry/ordering.h"

namespace neargp {

namespace {

double total_variance(const Covariance& covariance) {
  double sum = 0.0;
  for (const Component& component : covariance.components) sum += component.variance;
  return sum;
}

// Row t of the result is row rows[t] of the table, its entries renumbered.
NeighborTable renumbered(const NeighborTable& table, const std::vector<int>& rows, const std::vector<int>& number) {
  NeighborTable result(Index(rows.size()), table.k);
  for (std::size_t t = 0; t < rows.size(); ++t)
    for (int m = 0; m < table.k; ++m) {
      const int node = table[rows[t]][m];
      result[Index(t)][m] = node < 0 ? -1 : number[node];
    }
  return result;
}

// Rows (j, neighbours of j).
std::vector<int> members_of(const NeighborTable& table) {
  const int width = table.k + 1;
  std::vector<int> members(std::size_t(table.n) * width);
  for (Index j = 0; j < table.n; ++j) {
    members[j * width] = int(j);
    std::copy_n(table[j], table.k, members.begin() + j * width + 1);
  }
  return members;
}

std::vector<int> all_rows(Index n) {
  std::vector<int> rows(n);
  for (Index i = 0; i < n; ++i) rows[i] = int(i);
  return rows;
}

}  // namespace

LatentModel::LatentModel(const LatentData& data, const RunContext& context)
    : dim_(data.nodes.dim), jitter_(data.jitter) {
  const Index m = data.nodes.n;
  if (Index(data.order.size()) != m || data.node_neighbors.n != m)
    throw Error("The ordering and the table of neighbours must have one entry for each node.");
  check_coordinates(data.nodes);
  check_permutation(data.order, m);
  check_rows(data.node_neighbors.index, -1, m);
  check_rows(data.node_of_datum, 0, m);
  check_rows(data.data_neighbors.index, -1, m);

  caller_node_ = spatial_order(data.nodes, context);
  node_number_.resize(m);
  for (Index j = 0; j < m; ++j) node_number_[caller_node_[j]] = int(j);
  coords_.resize(std::size_t(m) * dim_);
  for (Index j = 0; j < m; ++j) std::copy_n(data.nodes[caller_node_[j]], dim_, coords_.begin() + j * dim_);
  order_.reserve(m);
  for (const int node : data.order) order_.push_back(node_number_[node]);

  const Points nodes{coords_.data(), m, dim_};
  unit_noise_.assign(m, 1.0);
  prior_ = std::make_unique<NodeConditionals>(nodes, unit_noise_, nodes, true,
                                              renumbered(data.node_neighbors, caller_node_, node_number_), context);
  if (data.node_of_datum.empty()) {
    data_coords_.assign(data.data.data, data.data.data + data.data.n * dim_);
    interpolation_ = std::make_unique<NodeConditionals>(
        nodes, unit_noise_, Points{data_coords_.data(), data.data.n, dim_}, false,
        renumbered(data.data_neighbors, all_rows(data.data_neighbors.n), node_number_), context);
  } else {
    for (const int node : data.node_of_datum) node_of_datum_.push_back(node_number_[node]);
  }

  if (data.inducing.n > 0) {
    if (interpolation_) throw Error("A low-rank part needs a node at every datum.");
    low_rank_ = std::make_unique<LowRankPrior>(nodes, data.inducing, jitter_, prior_->neighbors());
  }

  prior_members_ = members_of(prior_->neighbors());
  prior_vectors_.resize(prior_members_.size());
  inverse_variance_.resize(m);
  if (data.pattern_neighbors.n > 0) {
    if (data.pattern_neighbors.n != m) throw Error("The table of the pattern must have one row for each node.");
    check_rows(data.pattern_neighbors.index, -1, m);
    pattern_members_ = members_of(renumbered(data.pattern_neighbors, caller_node_, node_number_));
  }
}

// d log nugget / d log variance_c is the share of component c.
void tie_jitter(const PreparedCovariance& prepared, const Covariance& covariance, std::vector<double>& gradient) {
  const double in_nugget = gradient[prepared.nugget_parameter()];
  for (const PreparedComponent& component : prepared.components)
    gradient[component.variance_parameter] += in_nugget * component.variance / prepared.variance;
  gradient[prepared.nugget_parameter()] = 0.0;
  for (int a = 0; a < covariance.parameters(); ++a)
    if (!covariance.is_active(a)) gradient[a] = 0.0;
}

double LatentModel::variance() const { return total_variance(covariance_); }

Covariance LatentModel::with_jitter(Covariance covariance) const {
  covariance.nugget = jitter_ * total_variance(covariance);
  return covariance;
}

PreparedCovariance LatentModel::prepared(bool derivatives) const { return prepare(covariance_, dim_, derivatives); }

void LatentModel::set_covariance(const Covariance& covariance, const RunContext& context) {
  ++revision_;
  covariance_ = with_jitter(covariance);
  const PreparedCovariance values = prepared(false);
  const Index failed_node = low_rank_ ? low_rank_->update(covariance_, context) : prior_->update(values, context);
  check_singular(failed_node, interpolation_ ? interpolation_->update(values, context) : -1);

  const int k = prior_->k();
  for (Index j = 0; j < nodes(); ++j) {
    const double* b = low_rank_ ? low_rank_->weights(j) : prior_->weights(j);
    double* a = prior_vectors_.data() + j * (k + 1);
    a[0] = 1.0;
    for (int m = 0; m < k; ++m) a[m + 1] = -b[m];
    const double f = low_rank_ ? low_rank_->variance()[j] : prior_->variance()[j];
    if (!(f > 0.0)) check_singular(j, -1);
    inverse_variance_[j] = 1.0 / f;
  }
}

void LatentModel::check_singular(Index failed_node, Index failed_datum) const {
  if (failed_node < 0 && failed_datum < 0) return;
  throw Error((failed_node >= 0
                   ? "The covariance matrix of node " + std::to_string(caller_node_[failed_node] + 1)
                   : "The covariance matrix of the nodes near location " + std::to_string(failed_datum + 1)) +
              " is not positive definite to working precision: raise the jitter.");
}

std::vector<double> LatentModel::to_caller(const std::vector<double>& by_node, int columns) const {
  std::vector<double> result(by_node.size());
  for (int c = 0; c < columns; ++c)
    for (Index j = 0; j < nodes(); ++j) result[c * nodes() + caller_node_[j]] = by_node[c * nodes() + j];
  return result;
}

std::vector<double> LatentModel::from_caller(const std::vector<double>& by_node, int columns) const {
  if (Index(by_node.size()) != nodes() * columns) throw Error("There must be one value for each node.");
  std::vector<double> result(by_node.size());
  for (int c = 0; c < columns; ++c)
    for (Index j = 0; j < nodes(); ++j) result[c * nodes() + j] = by_node[c * nodes() + caller_node_[j]];
  return result;
}

NeighborTable LatentModel::in_own_numbers(const NeighborTable& neighbors) const {
  check_rows(neighbors.index, -1, nodes());
  return renumbered(neighbors, all_rows(neighbors.n), node_number_);
}

NodeConditionals LatentModel::conditionals_at(Points locations, const NeighborTable& neighbors,
                                              const RunContext& context) const {
  if (locations.dim != dim_) throw Error("Nodes and new locations must have the same coordinates.");
  NodeConditionals result(Points{coords_.data(), nodes(), dim_}, unit_noise_, locations, false,
                          in_own_numbers(neighbors), context);
  check_singular(-1, result.update(prepared(false), context));
  return result;
}

double LatentModel::log_det_precision() const {
  if (low_rank_) return -low_rank_->variance().array().log().sum() - low_rank_->log_det_inner();
  double sum = 0.0;
  for (const double f : prior_->variance()) sum -= std::log(f);
  return sum;
}

void LatentModel::precision_times(const double* x, double* y) const {
  if (!low_rank_) return residual_precision_times(x, y);
  const LowRankPrior::Split parts = low_rank_->split(Eigen::Map<const Eigen::VectorXd>(x, nodes()));
  residual_precision_times(parts.residual.data(), y);
}

double LatentModel::precision_form(const std::vector<double>& x) const {
  std::vector<double> product(x.size());
  if (!low_rank_) {
    residual_precision_times(x.data(), product.data());
    return std::inner_product(x.begin(), x.end(), product.begin(), 0.0);
  }
  const LowRankPrior::Split parts = low_rank_->split(Eigen::Map<const Eigen::VectorXd>(x.data(), nodes()));
  return low_rank_->whitened_rows_of(parts.residual).squaredNorm() + parts.whitened.squaredNorm();
}

void LatentModel::residual_precision_times(const double* x, double* y) const {
  const int width = prior_->k() + 1;
  std::fill_n(y, nodes(), 0.0);
  for (Index j = 0; j < nodes(); ++j) {
    const int* member = prior_members_.data() + j * width;
    const double* a = prior_vectors_.data() + j * width;
    double product = 0.0;
    for (int m = 0; m < width && member[m] >= 0; ++m) product += a[m] * x[member[m]];
    product *= inverse_variance_[j];
    for (int m = 0; m < width && member[m] >= 0; ++m) y[member[m]] += product * a[m];
  }
}

void LatentModel::field_at_data(const double* u, double* field) const {
  if (!interpolation_) {
    for (std::size_t i = 0; i < node_of_datum_.size(); ++i) field[i] = u[node_of_datum_[i]];
    return;
  }
  for (Index i = 0; i < interpolation_->targets(); ++i) {
    const int* member = interpolation_->neighbors()[i];
    const double* c = interpolation_->weights(i);
    double sum = 0.0;
    for (int m = 0; m < interpolation_->k() && member[m] >= 0; ++m) sum += c[m] * u[member[m]];
    field[i] = sum;
  }
}

void LatentModel::sum_at_nodes(const double* by_datum, double* by_node) const {
  std::fill_n(by_node, nodes(), 0.0);
  if (!interpolation_) {
    for (std::size_t i = 0; i < node_of_datum_.size(); ++i) by_node[node_of_datum_[i]] += by_datum[i];
    return;
  }
  for (Index i = 0; i < interpolation_->targets(); ++i) {
    const int* member = interpolation_->neighbors()[i];
    const double* c = interpolation_->weights(i);
    for (int m = 0; m < interpolation_->k() && member[m] >= 0; ++m) by_node[member[m]] += c[m] * by_datum[i];
  }
}

std::vector<double> LatentModel::gradient(const LatentAdjoints& adjoints, const RunContext& context) const {
  const PreparedCovariance values = prepared(true);
  std::vector<double> gradient =
      low_rank_ ? low_rank_->adjoint(adjoints.node_weights, adjoints.node_variance, adjoints.node_features, context)
                : prior_->adjoint(values, adjoints.node_weights, adjoints.node_variance, context);
  if (interpolation_) {
    const std::vector<double> of_data =
        interpolation_->adjoint(values, adjoints.data_weights, adjoints.data_variance, context);
    for (std::size_t a = 0; a < gradient.size(); ++a) gradient[a] += of_data[a];
  }
  tie_jitter(values, covariance_, gradient);
  return gradient;
}

std::vector<CliqueTable> LatentModel::cliques() const {
  std::vector<CliqueTable> tables{{nodes(), prior_->k() + 1, prior_members_.data()}};
  if (interpolation_)
    tables.push_back({interpolation_->targets(), interpolation_->k(), interpolation_->neighbors().index.data()});
  if (!pattern_members_.empty())
    tables.push_back({nodes(), int(Index(pattern_members_.size()) / nodes()), pattern_members_.data()});
  return tables;
}

}  // namespace neargp
