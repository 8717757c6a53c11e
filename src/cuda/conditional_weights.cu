#include "conditional/gpu/conditional_weights.h"
#include "launch.h"

namespace neargp {

template void CudaDevice::launch(const TeamConditionalWeights&, const TargetRange&, const LaunchPlan&,
                                 const LaunchMemory&);

}  // namespace neargp
