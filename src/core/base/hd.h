// Formulas that the CPU and the CUDA module share carry this mark; it is empty
// for every compiler but nvcc.
#pragma once

#ifdef __CUDACC__
#define NEARGP_HD __host__ __device__
// Before a template that calls an action of its caller's, which may be for the host alone: nvcc would warn of each.
#define NEARGP_CALLS_ACTION _Pragma("nv_exec_check_disable")
#else
#define NEARGP_HD
#define NEARGP_CALLS_ACTION
#endif
