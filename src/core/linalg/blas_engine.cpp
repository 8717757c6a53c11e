#include "linalg/blas_engine.h"

#include <algorithm>
#include <limits>
#include <mutex>

#include "base/error.h"
#include "base/shared_object.h"

namespace neargp {

namespace {

BlasRoutines blas;
BlasThreads blas_threads;

// Keeps the BLAS on one thread while an object of this class lives. Several of the package's threads call at a time.
// The first of them sets the number for all, and the last restores it.
class OneThread {
 public:
  OneThread() {
    if (blas_threads.get_openmp) openmp_before_ = blas_threads.get_openmp();
    {
      const std::lock_guard<std::mutex> lock(mutex);
      if (callers++ == 0) {
        before = blas_threads.get();
        blas_threads.set(1);
      }
    }
    if (blas_threads.set_openmp) blas_threads.set_openmp(1);
  }

  ~OneThread() {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      if (--callers == 0) blas_threads.set(before);
    }
    if (blas_threads.set_openmp) blas_threads.set_openmp(openmp_before_);
  }

  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  static std::mutex mutex;
  static int callers, before;
  int openmp_before_ = 1;
};

std::mutex OneThread::mutex;
int OneThread::callers = 0;
int OneThread::before = 1;

int size(Index n) {
  if (n > std::numeric_limits<int>::max()) throw Error("A matrix has more rows or columns than a BLAS can count.");
  return int(n);
}

// A single column may come with any stride, but a BLAS requires a stride of at least the number of rows.
template <class AnyBlock>
int leading(const AnyBlock& x) {
  return size(std::max({x.stride, x.rows, Index(1)}));
}

char trans(const ConstBlock& x) { return x.transposed ? 'T' : 'N'; }

int columns_used(const ConstBlock& x) { return size(x.transposed ? x.rows : x.columns); }

void blas_add_product(double alpha, ConstBlock a, ConstBlock b, Block c) {
  const OneThread held;
  blas.gemm(trans(a), trans(b), size(c.rows), size(c.columns), columns_used(a), alpha, a.data, leading(a), b.data,
            leading(b), 1.0, c.data, leading(c));
}

void blas_add_square(double alpha, ConstBlock a, Block c) {
  const OneThread held;
  blas.syrk('L', trans(a), size(c.rows), columns_used(a), alpha, a.data, leading(a), 1.0, c.data, leading(c));
}

void solve(char side, ConstBlock lower, Block x) {
  const OneThread held;
  blas.trsm(side, 'L', trans(lower), 'N', size(x.rows), size(x.columns), 1.0, lower.data, leading(lower), x.data,
            leading(x));
}

void blas_solve_left(ConstBlock lower, Block x) { solve('L', lower, x); }

void blas_solve_right(ConstBlock lower, Block x) { solve('R', lower, x); }

bool blas_factorize(Block s) {
  const OneThread held;
  return blas.potrf('L', size(s.rows), s.data, leading(s)) == 0;
}

constexpr ProductEngine engine{"BLAS",          blas_add_product, blas_add_square,
                               blas_solve_left, blas_solve_right, blas_factorize};

template <class Function>
bool find(const void* member, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(neighboring_symbol(member, name));
  return function != nullptr;
}

}  // namespace

FastBlas find_fast_blas(const void* member) {
  FastBlas found{};
  char* (*configuration)() = nullptr;
  if (!find(member, "openblas_get_config", configuration) ||
      !find(member, "openblas_get_num_threads", found.threads.get) ||
      !find(member, "openblas_set_num_threads", found.threads.set))
    return found;
  found.configuration = configuration();
  if (!find(member, "omp_get_max_threads", found.threads.get_openmp) ||
      !find(member, "omp_set_num_threads", found.threads.set_openmp))
    found.threads.get_openmp = nullptr, found.threads.set_openmp = nullptr;
  return found;
}

const ProductEngine& blas_engine(const BlasRoutines& routines, const BlasThreads& threads) {
  blas = routines;
  blas_threads = threads;
  return engine;
}

}  // namespace neargp
