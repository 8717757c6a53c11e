#include "conditional/gpu/nearest.h"
#include "launch.h"

namespace neargp {

template void CudaDevice::launch(const TeamNearest&, const TargetRange&, const LaunchPlan&, const LaunchMemory&);

}  // namespace neargp
