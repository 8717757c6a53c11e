// The speed of dense products by every engine, compared with the core's peak, for bench/notes/products.md. Times are
// CPU times on one thread.
//
//   sh bench/products.sh [libopenblas.so.0]

#include <Eigen/Core>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>

#include "linalg/product_engine.h"
#include "opened_blas.h"
#include "simd/instruction_set.h"

using namespace neargp;
using Matrix = Eigen::MatrixXd;

namespace {

double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

// The rate of the fastest of several runs, since other work on the machine only adds to the time.
double gigaflops(double flops, const std::function<void()>& run) {
  double best = 1e300, total = 0.0;
  for (int i = 0; i < 40 && (i < 4 || total < 1.0); ++i) {
    const double start = cpu_seconds();
    run();
    const double took = cpu_seconds() - start;
    best = std::min(best, took);
    total += took;
  }
  return 1e-9 * flops / best;
}

// Twelve chains of multiply-adds keep two units of latency four busy.
#define NEARGP_PEAK(NAME, TARGET, LANES)                                                     \
  __attribute__((target(TARGET), noinline)) double NAME(long steps) {                        \
    typedef double Lanes __attribute__((vector_size(8 * LANES)));                            \
    Lanes sum[12], factor, term;                                                             \
    for (int l = 0; l < LANES; ++l) factor[l] = 0.999999, term[l] = 1e-6;                    \
    for (Lanes & s : sum) s = term;                                                          \
    for (long i = 0; i < steps; ++i) {                                                       \
      _Pragma("GCC unroll 12") for (int c = 0; c < 12; ++c) sum[c] = sum[c] * factor + term; \
    }                                                                                        \
    double all = 0.0;                                                                        \
    for (const Lanes& s : sum) all += s[0];                                                  \
    return all;                                                                              \
  }

NEARGP_PEAK(peak_avx2, "avx2,fma", 4)
NEARGP_PEAK(peak_avx512, "avx512f,fma", 8)

double peak() {
  constexpr long steps = 20000000;
  volatile double kept = 0.0;
  double best = 0.0;
  for (const char* set : instruction_sets()) {
    if (std::string(set) == "avx512")
      best = std::max(best, gigaflops(2.0 * 12 * 8 * steps, [&] { kept = kept + peak_avx512(steps); }));
    if (std::string(set) == "avx2")
      best = std::max(best, gigaflops(2.0 * 12 * 4 * steps, [&] { kept = kept + peak_avx2(steps); }));
  }
  return best;
}

Block block(Matrix& x) { return {x.data(), x.rows(), x.cols(), x.rows()}; }
ConstBlock operand(const Matrix& x) { return {x.data(), x.rows(), x.cols(), x.rows()}; }

void report(double most, Index m) {
  constexpr Index rows = 4096;
  const ProductEngine& engine = product_engine();
  const Matrix features = Matrix::Random(m, rows);
  Matrix square = features * features.transpose() / double(rows) + Matrix::Identity(m, m),
         target = Matrix::Zero(m, rows);
  Matrix factor = square, gram = Matrix::Zero(m, m);
  engine.factorize(block(factor));
  const double size = double(m), columns = double(rows);
  Matrix scratch;
  const double product = gigaflops(2.0 * size * size * columns,
                                   [&] { engine.add_product(1.0, operand(square), operand(features), block(target)); });
  const double update =
      gigaflops(size * size * columns, [&] { engine.add_square(1.0, operand(features), block(gram)); });
  target = features;
  const double solve = gigaflops(size * size * columns, [&] { engine.solve_left(operand(factor), block(target)); });
  const double cholesky = gigaflops(size * size * size / 3.0, [&] {
    scratch = square;
    engine.factorize(block(scratch));
  });
  std::printf("%s, %s, %d", engine.name, instruction_set_name(instruction_set()), int(m));
  for (const double rate : {product, update, solve, cholesky}) std::printf(", %.1f, %.0f%%", rate, 100.0 * rate / most);
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  const double most = peak();
  std::printf(
      "peak, %.1f\nengine, instruction set, M, product, share, rank update, share, solve, share, Cholesky, share\n",
      most);
  for (const Index m : {256, 512, 1024}) {
    for (const char* set : instruction_sets()) {
      use_instruction_set(set);
      report(most, m);
    }
    use_instruction_set("auto");
  }
  if (count < 2) return 0;
  if (!use_opened_blas(arguments[1])) return std::fprintf(stderr, "%s is not OpenBLAS.\n", arguments[1]), 1;
  for (const Index m : {256, 512, 1024}) report(most, m);
}
