// How much time a step of svgp() in mini-batches would take if the work on its rows were in single precision. The
// matrices of inducing points stay double. Prints milliseconds of a step with 1,024 rows in 9 coordinates, by part, and
// the ratios. Both precisions use Eigen's products for AVX2. For bench/notes/svgp.md.
//
//   sh bench/svgp-single.sh [M: 500 1000]

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>

using Eigen::Index;

namespace {

constexpr Index rows = 1024, piece = 256, dim = 9;

template <class Real>
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

double cpu_milliseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * double(now.tv_sec) + 1e-6 * double(now.tv_nsec);
}

// The least time of each part in several rounds.
class Clock {
 public:
  template <class Body>
  void time(const std::string& part, const Body& body) {
    const double start = cpu_milliseconds();
    body();
    round_[part] += cpu_milliseconds() - start;
  }
  void end_round() {
    for (const auto& [part, took] : round_) least_[part] = least_.count(part) ? std::min(least_[part], took) : took;
    round_.clear();
  }
  const std::map<std::string, double>& least() const { return least_; }

 private:
  std::map<std::string, double> round_, least_;
};

// As linalg/products.h solves.
template <class Real, bool transposed>
void solve(const Eigen::Ref<const Matrix<Real>>& lower, Eigen::Ref<Matrix<Real>> b) {
  const Index n = lower.rows(), first = n <= 32 ? 0 : (n / 2 + 31) / 32 * 32, rest = n - first;
  if (first == 0) {
    if (transposed)
      lower.transpose().template triangularView<Eigen::Upper>().solveInPlace(b);
    else
      lower.template triangularView<Eigen::Lower>().solveInPlace(b);
    return;
  }
  const auto corner = lower.bottomLeftCorner(rest, first);
  if (transposed) {
    solve<Real, true>(lower.bottomRightCorner(rest, rest), b.bottomRows(rest));
    b.topRows(first).noalias() -= corner.transpose() * b.bottomRows(rest);
    solve<Real, true>(lower.topLeftCorner(first, first), b.topRows(first));
  } else {
    solve<Real, false>(lower.topLeftCorner(first, first), b.topRows(first));
    b.bottomRows(rest).noalias() -= corner * b.topRows(first);
    solve<Real, false>(lower.bottomRightCorner(rest, rest), b.bottomRows(rest));
  }
}

template <class Real>
void covariances(const Matrix<Real>& z, const Matrix<Real>& x, Matrix<Real>& value, Matrix<Real>& slope) {
  const Real root5 = Real(2.2360679774997896), third = Real(1) / Real(3);
  Eigen::Array<Real, Eigen::Dynamic, 1> squared(z.rows()), r(z.rows()), e(z.rows());
  for (Index i = 0; i < x.cols(); ++i) {
    squared.setZero();
    for (Index d = 0; d < dim; ++d) squared += (z.col(d).array() - x(d, i)).square();
    r = root5 * squared.sqrt();
    e = (-r).exp();
    value.col(i) = (Real(1) + r + r.square() * third) * e;
    slope.col(i) = Real(-5) / Real(6) * (Real(1) + r) * e;
  }
}

// The work on the rows of a step, in one precision.
template <class Real>
void work_on_rows(Clock& clock, const std::string& name, const Matrix<double>& points, const Matrix<double>& places,
                  const Matrix<double>& prior, const Matrix<double>& posterior, Matrix<double>& total) {
  const Index m = points.rows();
  Matrix<Real> z, x, lower, precision, a(m, piece), slope(m, piece), half, weighted, bar, gram, moved;
  clock.time(name + " conversion", [&] {
    z = points.cast<Real>(), x = places.cast<Real>();
    lower = prior.cast<Real>(), precision = posterior.cast<Real>();
    gram = Matrix<Real>::Zero(m, m), moved = gram;
  });
  for (Index first = 0; first < rows; first += piece) {
    clock.time(name + " covariances", [&] { covariances<Real>(z, x.middleCols(first, piece), a, slope); });
    clock.time(name + " products and solves", [&] {
      solve<Real, false>(lower, a);
      gram.template selfadjointView<Eigen::Lower>().rankUpdate(a);
      half = a;
      solve<Real, false>(precision, half);
      weighted = half;
      solve<Real, true>(precision, weighted);
    });
    clock.time(name + " other", [&] { bar = Real(0.9) * a - weighted; });
    clock.time(name + " products and solves", [&] {
      moved.template triangularView<Eigen::Lower>() += bar * a.transpose();
      solve<Real, true>(lower, bar);
    });
    clock.time(name + " other", [&] {
      bar.array() *= slope.array();
      half.leftCols(dim).noalias() = bar * x.middleCols(first, piece).transpose();
    });
  }
  clock.time(name + " conversion", [&] { total = gram.template cast<double>() + moved.template cast<double>(); });
}

void report(Index m) {
  const Matrix<double> points = Matrix<double>::Random(m, dim), places = Matrix<double>::Random(dim, rows);
  Matrix<double> k(m, m), slope(m, m), total, prior, posterior, bar;
  Clock clock;
  for (int round = 0; round < 12; ++round) {
    clock.time("inducing points, double", [&] {
      covariances<double>(points, points.transpose(), k, slope);
      k.diagonal().array() += 1e-4;
      prior = k.llt().matrixL();
      posterior = (k + Matrix<double>::Identity(m, m)).llt().matrixL();
      bar = k;
      solve<double, true>(prior, bar);
      bar.transposeInPlace();
      solve<double, true>(prior, bar);
    });
    work_on_rows<double>(clock, "double,", points, places, prior, posterior, total);
    work_on_rows<float>(clock, "single,", points, places, prior, posterior, total);
    clock.end_round();
  }
  double sum[2] = {0.0, 0.0};
  for (const auto& [part, took] : clock.least()) {
    std::printf("%d, %s, %.2f\n", int(m), part.c_str(), took);
    if (part.rfind("single", 0) != 0 && part != "double, conversion") sum[0] += took;
    if (part.rfind("double", 0) != 0) sum[1] += took;
  }
  std::printf("%d, a step double / a step mixed, %.2f\n", int(m), sum[0] / sum[1]);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  std::printf("M, part, milliseconds\n");
  for (int i = 1; i < count; ++i) report(std::atoi(arguments[i]));
}
