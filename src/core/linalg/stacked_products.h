// Products of many matrices of one size at a time, on a device. Matrix w of a stack begins `step` numbers behind matrix
// w - 1. All stacks of a call contain the same number of matrices. An exception is a stack with a step of 0: its one
// matrix is used with all matrices of the others.
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
  // S = LL', lower triangles only. The numbers above them are lost, as cuSOLVER works there. regular[w], on the host,
  // is whether all pivots of matrix w were positive.
  void (*factorize)(Stack s, bool* regular);
};

}  // namespace neargp
