#include "conditional/gpu/row_products.h"
#include "launch.h"

namespace neargp {

template void CudaDevice::launch(const TeamCombineRows&, const TargetRange&, const LaunchPlan&, const LaunchMemory&);
template void CudaDevice::launch(const TeamMultiplyRows&, const TargetRange&, const LaunchPlan&, const LaunchMemory&);

}  // namespace neargp
