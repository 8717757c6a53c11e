// A unit of its own, since a pragma sets its target.
//
// Products for processors with AVX-512, in about two thirds of the time of Eigen's for AVX2 (bench/notes/products.md).
// With Eigen 3.3 the digits are the same, since both add up the same summands in the same order. Eigen's engine
// computes solves, factors, small products and the last rows of a product, up to three, whose summands it takes in
// another order. The standard headers come before the target is set, as in product_engine_avx2.cpp.
#include <cstddef>
#include <cstdint>

#include "simd/wide_sets.h"

#ifdef NEARGP_WIDE_SETS
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512dq,avx512vl,avx2,fma")
#endif

#include "linalg/packed_product.h"
#include "linalg/product_engine.h"

namespace neargp {

extern const ProductEngine product_engine_avx2;

Index summands_at_once(Index rows, Index columns, Index depth);  // as in Eigen's engine
double* packing_memory(Index doubles);                           // of the calling thread

namespace {

constexpr Index eigen_pack = 4;  // rows at a time in Eigen's engine

bool is_worth_packing(Index rows, Index columns, Index depth) {
  return rows >= 24 && columns >= 6 && depth >= 12 && columns + depth >= 19;
}

Strip rows_of(const ConstBlock& x) { return x.transposed ? Strip{x.data, x.stride, 1} : Strip{x.data, 1, x.stride}; }

Strip columns_of(const ConstBlock& x) { return x.transposed ? Strip{x.data, 1, x.stride} : Strip{x.data, x.stride, 1}; }

ConstBlock some_rows(const ConstBlock& x, Index first, Index count) {
  if (x.transposed) return {x.data + first * x.stride, x.rows, count, x.stride, true};
  return {x.data + first, count, x.columns, x.stride, false};
}

ConstBlock transpose(ConstBlock x) {
  x.transposed = !x.transposed;
  return x;
}

void add_part(double alpha, Strip a, Strip b, Index depth, Index block, TargetPart c) {
  add_packed_product(alpha, a, b, depth, block, c, packing_memory(doubles_for_packing(block)));
}

void add_product(double alpha, ConstBlock a, ConstBlock b, Block c) {
  const Index depth = a.transposed ? a.rows : a.columns, whole = c.rows / eigen_pack * eigen_pack;
  if (!is_worth_packing(c.rows, c.columns, depth)) return product_engine_avx2.add_product(alpha, a, b, c);
  add_part(alpha, rows_of(a), columns_of(b), depth, summands_at_once(c.rows, c.columns, depth),
           {c.data, whole, c.columns, c.stride, -c.rows - c.columns});
  if (whole < c.rows)
    product_engine_avx2.add_product(alpha, some_rows(a, whole, c.rows - whole), b,
                                    {c.data + whole, c.rows - whole, c.columns, c.stride});
}

// The last rows are a product with all rows before them, and products of a column each with one of themselves.
void add_square(double alpha, ConstBlock a, Block c) {
  const Index depth = a.transposed ? a.rows : a.columns, whole = c.rows / eigen_pack * eigen_pack;
  if (!is_worth_packing(c.rows, c.rows, depth)) return product_engine_avx2.add_square(alpha, a, c);
  const Strip rows = rows_of(a);
  add_part(alpha, rows, rows, depth, summands_at_once(c.rows, c.rows, depth), {c.data, whole, whole, c.stride, 0});
  for (Index first = 0, count = whole; first < c.rows && whole < c.rows; first += count, count = 1) {
    const Index row = first < whole ? whole : first;
    product_engine_avx2.add_product(alpha, some_rows(a, row, c.rows - row), transpose(some_rows(a, first, count)),
                                    {c.data + row + first * c.stride, c.rows - row, count, c.stride});
  }
}

// Functions, since a table that copies pointers of another source would be filled when the library is loaded.
void solve_left(ConstBlock lower, Block x) { product_engine_avx2.solve_left(lower, x); }
void solve_right(ConstBlock lower, Block x) { product_engine_avx2.solve_right(lower, x); }
bool factorize(Block s) { return product_engine_avx2.factorize(s); }

}  // namespace

extern const ProductEngine product_engine_avx512{"AVX-512 and Eigen", add_product, add_square,
                                                 solve_left,          solve_right, factorize};

}  // namespace neargp

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
