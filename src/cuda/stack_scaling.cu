#include "conditional/gpu/stack_scaling.h"
#include "launch.h"

namespace neargp {

template void CudaDevice::launch(const TeamScaleColumns&, const TargetRange&, const LaunchPlan&, const LaunchMemory&);
template void CudaDevice::launch(const TeamAddSquares&, const TargetRange&, const LaunchPlan&, const LaunchMemory&);
template void CudaDevice::launch(const TeamMirrorUpper&, const TargetRange&, const LaunchPlan&, const LaunchMemory&);

}  // namespace neargp
