// A Gaussian field u ~ N(0, Q^-1) at nodes with a nearest-neighbour prior, and how the data depend on it.
//
//   Q = sum_j a_j a_j'/f_j,   a_j = e_j - sum over l in N(j) of b_jl e_l.
//
// Here b_j and f_j are the weights and conditional variance of node j given the nodes N(j) before it. The covariance
// matrix of the nodes includes jitter * variance on its diagonal, as part of the model. A datum i depends on the field
// at one node, w_i = u_node(i). With fewer nodes than data it depends on the nodes near it, w_i | u ~ N(c_i'u, v_i), as
// in Wu, Pleiss and Cunningham (2022, eqs. 9 and 25).
//
// With inducing points the field is the sum of a low-rank part and of u, the residual field (low_rank_prior.h). Then Q
// is the precision of the residual field, and "the prior's precision" is that of the sum.
//
// Several responses may depend on several fields (field_loadings.h). There is then a node for each field at a location.
// Fields are independent in the prior, so each node is conditioned on nodes of its own field. A datum depends on all
// nodes of its location, w_i | u ~ N(c_i'u, 0).
//
// Places are numbered by their position in memory, where close ones are close together, and field q at location j is
// node q * locations + j. The caller numbers fields and locations in the same way, with locations in an order of its
// own.
#pragma once

#include <memory>
#include <vector>

#include "covariance/covariance.h"
#include "latent/field_loadings.h"
#include "latent/low_rank_prior.h"
#include "latent/node_conditionals.h"
#include "linalg/sparse/sparse_pattern.h"

namespace neargp {

struct LatentData {
  Points nodes;                  // or the locations of several fields
  std::vector<int> order;        // the prior's ordering: order[rank] = location
  NeighborTable node_neighbors;  // of each location among those before it
  double jitter = 1e-6;
  // Further neighbours of each node before it, or none. The pattern of the posterior's factor includes their pairs,
  // which makes an incomplete factor more accurate.
  NeighborTable pattern_neighbors;

  FieldRows fields;   // of several responses; none: one field with one response
  int responses = 0;  // how many they are

  std::vector<int> node_of_datum;  // data at nodes; empty: through their neighbours
  Points data;
  NeighborTable data_neighbors;  // nodes near each datum

  Points inducing;  // of a low-rank part, for data at nodes; none: no such part
};

// Partial derivatives of an objective in all weights and variances of prior and data.
struct LatentAdjoints {
  std::vector<double> node_weights, node_variance, data_weights, data_variance;
  Eigen::MatrixXd node_features;  // of the low-rank part, a column for each node
};

// The nugget is jitter times the sum of variances. Adds to the derivative in each variance its share of that in the
// nugget. Sets the derivatives in all parameters that are not estimated to zero.
void tie_jitter(const PreparedCovariance& prepared, const Covariance& covariance, std::vector<double>& gradient);

class LatentModel {
 public:
  LatentModel(const LatentData& data, const RunContext& context);

  Index nodes() const { return Index(fields()) * places(); }
  Index places() const { return priors_[0]->targets(); }
  int fields() const { return loadings_ ? loadings_->fields() : 1; }
  Index data() const { return interpolates() ? interpolation().targets() : Index(node_of_datum_.size()); }
  int dim() const { return dim_; }
  const std::vector<double>& coords() const { return coords_; }            // of the locations
  const std::vector<double>& data_coords() const { return data_coords_; }  // where data interpolate
  // Whether data are weighted sums of nodes, and these sums.
  bool interpolates() const { return interpolation_ || loadings_; }
  DataWeights interpolation() const;
  const std::vector<int>& node_number() const { return node_number_; }
  // Converts values by node, `columns` of them by column, to the caller's numbering and back.
  std::vector<double> to_caller(const std::vector<double>& by_node, int columns = 1) const;
  std::vector<double> from_caller(const std::vector<double>& by_node, int columns = 1) const;

  const std::vector<int>& order() const { return order_; }
  const NodeConditionals& prior() const { return *priors_[0]; }  // of the first structure of fields
  // Null for one field with one response.
  const FieldLoadings* loadings() const { return loadings_.get(); }
  const std::vector<int>& node_of_datum() const { return node_of_datum_; }

