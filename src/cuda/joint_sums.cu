#include "conditional/gpu/joint_sums.h"
#include "launch.h"

namespace neargp {

template void CudaDevice::launch(const TeamJointSums<false>&, const TargetRange&, const LaunchPlan&,
                                 const LaunchMemory&);
template void CudaDevice::launch(const TeamJointSums<true>&, const TargetRange&, const LaunchPlan&,
                                 const LaunchMemory&);
template void CudaDevice::launch(const TeamJointSums<false, float>&, const TargetRange&, const LaunchPlan&,
                                 const LaunchMemory&);
template void CudaDevice::launch(const TeamJointSums<true, float>&, const TargetRange&, const LaunchPlan&,
                                 const LaunchMemory&);

}  // namespace neargp
