// Formulas that the CPU and the CUDA module share carry this mark; it is empty
// for every compiler but nvcc.
#pragma once

#ifdef __CUDACC__
#define NEARGP_HD __host__ __device__
#else
#define NEARGP_HD
#endif
