#include "conditional/gpu/projected_adjoint.h"
#include "launch.h"

namespace neargp {

template void CudaDevice::launch(const TeamProjectedMoments&, const TargetRange&, const LaunchPlan&,
                                 const LaunchMemory&);
template void CudaDevice::launch(const TeamProjectedAdjoint&, const TargetRange&, const LaunchPlan&,
                                 const LaunchMemory&);

}  // namespace neargp
