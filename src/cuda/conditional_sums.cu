#include "conditional/gpu/conditional_sums.h"
#include "launch.h"

namespace neargp {

template void CudaDevice::launch(const TeamConditionalSums<false>&, const TargetRange&, const LaunchPlan&, const LaunchMemory&);
template void CudaDevice::launch(const TeamConditionalSums<true>&, const TargetRange&, const LaunchPlan&, const LaunchMemory&);
template void CudaDevice::launch(const TeamConditionalSums<false, float>&, const TargetRange&, const LaunchPlan&, const LaunchMemory&);
template void CudaDevice::launch(const TeamConditionalSums<true, float>&, const TargetRange&, const LaunchPlan&, const LaunchMemory&);

}  // namespace neargp
