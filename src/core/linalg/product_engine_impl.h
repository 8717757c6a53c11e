// The table of a ProductEngine by Eigen, for the instruction set that the including file is compiled for. Code for
// several sets must not share symbols, because the linker may keep the version that some processors cannot run. Each
// file for a wider set therefore renames Eigen's namespace.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "linalg/product_engine.h"

namespace neargp {
namespace {

using Stride = Eigen::OuterStride<>;
using Target = Eigen::Map<Eigen::MatrixXd, 0, Stride>;
using Source = Eigen::Map<const Eigen::MatrixXd, 0, Stride>;

Source view(const ConstBlock& x) { return {x.data, x.rows, x.columns, Stride(x.stride)}; }
Target view(const Block& x) { return {x.data, x.rows, x.columns, Stride(x.stride)}; }

// Eigen evaluates small products entry by entry. The order of their summands depends on whether the target lies at an
// aligned address, and therefore on the thread that allocated it.
bool is_small(Index rows, Index columns, Index depth) { return rows + columns + depth < 20; }

void add_small_product(double alpha, const ConstBlock& a, const ConstBlock& b, const Block& c, Index depth) {
  const auto entry = [](const ConstBlock& x, Index i, Index j) {
    return x.transposed ? x.data[j + i * x.stride] : x.data[i + j * x.stride];
  };
  for (Index j = 0; j < c.columns; ++j)
    for (Index i = 0; i < c.rows; ++i) {
      double sum = 0.0;
      for (Index l = 0; l < depth; ++l) sum += entry(a, i, l) * entry(b, l, j);
      c.data[i + j * c.stride] += alpha * sum;
    }
}

void add_product(double alpha, ConstBlock a, ConstBlock b, Block c) {
  const Index depth = a.transposed ? a.rows : a.columns;
  if (is_small(c.rows, c.columns, depth)) return add_small_product(alpha, a, b, c, depth);
  Target target = view(c);
  if (a.transposed && b.transposed) {
    target.noalias() += alpha * view(a).transpose() * view(b).transpose();
  } else if (a.transposed) {
    target.noalias() += alpha * view(a).transpose() * view(b);
  } else if (b.transposed) {
    target.noalias() += alpha * view(a) * view(b).transpose();
  } else {
    target.noalias() += alpha * view(a) * view(b);
  }
}

// How many summands of a product Eigen adds up before it adds their sum to the target. It depends on the cache.
[[maybe_unused]] Index blocked_depth(Index rows, Index columns, Index depth) {
  Eigen::internal::computeProductBlockingSizes<double, double>(depth, rows, columns);
  return depth;
}

void add_square(double alpha, ConstBlock a, Block c) {
  Target target = view(c);
  if (a.transposed) {
    target.selfadjointView<Eigen::Lower>().rankUpdate(view(a).transpose(), alpha);
  } else {
    target.selfadjointView<Eigen::Lower>().rankUpdate(view(a), alpha);
  }
}

// Eigen takes the address of the first element of right-hand sides, even if they are empty.
bool is_empty(const Block& x) { return x.rows == 0 || x.columns == 0; }

void solve_left(ConstBlock lower, Block x) {
  if (is_empty(x)) return;
  Target target = view(x);
  if (lower.transposed) {
    view(lower).transpose().triangularView<Eigen::Upper>().solveInPlace(target);
  } else {
    view(lower).triangularView<Eigen::Lower>().solveInPlace(target);
  }
}

void solve_right(ConstBlock lower, Block x) {
  if (is_empty(x)) return;
  Target target = view(x);
  if (lower.transposed) {
    view(lower).transpose().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(target);
  } else {
    view(lower).triangularView<Eigen::Lower>().solveInPlace<Eigen::OnTheRight>(target);
  }
}

// Factorises a copy. Sums of its matrix-vector products begin at an aligned address. If they did not, the last digits
// would depend on where the block lies. (Products and solves of matrices copy their operands themselves.)
bool factorize(Block s) {
  Target target = view(s);
  Eigen::MatrixXd copy = target;
  const bool found = Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>>(copy).info() == Eigen::Success;
  target.triangularView<Eigen::Lower>() = copy;
  return found;
}

}  // namespace
}  // namespace neargp
