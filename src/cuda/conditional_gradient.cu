#include "conditional/gpu/conditional_gradient.h"
#include "launch.h"

namespace neargp {

template void CudaDevice::launch(const TeamConditionalGradient<double>&, const TargetRange&, const LaunchPlan&,
                                 const LaunchMemory&);
template void CudaDevice::launch(const TeamConditionalGradient<float>&, const TargetRange&, const LaunchPlan&,
                                 const LaunchMemory&);

}  // namespace neargp
