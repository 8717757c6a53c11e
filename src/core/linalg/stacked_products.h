// Products of many matrices of one size at a time, on a device: matrix w of a stack begins `step` numbers behind the
// one before it. Stacks of one call have as many matrices, or one with a step of 0 that stands for all of the others'.
#pragma once

#include "linalg/product_engine.h"

namespace neargp {

struct ConstStack {
  ConstBlock first;
  Index count = 1, step = 0;
};

struct Stack {
  Block first;
  Index count = 1, step = 0;

  operator ConstStack() const { return {{first.data, first.rows, first.columns, first.stride}, count, step}; }
};

inline ConstStack transposed(ConstStack stack) {
  stack.first.transposed = !stack.first.transposed;
  return stack;
}

struct StackEngine {
  const char* name;
  void (*add_products)(double alpha, ConstStack a, ConstStack b, Stack c);  // C += alpha A B
  void (*solve_left)(ConstStack lower, Stack x);                            // X = L^-1 X
  // S = LL', lower triangles only; what is above them is lost, being cuSOLVER's to work in. regular[w], on the host:
  // whether all pivots of matrix w were positive.
  void (*factorize)(Stack s, bool* regular);
};

}  // namespace neargp
