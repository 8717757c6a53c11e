// The module does not see the symbols of the package's library: what it needs of core/ is compiled into it, too.
#include "conditional/gpu/covariance.cpp"
#include "conditional/gpu/plan.cpp"
#include "parallel/thread_pool.cpp"
