// The mean-field objective of a latent model, q(u) = prod_j N(m_j, s_j). It is the lower bound of Wu, Pleiss and
// Cunningham (2022, section 3, eqs. 12 and 28):
//
//   L = sum_i E log p(y_i | eta_i) - sum_j D_j.
//   D_j = 1/2 { log f_j - log s_j - 1 + [s_j + sum_l b_jl^2 s_l + (m_j - b_j'm)^2] / f_j }.
//
// Here b_j and f_j are the weights and conditional variance of node j given the nodes before it. The mean of eta_i is
// offset_i + x_i'beta + mu_i, and its variance is tau_i. At a node mu_i = m_j and tau_i = s_j. Elsewhere mu_i = c_i'm
// and tau_i = v_i + sum_l c_il^2 s_l (eq. 25).
//
// In SWSGP (Tran, Milios, Michiardi and Filippone 2021, eq. 11) the second sum is the mean over the data of
//
//   KL[N(m_I, diag s_I) || N(0, K_II)].
//
// Here I = I(i) are the nodes that datum i depends on. The CPU finds this divergence from the factor of K_II, which the
// moments of datum i need anyway (conditional/cpu/members_divergence.h). Other devices find it by the chain rule, as
// the sum of D_j over I, with b_j and f_j given the members of I before j. With this mean L is no lower bound. The
// weight of either second sum may differ from 1.
//
// For a full covariance matrix of q(u), and for data of a batch that share a set of nodes, active_sets.h computes both
// sums on the CPU.
//
// Both sums may be sub-sampled (eq. 19). With uniformly drawn rows, each sum is weighted by the number of its terms
// over the number drawn. Value and gradient are then unbiased for any sizes of the batches.
#pragma once

#include <vector>

#include "latent/latent_model.h"
#include "latent/projected_batch.h"
#include "likelihoods/latent_response.h"

namespace neargp {

struct ActiveSet;
struct ActiveSetGradient;
class NodePosterior;

// The point at which the objective is evaluated.
struct MeanFieldPoint {
  Covariance covariance;  // its nugget is the jitter
  Likelihood likelihood;
  std::vector<double> beta;
  std::vector<double> moments;  // nodes x 2: m and s
  std::vector<double> coords;   // nodes x dim; the same at all evaluations unless gradients in them are wanted
  std::vector<double> root;     // nodes x nodes, as in node_posterior.h; empty: independent nodes
};

enum class MeanFieldPrior { sequential, neighborhoods };

struct MeanFieldBatch {
  std::vector<int> nodes, data;
  double node_weight = 1.0, data_weight = 1.0;
};

struct MeanFieldGradient {
  double value = 0.0;
  std::vector<double> covariance;  // the core's covariance parameters, the jitter tied to the variance
  std::vector<double> likelihood;  // logarithms of the likelihood's parameters
  std::vector<double> beta;
  std::vector<double> moments;    // nodes x 2: in m and in log s
  std::vector<double> root;       // nodes x nodes, where the nodes are not independent
  std::vector<double> locations;  // nodes x dim, where wanted
  std::vector<int> active;        // the only nodes with a gradient
};

class MeanField {
 public:
  // Nodes are numbered as the model numbers them. Both arguments outlive the object. `locations`: gradients in the
  // coordinates of the nodes are wanted. `shared`: how many nodes all data of a batch depend on together, with
  // neighborhoods; 0 if each datum depends on its own nodes.
  MeanField(const LatentModel& model, const LatentResponse& response, bool locations,
            MeanFieldPrior prior = MeanFieldPrior::sequential, double kl_weight = 1.0, Index shared = 0);

  Index nodes() const { return model_.nodes(); }
  Index data() const { return model_.data(); }
  bool interpolates() const { return model_.interpolates(); }
  bool shares_nodes() const { return shared_ > 0; }

  // Every node and every datum.
  MeanFieldBatch everything() const;
  // Nodes and data, each sum weighted for their number.
  MeanFieldBatch batch_of(std::vector<int> nodes, std::vector<int> data) const;
  // Nodes and the data at them; for models with a node at every datum.
  MeanFieldBatch at_nodes(std::vector<int> nodes) const;

  // The nodes whose moments a batch depends on, some of them several times.
  std::vector<int> members(const MeanFieldBatch& batch) const;

  // Valid until the next call. Throws an Error where a covariance matrix is singular.
  const MeanFieldGradient& evaluate(const MeanFieldPoint& point, const MeanFieldBatch& batch,
                                    const RunContext& context);

  // Searches the neighbours of nodes and data again, in the metric of the component of the largest variance.
  void renew_neighbors(const MeanFieldPoint& point, const RunContext& context);
  const NeighborTable& node_neighbors() const { return node_neighbors_; }
  const NeighborTable& data_neighbors() const { return data_neighbors_; }

 private:
  void forget_last();
  void touch(int node);
  void add_prior(const MeanFieldPoint& point, const MeanFieldBatch& batch, const PreparedCovariance& covariance,
                 const RunContext& context);
  void add_neighborhoods(const MeanFieldPoint& point, const MeanFieldBatch& batch, const PreparedCovariance& covariance,
                         const RunContext& context);
  void add_ranks(const MeanFieldPoint& point, const std::vector<int>& data, double of_sample,
                 const PreparedCovariance& covariance, const RunContext& context);
  void add_active_sets(const MeanFieldPoint& point, const MeanFieldBatch& batch, const PreparedCovariance& covariance,
                       const RunContext& context);
  void add_sets(const std::vector<ActiveSet>& sets, const std::vector<ActiveSetGradient>& found, double weight);
  void add_roots(const std::vector<ActiveSet>& sets, const std::vector<ActiveSetGradient>& found,
                 const MeanFieldPoint& point, const NodePosterior& posterior, const RunContext& context);
  void add_prior_terms(const MeanFieldPoint& point, const std::vector<int>& nodes, double of_sample,
                       const PreparedCovariance& covariance, const RunContext& context);
  void add_data(const MeanFieldPoint& point, const MeanFieldBatch& batch, double divergence_weight,
                const PreparedCovariance& covariance, const RunContext& context);
  void add_data_at_nodes(const MeanFieldPoint& point, const MeanFieldBatch& batch, const RunContext& context);
  void add_contributions(const ProjectedBatch& batch, const MeanFieldPoint& point);
  void add_sums(const TargetSums& sums);

  const LatentModel& model_;
  const LatentResponse& response_;
  bool locations_;
  MeanFieldPrior sort_of_prior_;
  double kl_weight_;
  Index shared_;
  NeighborTable node_neighbors_, data_neighbors_;
  std::vector<double> noise_;
  std::vector<int> data_start_, data_at_;  // the data at node j: data_at_[data_start_[j] .. data_start_[j + 1] - 1]
  std::vector<char> is_active_;
  ProjectedBatch prior_, interpolation_;
  MeanFieldGradient gradient_;
};

}  // namespace neargp
