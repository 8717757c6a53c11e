// The module does not see the symbols of the package's library: the parts of core/ that it needs are also compiled into
// it.
#include "conditional/gpu/covariance.cpp"
#include "conditional/gpu/plan.cpp"
#include "parallel/thread_pool.cpp"
