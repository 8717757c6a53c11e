// A unit of its own, since the number of lanes is a macro: the kernels for whatever the compiler targets by default,
// SSE2 on x86-64 and NEON on 64-bit ARM.
#define NEARGP_LANES 2
#include "covariance/kernels.h"
#include "covariance/matern_quadrature.h"

namespace neargp {
extern const CovarianceKernels covariance_kernels_portable{fill_matern_table<2>, covariance_column<2>};
}
