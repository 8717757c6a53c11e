// The elementary functions of packs as plain functions of arrays, so that one test can call them as compiled for
// each instruction set: those units carry their own targets, as src/core/conditional/cpu/kernels_*.cpp do.
#pragma once

struct SimdFunctions {
  const char* name;
  int lanes;
  void (*exp)(const double* x, double* y);
  void (*log)(const double* x, double* y);
  void (*sqrt)(const double* x, double* y);
};
