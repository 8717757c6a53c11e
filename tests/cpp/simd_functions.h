// The elementary functions of packs as plain functions of arrays. One test can then call the versions compiled for each
// instruction set. Their units set their own compiler targets, as src/core/conditional/cpu/kernels_*.cpp do.
#pragma once

struct SimdFunctions {
  const char* name;
  int lanes;
  void (*exp)(const double* x, double* y);
  void (*log)(const double* x, double* y);
  void (*sqrt)(const double* x, double* y);
  void (*larger)(const double* a, const double* b, double* y);
  void (*smaller)(const double* a, const double* b, double* y);
};
