#include "launch.h"
#include "team/conditional_gradient.h"

namespace neargp {

template void CudaDevice::launch(const TeamConditionalGradient&, const TargetRange&, const LaunchPlan&, const LaunchMemory&);

}  // namespace neargp
