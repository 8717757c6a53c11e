#include "conditional/gpu/vecchia_sums.h"
#include "launch.h"

namespace neargp {

template void CudaDevice::launch(const TeamVecchiaSums<false>&, const TargetRange&, const LaunchPlan&,
                                 const LaunchMemory&);
template void CudaDevice::launch(const TeamVecchiaSums<true>&, const TargetRange&, const LaunchPlan&,
                                 const LaunchMemory&);
template void CudaDevice::launch(const TeamVecchiaSums<false, float>&, const TargetRange&, const LaunchPlan&,
                                 const LaunchMemory&);
template void CudaDevice::launch(const TeamVecchiaSums<true, float>&, const TargetRange&, const LaunchPlan&,
                                 const LaunchMemory&);

}  // namespace neargp
