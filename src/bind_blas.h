#pragma once

// Has dense products computed by R's BLAS, which core_fast_blas() must know, or else by Eigen.
void use_r_blas(bool use);
