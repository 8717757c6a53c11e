// Solves with A = Q + C'WC of a latent model without a factor of A, for any number of neighbours. The preconditioner of
// the conjugate gradients is (I - B)'(F^-1 + D)(I - B). Here Q = (I - B)'F^-1(I - B), and D is the diagonal of C'WC. An
// iteration costs two passes over the weights and no memory. Incomplete factors need 3 or 4 iterations where this needs
// some 50 to 250, but their pattern grows with the square of the number of neighbours.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "latent/latent_model.h"
#include "linalg/sparse/conjugate_gradient.h"

namespace neargp {

// A^-1 h for precisions W >= 0 by datum; h and the result by node, in the model's numbering.
LinearSolution solve_latent(const LatentModel& model, const std::vector<double>& precision,
                            const std::vector<double>& h, double tolerance, int max_iterations,
                            const RunContext& context);

// A x, of the residual field alone where there is a low-rank part.
std::vector<double> posterior_precision_times(const LatentModel& model, const std::vector<double>& precision,
                                              const std::vector<double>& x);

// The diagonals of Q and of C'WC, by node.
std::vector<double> prior_diagonal(const LatentModel& model);
std::vector<double> data_diagonal(const LatentModel& model, const std::vector<double>& precision);

// The information of the trend's coefficients with the field integrated out, X'WX - X'WC A^-1 C'WX. It is computed
// without that difference:
//   D'WD + H'Q H,   D = X - C H.
// Q is the prior's precision, `response` is H = A^-1 C'WX by node, and `unseen` is D by datum. For W >= 0 no eigenvalue
// is negative, however far the field varies beyond the noise. An error of H counts by its square.
Eigen::MatrixXd trend_information(const LatentModel& model, const std::vector<double>& precision,
                                  const Eigen::MatrixXd& unseen, const Eigen::MatrixXd& response);

}  // namespace neargp
