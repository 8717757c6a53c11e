// The evidence lower bound of several outputs on inducing points: that of collapsed_bound.h for the features E_p Phi(x)
// of coregionalised_factor.h.
//
// With Gamma_p = sum over places x at which output p is known of W_xp Phi(x) Phi(x)', and S = B^-1,
//
//   B = I + sum_p E_p Gamma_p E_p',   A W R = sum_p E_p sum_x Phi(x) W_xp R_xp,   A_xp'm = Phi(x)' E_p'm,
//
// and dF/dPhi(x) = sum_p [ E_p'm alpha_xp + tau_xp E_p'E_p Phi(x) ] - W_x S_g Phi(x), W_x = 1 / noise scale, where the
// outputs that are known at x, its group g, have S_g = sum_p E_p'S E_p / nugget_p. All products over places are of the
// size of Phi, whatever the number of outputs and the rank; B alone is of that of E_p Phi, and may have blocks
// (field_rotation.h).
#pragma once

#include "variational/collapsed_bound.h"
#include "variational/output_groups.h"

namespace neargp {

// `unexplained` of the result is the mean over rows of d_i as a share of the variance of the output's field. With
// `derivatives` it may be without its factor. Throws an Error where an output has no nugget.
CollapsedBound coregionalised_bound(const OutputRegression& data, Points inducing, const Covariance& covariance,
                                    const BoundSettings& settings, bool derivatives, const RunContext& context);

}  // namespace neargp
