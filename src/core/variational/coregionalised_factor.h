// The prior of multiple outputs at inducing points: the linear model of coregionalisation on whitened features.
//
// Output p is the sum over latent fields q of a_pq g_q. The correlation of g_q is that of its structure c(q). All
// fields use the same inducing points. Let Phi_c(x) = L_c^-1 k_c(Z, x) be the features of structure c at location x,
// and let Phi(x) be the stack of these over the structures. The features of output p at x are the stack over q of a_pq
// Phi_c(q)(x), which is E_p Phi(x). Block (q, c(q)) of E_p is a_pq I, and all other blocks are 0. A location is thus
// one column of Phi for all of its outputs.
#pragma once

#include <memory>
#include <vector>

#include "variational/inducing_factor.h"

namespace neargp {

struct LatentField {
  int structure = 0;
  Eigen::VectorXd loadings;       // by output
  int parameter = 0, stride = 0;  // the derivative in the loading of output p is number parameter + p stride
};

class CoregionalisedFactor {
 public:
  // `covariance`: for multiple outputs, prepared with derivatives if adjoint() is to be called. It must outlive the
  // object.
  CoregionalisedFactor(const PreparedCovariance& covariance, Points positions, double jitter, bool derivatives);

  // False where the matrix of a structure is numerically singular; then nothing else may be called.
  bool regular() const;
  const PreparedCovariance& covariance() const { return covariance_; }
  InducingGradient zero_gradient() const { return structures_[0]->points.zero_gradient(); }

  int structures() const { return int(structures_.size()); }
  const InducingFactor& structure(int c) const { return structures_[std::size_t(c)]->factor; }
  const std::vector<LatentField>& fields() const { return fields_; }
  Index points() const { return structures_[0]->points.size(); }
  Index place_features() const { return points() * structures(); }     // rows of Phi
  Index features() const { return points() * Index(fields_.size()); }  // of an output
  // Entry (p, q) of the coregionalisation matrix of a structure.
  double coregionalisation(int structure, int p, int q) const;

  Eigen::MatrixXd onto_fields(const Eigen::MatrixXd& x, int output) const;  // E_p x
  Eigen::MatrixXd from_fields(const Eigen::MatrixXd& x, int output) const;  // E_p' x

 private:
  struct Structure {
    PreparedCovariance correlation;
    InducingPoints points;
    InducingFactor factor;

    Structure(PreparedCovariance own, Points positions, double jitter, bool derivatives);
  };

  const PreparedCovariance& covariance_;
  std::vector<std::unique_ptr<const Structure>> structures_;
  std::vector<LatentField> fields_;
};

}  // namespace neargp
