#include "launch.h"
#include "team/conditional_adjoint.h"

namespace neargp {

template void CudaDevice::launch(const TeamConditionalAdjoint&, const TargetRange&, const LaunchPlan&, const LaunchMemory&);

}  // namespace neargp
