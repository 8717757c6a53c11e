// A BLAS of plain loops that counts its threads, to see how the core calls one.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>

#include "linalg/blas_engine.h"

namespace fixtures {

class LoopBlas {
 public:
  static inline std::atomic<int> threads{1}, openmp_threads{1};
  // The largest numbers at the time of a call; of the library as a whole, and with OpenMP's.
  static inline std::atomic<int> most_own_threads{0}, most_threads{0};

  void has_openmp(bool yes) { openmp_ = yes; }

  const neargp::ProductEngine& engine() const {
    neargp::BlasThreads control{[] { return threads.load(); }, [](int n) { threads = n; }, nullptr, nullptr};
    if (openmp_) {
      control.get_openmp = [] { return openmp_threads.load(); };
      control.set_openmp = [](int n) { openmp_threads = n; };
    }
    return neargp::blas_engine({gemm, syrk, trsm, potrf}, control);
  }

 private:
  bool openmp_ = false;

  static void record() {
    most_own_threads = std::max(most_own_threads.load(), threads.load());
    most_threads = std::max({most_threads.load(), threads.load(), openmp_threads.load()});
  }

  static double entry(const double* a, int lda, bool transposed, int i, int j) {
    return transposed ? a[j + std::size_t(i) * lda] : a[i + std::size_t(j) * lda];
  }

  static void gemm(char trans_a, char trans_b, int m, int n, int k, double alpha, const double* a, int lda,
                   const double* b, int ldb, double beta, double* c, int ldc) {
    record();
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) {
        double sum = 0.0;
        for (int p = 0; p < k; ++p) sum += entry(a, lda, trans_a == 'T', i, p) * entry(b, ldb, trans_b == 'T', p, j);
        double& target = c[i + std::size_t(j) * ldc];
        target = alpha * sum + beta * target;
      }
  }

  static void syrk(char, char trans, int n, int k, double alpha, const double* a, int lda, double beta, double* c,
                   int ldc) {
    record();
    for (int j = 0; j < n; ++j)
      for (int i = j; i < n; ++i) {
        double sum = 0.0;
        for (int p = 0; p < k; ++p) sum += entry(a, lda, trans == 'T', i, p) * entry(a, lda, trans == 'T', j, p);
        double& target = c[i + std::size_t(j) * ldc];
        target = alpha * sum + beta * target;
      }
  }

  // op(A) X = B by substitution for the left side; X op(A) = B is op(A)' X' = B', with the strides of X exchanged.
  static void trsm(char side, char, char trans, char, int m, int n, double, const double* a, int lda, double* b,
                   int ldb) {
    record();
    const bool right = side == 'R', transposed = (trans == 'T') != right;
    const int order = right ? n : m, count = right ? m : n;
    const auto x = [&](int i, int column) -> double& {
      return right ? b[column + std::size_t(i) * ldb] : b[i + std::size_t(column) * ldb];
    };
    for (int column = 0; column < count; ++column)
      for (int step = 0; step < order; ++step) {
        const int i = transposed ? order - 1 - step : step;
        double sum = x(i, column);
        for (int done = 0; done < step; ++done) {
          const int p = transposed ? order - 1 - done : done;
          sum -= entry(a, lda, transposed, i, p) * x(p, column);
        }
        x(i, column) = sum / a[i + std::size_t(i) * lda];
      }
  }

  static int potrf(char, int n, double* a, int lda) {
    record();
    for (int j = 0; j < n; ++j) {
      double* column = a + std::size_t(j) * lda;
      for (int p = 0; p < j; ++p)
        for (int i = j; i < n; ++i) column[i] -= a[i + std::size_t(p) * lda] * a[j + std::size_t(p) * lda];
      if (!(column[j] > 0.0)) return j + 1;
      const double root = std::sqrt(column[j]);
      for (int i = j; i < n; ++i) column[i] /= root;
    }
    return 0;
  }
};

}  // namespace fixtures
