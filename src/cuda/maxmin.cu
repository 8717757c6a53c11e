#include "conditional/gpu/maxmin.h"
#include "launch.h"

namespace neargp {

template void CudaDevice::launch(const RaiseChampions&, const TargetRange&, const LaunchPlan&, const LaunchMemory&);
template void CudaDevice::launch(const TeamChoose&, const TargetRange&, const LaunchPlan&, const LaunchMemory&);
template void CudaDevice::launch(const TeamLower&, const TargetRange&, const LaunchPlan&, const LaunchMemory&);

}  // namespace neargp
