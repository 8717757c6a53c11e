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

  const std::vector<int> caller_place = spatial_order(data.nodes, context);
  const int fields = std::max(data.fields.fields(), 1);
  caller_node_.resize(m * fields);
  node_number_.resize(m * fields);
  for (int q = 0; q < fields; ++q)
    for (Index j = 0; j < m; ++j) {
      caller_node_[q * m + j] = int(q * m + caller_place[j]);
      node_number_[caller_node_[q * m + j]] = int(q * m + j);
    }
  coords_.resize(std::size_t(m) * dim_);
  for (Index j = 0; j < m; ++j) std::copy_n(data.nodes[caller_place[j]], dim_, coords_.begin() + j * dim_);
  order_.reserve(m * fields);
  for (const int place : data.order)
    for (int q = 0; q < fields; ++q) order_.push_back(int(q * m + node_number_[place]));

  const Points nodes{coords_.data(), m, dim_};
  unit_noise_.assign(m, 1.0);
  if (data.fields.fields() > 0) {
    FieldRows rows = data.fields;
    for (int& place : rows.places.index)
      if (place >= 0) place = node_number_[place];
    loadings_ = std::make_unique<FieldLoadings>(std::move(rows), m, data.responses);
  }
  for (int s = 0; s < (loadings_ ? loadings_->structures() : 1); ++s)
    priors_.push_back(std::make_unique<NodeConditionals>(nodes, unit_noise_, nodes, true,
                                                         in_own_numbers(data.node_neighbors, caller_place), context));
  if (loadings_) {
    check_rows(data.fields.places.index, -1, m);
  } else if (data.node_of_datum.empty()) {
    data_coords_.assign(data.data.data, data.data.data + data.data.n * dim_);
    interpolation_ = std::make_unique<NodeConditionals>(
        nodes, unit_noise_, Points{data_coords_.data(), data.data.n, dim_}, false,
        in_own_numbers(data.data_neighbors, all_rows(data.data_neighbors.n)), context);
  } else {
    for (const int node : data.node_of_datum) node_of_datum_.push_back(node_number_[node]);
  }

  if (data.inducing.n > 0) {
    if (interpolates()) throw Error("A low-rank part needs a node at every datum.");
    low_rank_ = std::make_unique<LowRankPrior>(nodes, data.inducing, jitter_, prior().neighbors());
  }
  list_members(data);
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

double LatentModel::variance() const { return total_variance(covariances_[0]); }

DataWeights LatentModel::interpolation() const {
  if (loadings_) return loadings_->weights();
  return interpolation_->view();
}

Covariance LatentModel::with_jitter(Covariance covariance) const {
  covariance.nugget = jitter_ * total_variance(covariance);
  return covariance;
}

PreparedCovariance LatentModel::prepared(bool derivatives, int structure) const {
  return prepare(covariances_[structure], dim_, derivatives);
}

void LatentModel::set_fields(const std::vector<Covariance>& structures, const Eigen::MatrixXd& loadings,
                             const RunContext& context) {
  if (!loadings_) throw Error("The model has one field, without loadings.");
  loadings_->set(loadings);
  set(structures, context);
}

