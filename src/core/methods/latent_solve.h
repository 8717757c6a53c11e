// Solves with A = Q + C'WC of a latent model without a factor of A, for any number of neighbours: conjugate gradients
// with the preconditioner (I - B)'(F^-1 + D)(I - B), where Q = (I - B)'F^-1(I - B) and D is the diagonal of C'WC. It costs
// two passes over the weights an iteration and no memory. (Incomplete factors need 3 or 4 iterations where this needs some
// 50 to 250, but their pattern grows with the square of the number of neighbours.)
#pragma once

#include <vector>

#include "methods/latent_model.h"
#include "sparse/conjugate_gradient.h"

namespace neargp {

// A^-1 h for precisions W >= 0 by datum; h and the result by node, in the model's numbering.
LinearSolution solve_latent(const LatentModel& model, const std::vector<double>& precision, const std::vector<double>& h,
                            double tolerance, int max_iterations, const RunContext& context);

// A x
std::vector<double> posterior_precision_times(const LatentModel& model, const std::vector<double>& precision,
                                              const std::vector<double>& x);

// The diagonals of Q and of C'WC, by node.
std::vector<double> prior_diagonal(const LatentModel& model);
std::vector<double> data_diagonal(const LatentModel& model, const std::vector<double>& precision);

}  // namespace neargp
