// The trend's design at the nodes of a latent model, by which field and trend are told apart: optimisers move the
// centred field v = u + Xn beta, for a constant added to the trend and taken from the field changes no linear
// predictor.
#pragma once

#include <vector>

#include "latent/latent_model.h"
#include "likelihoods/latent_response.h"

namespace neargp {

// Xn: the average over the data at a node (or that have it as their nearest one), nodes x coefficients, by column.
// Where there are none, the average over all data.
std::vector<double> node_design(const LatentModel& model, const LatentResponse& response);

}  // namespace neargp