void LatentModel::set(const std::vector<Covariance>& covariances, const RunContext& context) {
  if (covariances.size() != priors_.size()) throw Error("There must be a covariance for each structure of fields.");
  ++revision_;
  covariances_.clear();
  for (const Covariance& covariance : covariances) covariances_.push_back(with_jitter(covariance));
  for (std::size_t s = 0; s < priors_.size(); ++s) {
    const PreparedCovariance values = prepared(false, int(s));
    check_singular(low_rank_ ? low_rank_->update(covariances_[s], context) : priors_[s]->update(values, context), -1);
    if (interpolation_) check_singular(-1, interpolation_->update(values, context));
  }

  const int k = prior().k();
  for (int q = 0; q < fields(); ++q) {
    const NodeConditionals& prior = *priors_[structure_of(q)];
    for (Index j = 0; j < places(); ++j) {
      const Index node = q * places() + j;
      const double* b = low_rank_ ? low_rank_->weights(j) : prior.weights(j);
      double* a = prior_vectors_.data() + node * (k + 1);
      a[0] = 1.0;
      for (int m = 0; m < k; ++m) a[m + 1] = -b[m];
      const double f = low_rank_ ? low_rank_->variance()[j] : prior.variance()[j];
      if (!(f > 0.0)) check_singular(j, -1);
      inverse_variance_[node] = 1.0 / f;
    }
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
  check_rows(neighbors.index, -1, places());
  return in_own_numbers(neighbors, all_rows(neighbors.n));
}

NeighborTable LatentModel::in_own_numbers(const NeighborTable& table, const std::vector<int>& rows) const {
  NeighborTable result(Index(rows.size()), table.k);
  for (std::size_t t = 0; t < rows.size(); ++t)
    for (int m = 0; m < table.k; ++m) {
      const int node = table[rows[t]][m];
      result[Index(t)][m] = node < 0 ? -1 : node_number_[node];
    }
  return result;
}

NodeConditionals LatentModel::conditionals_at(Points locations, const NeighborTable& neighbors,
                                              const RunContext& context, const Covariance& covariance) const {
  if (locations.dim != dim_) throw Error("Nodes and new locations must have the same coordinates.");
  NodeConditionals result(Points{coords_.data(), places(), dim_}, unit_noise_, locations, false,
                          in_own_numbers(neighbors), context);
  check_singular(-1, result.update(prepare(with_jitter(covariance), dim_, false), context));
  return result;
}

double LatentModel::log_det_precision() const {
  if (low_rank_) return -low_rank_->variance().array().log().sum() - low_rank_->log_det_inner();
  double sum = 0.0;
  for (int q = 0; q < fields(); ++q)
    for (const double f : priors_[structure_of(q)]->variance()) sum -= std::log(f);
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
  const int width = prior().k() + 1;
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
  if (!interpolates()) {
    for (std::size_t i = 0; i < node_of_datum_.size(); ++i) field[i] = u[node_of_datum_[i]];
    return;
  }
  const DataWeights data = interpolation();
  for (Index i = 0; i < data.targets(); ++i) {
    const int* member = data.neighbors()[i];
    const double* c = data.weights(i);
    double sum = 0.0;
    for (int m = 0; m < data.k() && member[m] >= 0; ++m) sum += c[m] * u[member[m]];
    field[i] = sum;
  }
}

void LatentModel::sum_at_nodes(const double* by_datum, double* by_node) const {
  std::fill_n(by_node, nodes(), 0.0);
  if (!interpolates()) {
    for (std::size_t i = 0; i < node_of_datum_.size(); ++i) by_node[node_of_datum_[i]] += by_datum[i];
    return;
  }
  const DataWeights data = interpolation();
  for (Index i = 0; i < data.targets(); ++i) {
    const int* member = data.neighbors()[i];
    const double* c = data.weights(i);
    for (int m = 0; m < data.k() && member[m] >= 0; ++m) by_node[member[m]] += c[m] * by_datum[i];
  }
}

std::vector<double> LatentModel::gradient(const LatentAdjoints& adjoints, const RunContext& context) const {
  std::vector<double> gradient;
  for (int s = 0; s < int(priors_.size()); ++s) {
    std::vector<double> of_structure = prior_gradient(s, adjoints, context);
    if (interpolation_) {
      const std::vector<double> of_data =
          interpolation_->adjoint(prepared(true), adjoints.data_weights, adjoints.data_variance, context);
      for (std::size_t a = 0; a < of_data.size(); ++a) of_structure[a] += of_data[a];
    }
    tie_jitter(prepared(true, s), covariances_[s], of_structure);
    gradient.insert(gradient.end(), of_structure.begin(), of_structure.end());
  }
  if (!loadings_) return gradient;
  const Eigen::MatrixXd in_loadings = loadings_->gradient(adjoints.data_weights);
  gradient.insert(gradient.end(), in_loadings.data(), in_loadings.data() + in_loadings.size());
  return gradient;
}

// The derivatives in weights and variances of a structure are the sums of those of its fields.
std::vector<double> LatentModel::prior_gradient(int structure, const LatentAdjoints& adjoints,
                                                const RunContext& context) const {
  if (low_rank_)
    return low_rank_->adjoint(adjoints.node_weights, adjoints.node_variance, adjoints.node_features, context);
  const PreparedCovariance values = prepared(true, structure);
  if (fields() == 1) return prior().adjoint(values, adjoints.node_weights, adjoints.node_variance, context);
  const std::size_t m = std::size_t(places()), k = std::size_t(prior().k());
  std::vector<double> weights(m * k, 0.0), variance(m, 0.0);
  for (int q = 0; q < fields(); ++q) {
    if (structure_of(q) != structure) continue;
    for (std::size_t e = 0; e < m * k; ++e) weights[e] += adjoints.node_weights[q * m * k + e];
    for (std::size_t j = 0; j < m; ++j) variance[j] += adjoints.node_variance[q * m + j];
  }
  return priors_[structure]->adjoint(values, weights, variance, context);
}

}  // namespace neargp
