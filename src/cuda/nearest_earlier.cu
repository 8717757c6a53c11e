#include "conditional/gpu/nearest_earlier.h"
#include "launch.h"

namespace neargp {

template void CudaDevice::launch(const TeamEarlier&, const TargetRange&, const LaunchPlan&, const LaunchMemory&);

}  // namespace neargp
