#include "conditional/gpu/plain_covariance.h"
#include "conditional/gpu/vecchia_sums.h"
#include "launch.h"

namespace neargp {

template <class Correlation>
using Task = TeamVecchiaSums<true, double, PlainCovariance<double, Correlation>>;

template void CudaDevice::launch(const Task<Exponential>&, const TargetRange&, const LaunchPlan&, const LaunchMemory&);
template void CudaDevice::launch(const Task<Matern32>&, const TargetRange&, const LaunchPlan&, const LaunchMemory&);
template void CudaDevice::launch(const Task<Matern52>&, const TargetRange&, const LaunchPlan&, const LaunchMemory&);
template void CudaDevice::launch(const Task<Matern72>&, const TargetRange&, const LaunchPlan&, const LaunchMemory&);
template void CudaDevice::launch(const Task<Gaussian>&, const TargetRange&, const LaunchPlan&, const LaunchMemory&);
template void CudaDevice::launch(const Task<Cosine>&, const TargetRange&, const LaunchPlan&, const LaunchMemory&);
template void CudaDevice::launch(const Task<Spherical>&, const TargetRange&, const LaunchPlan&, const LaunchMemory&);
template void CudaDevice::launch(const Task<Wave>&, const TargetRange&, const LaunchPlan&, const LaunchMemory&);

}  // namespace neargp
