#include "conditional/gpu/conditional_adjoint.h"
#include "launch.h"

namespace neargp {

template void CudaDevice::launch(const TeamConditionalAdjoint&, const TargetRange&, const LaunchPlan&,
                                 const LaunchMemory&);

}  // namespace neargp
