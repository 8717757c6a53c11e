#include "conditional/gpu/scatter_rows.h"
#include "launch.h"

namespace neargp {

template void CudaDevice::launch(const ScatterRows&, const TargetRange&, const LaunchPlan&, const LaunchMemory&);

}  // namespace neargp
