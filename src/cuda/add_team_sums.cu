#include "conditional/gpu/evaluation.h"
#include "launch.h"

namespace neargp {

template void CudaDevice::launch(const AddTeamSums&, const TargetRange&, const LaunchPlan&, const LaunchMemory&);

}  // namespace neargp
