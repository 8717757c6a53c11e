// Several fields at the same locations, and responses that are sums of them.
//
//   eta of a row of response m at location j = trend + sum_q A[m, q] f_q(s_j).
//
// The fields of a structure share a correlation function, and are independent with variance 1. Field q at location j is
// node q * locations + j of the latent model. A row depends on the nodes of its location with the loadings a_m as
// weights. A row may also be a mean over several locations, an area.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "geometry/neighbors.h"
#include "latent/data_weights.h"

namespace neargp {

// Rows of several responses. `places`: rows x the largest number of locations of a row, -1 where there are fewer.
// `shares`: the weight of each location in the row, row by row.
struct FieldRows {
  std::vector<int> structure_of_field;
  std::vector<int> response;
  NeighborTable places{0, 0};
  std::vector<double> shares;

  int fields() const { return int(structure_of_field.size()); }
};

class FieldLoadings {
 public:
  // `rows.places` in the model's numbers; `responses`: how many there are.
  FieldLoadings(FieldRows rows, Index places, int responses);

  int fields() const { return rows_.fields(); }
  int structures() const;
  const std::vector<int>& structure_of_field() const { return rows_.structure_of_field; }

  void set(const Eigen::MatrixXd& loadings);  // responses x fields
  const Eigen::MatrixXd& loadings() const { return loadings_; }

  // The locations and the response of each row.
  const NeighborTable& places() const { return rows_.places; }
  const std::vector<int>& response_of_row() const { return rows_.response; }
  DataWeights weights() const { return {&members_, &weights_, &variance_}; }

  // The most locations that a row depends on.
  int locations_of_row() const { return rows_.places.k; }

  // The sums of w_i a_m a_m' over the rows at each location, fields x fields by location, for rows of one location
  // each.
  std::vector<double> at_locations(const std::vector<double>& by_row) const;

  // The gradient in the loadings, given that in the weights.
  Eigen::MatrixXd gradient(const std::vector<double>& weights_bar) const;

 private:
  FieldRows rows_;
  Eigen::MatrixXd loadings_;
  NeighborTable members_;
  std::vector<double> weights_, variance_;
  Index locations_;
};

}  // namespace neargp
