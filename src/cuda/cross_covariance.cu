#include "conditional/gpu/cross_covariance.h"
#include "launch.h"

namespace neargp {

template void CudaDevice::launch(const TeamCrossCovariance&, const TargetRange&, const LaunchPlan&,
                                 const LaunchMemory&);
template void CudaDevice::launch(const TeamCrossSlopes&, const TargetRange&, const LaunchPlan&, const LaunchMemory&);

}  // namespace neargp
