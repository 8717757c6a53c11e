// The evidence lower bound of multiple outputs on inducing points. It is that of collapsed_bound.h with the features
// E_p Phi(x) of coregionalised_factor.h.
//
// Let S = B^-1, and let Gamma_p be the sum of W_xp Phi(x) Phi(x)' over the locations x at which output p is known. Then
//
//   B = I + sum_p E_p Gamma_p E_p',   A W R = sum_p E_p sum_x Phi(x) W_xp R_xp,   A_xp'm = Phi(x)' E_p'm.
//
// Let W_x = 1 / noise scale. Let g be the group of outputs that are known at x, and S_g = sum_p E_p'S E_p / nugget_p
// over these. The derivative in the features is
//
//   dF/dPhi(x) = sum_p [ E_p'm alpha_xp + tau_xp E_p'E_p Phi(x) ] - W_x S_g Phi(x).
//
// All products over locations are as large as Phi, for any number of outputs and any rank. Only B is as large as
// E_p Phi, and it may consist of blocks (field_rotation.h).
#pragma once

#include "variational/collapsed_bound.h"
#include "variational/output_groups.h"

namespace neargp {

// `unexplained` of the result is the mean over rows of d_i, as a share of the variance of the output's field. With
// `derivatives`, `factor` of the result may be empty. Throws an Error unless all nuggets are above zero.
CollapsedBound coregionalised_bound(const OutputRegression& data, Points inducing, const Covariance& covariance,
                                    const BoundSettings& settings, bool derivatives, const RunContext& context);

}  // namespace neargp
