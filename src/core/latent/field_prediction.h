// The posterior of several fields (field_loadings.h) away from their locations.
#pragma once

#include <vector>

#include "latent/sparse_posterior.h"

namespace neargp {

struct FieldPrediction {
  std::vector<double> mean;        // locations x fields, by column
  std::vector<double> covariance;  // of the fields at a location: locations x fields x fields, by column
  std::vector<double> response;    // of the fields to the trend: locations x fields x coefficients, by column
};

// Field q at a location, given the posterior of its nodes near it, has mean b_q'm and response b_q'H. The covariance of
// fields q and r is b_q'A^-1 b_r, and f_q is added where q = r. `field_response`: H of SparsePosterior, by column.
FieldPrediction predict_fields(const LatentModel& model, const SparsePosterior& posterior, Points locations,
                               const NeighborTable& neighbors, const std::vector<double>& field_response, int columns,
                               Workspaces& workspaces, const RunContext& context);

// The means b_q'm of the fields, locations x fields, by column. Structures and means of the nodes are others than those
// of the posterior.
std::vector<double> field_means(const LatentModel& model, const std::vector<Covariance>& structures, Points locations,
                                const NeighborTable& neighbors, const std::vector<double>& mean,
                                const RunContext& context);

}  // namespace neargp