  double jitter() const { return jitter_; }  // the share of the variance
  double variance() const;                   // of the field, or of the first of several
  // This covariance with the jitter as its nugget.
  Covariance with_jitter(Covariance covariance) const;

  // Computes weights and variances. Throws an Error that names the caller's node or datum if a matrix is singular.
  void set_covariance(const Covariance& covariance, const RunContext& context) { set({covariance}, context); }
  // The same of each structure of fields, of variance 1, and the loadings, responses x fields.
  void set_fields(const std::vector<Covariance>& structures, const Eigen::MatrixXd& loadings,
                  const RunContext& context);

  // How many times the covariance has been set.
  int revision() const { return revision_; }

  // Null where there is no low-rank part.
  const LowRankPrior* low_rank() const { return low_rank_.get(); }

  double log_det_precision() const;                        // of the prior
  void precision_times(const double* x, double* y) const;  // the prior's precision times x
  double precision_form(const std::vector<double>& x) const;
  void residual_precision_times(const double* x, double* y) const;  // y = Q x

  // The field at the data: c_i'u, or u at the datum's node. The transpose sums over the data that depend on each node.
  void field_at_data(const double* u, double* field) const;
  void sum_at_nodes(const double* by_datum, double* by_node) const;

  // Converts a table of the caller's nodes to the numbers of the model.
  NeighborTable in_own_numbers(const NeighborTable& neighbors) const;

  // Weights and variances of new locations given the locations near them (rows of the caller's locations), by a
  // structure.
  NodeConditionals conditionals_at(Points locations, const NeighborTable& neighbors, const RunContext& context,
                                   int structure = 0) const {
    return conditionals_at(locations, neighbors, context, covariances_[structure]);
  }
  NodeConditionals conditionals_at(Points locations, const NeighborTable& neighbors, const RunContext& context,
                                   const Covariance& covariance) const;

  // The gradient in the covariance parameters, the jitter tied to the variance: those of one structure of fields after
  // the other, and then the loadings by column.
  std::vector<double> gradient(const LatentAdjoints& adjoints, const RunContext& context) const;

  // The vectors a_j as rows 1, -b_j: nodes x (1 + k). `prior_members()` lists the members of their cliques.
  const std::vector<int>& prior_members() const { return prior_members_; }
  const std::vector<double>& prior_vectors() const { return prior_vectors_; }
  const std::vector<double>& prior_scale() const { return inverse_variance_; }  // 1 / f

  // The cliques on which entries of the posterior covariance are needed: those of the prior, those of the data where
  // they interpolate, and those of the pattern.
  std::vector<CliqueTable> cliques() const;

  // The same cliques of the locations of several fields, and the ordering of locations.
  std::vector<CliqueTable> cliques_of_places() const;
  std::vector<int> order_of_places() const;

 private:
  int structure_of(int field) const { return loadings_ ? loadings_->structure_of_field()[field] : 0; }
  void set(const std::vector<Covariance>& covariances, const RunContext& context);
  void list_members(const LatentData& data);
  // Row t of the result is row rows[t] of the table, in the numbers of the model.
  NeighborTable in_own_numbers(const NeighborTable& table, const std::vector<int>& rows) const;
  std::vector<double> prior_gradient(int structure, const LatentAdjoints& adjoints, const RunContext& context) const;
  PreparedCovariance prepared(bool derivatives, int structure = 0) const;
  void check_singular(Index failed_node, Index failed_datum) const;

  int dim_, revision_ = 0;
  double jitter_;
  std::vector<Covariance> covariances_;  // of the structures
  std::vector<int> node_number_, caller_node_;
  std::vector<double> coords_, data_coords_, unit_noise_;
  std::vector<int> order_, node_of_datum_;
  std::vector<std::unique_ptr<NodeConditionals>> priors_;  // of the structures
  std::unique_ptr<NodeConditionals> interpolation_;
  std::unique_ptr<FieldLoadings> loadings_;
  std::unique_ptr<LowRankPrior> low_rank_;  // with the weights and variances in place of the prior's
  std::vector<int> prior_members_, pattern_members_, pattern_places_;
  std::vector<double> prior_vectors_, inverse_variance_;
};

}  // namespace neargp
