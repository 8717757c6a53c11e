#include "conditional/gpu/box_tree.h"
#include "launch.h"

namespace neargp {

template void CudaDevice::launch(const BoundLeaves&, const TargetRange&, const LaunchPlan&, const LaunchMemory&);
template void CudaDevice::launch(const RaiseBoxes&, const TargetRange&, const LaunchPlan&, const LaunchMemory&);

}  // namespace neargp
