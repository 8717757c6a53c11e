// One step of dspp() and its parts, compared with the time of its products at the rate of a product on this core. Times
// are CPU times on one thread, the fastest of several runs.
//
//   sh bench/dspp-step.sh [inducing points: 300] [rows: 1000] [width: 3] [sites: 8] [inputs: 8] [libopenblas.so.0]

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>

#include "deep/deep_objective.h"
#include "linalg/products.h"
#include "opened_blas.h"
#include "random/philox.h"

using namespace neargp;
using Eigen::MatrixXd;

namespace {

double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

double fastest(const std::function<void()>& run) {
  double best = 1e300, total = 0.0;
  for (int i = 0; i < 60 && (i < 5 || total < 2.0); ++i) {
    const double start = cpu_seconds();
    run();
    const double took = cpu_seconds() - start;
    best = std::min(best, took);
    total += took;
  }
  return best;
}

class Draws {
 public:
  MatrixXd normals(Index rows, Index columns, double scale = 1.0) {
    MatrixXd result(rows, columns);
    for (Index i = 0; i < result.size(); ++i) result.data()[i] = scale * philox_.normal(at_++);
    return result;
  }

 private:
  Philox philox_{1};
  std::uint64_t at_ = 0;
};

struct Case {
  Index inducing, rows, width, sites, inputs;

  Index columns() const { return rows * (width + sites); }
};

UnitState unit(Draws& draws, Index m, Index inputs, Index mean_inputs) {
  UnitState state;
  state.positions = draws.normals(m, inputs);
  state.mean = draws.normals(m, 1, 0.3);
  state.sd = draws.normals(m, 1, 0.3).array().exp();
  state.range = Eigen::VectorXd::Constant(inputs, std::sqrt(double(inputs) / 5.0));
  state.weights = draws.normals(mean_inputs, 1, 1.0 / std::sqrt(double(inputs)));
  return state;
}

DeepState state_of(Draws& draws, const Case& at) {
  DeepState state;
  state.layers = {{{}, {false, true}, {false, true}}, {{}, {}, {true, false}}};
  for (Index u = 0; u < at.width; ++u) state.layers[0].units.push_back(unit(draws, at.inducing, at.inputs, at.inputs));
  state.layers[1].units.push_back(unit(draws, at.inducing, at.width, 0));
  state.sites = {draws.normals(at.sites, at.width)};
  state.log_weights = Eigen::VectorXd::Constant(at.sites, -std::log(double(at.sites)));
  state.likelihood.parameters = {0.1};
  return state;
}

// Each column takes two triangular solves and half a product. Each unit takes a factor, and two triangular solves with
// its inducing points. Products with coordinates are added.
double flops(const Case& at) {
  const double m = double(at.inducing);
  return 3.0 * m * m * double(at.columns()) + 7.0 / 3.0 * m * m * m * double(at.width + 1) +
         6.0 * m * double(at.rows) * double(at.width * at.inputs + at.sites * at.width);
}

double product_rate(Draws& draws, Index m) {
  const MatrixXd a = draws.normals(m, m), b = draws.normals(m, 2048);
  MatrixXd c(m, 2048);
  return 2.0 * double(m * m) * 2048.0 / fastest([&] { multiply(a, b, c); });
}

void line(const char* what, double seconds, double step) {
  std::printf("%-44s %8.2f ms %5.1f%%\n", what, 1e3 * seconds, 100.0 * seconds / step);
}

// Times of one unit, multiplied by the number of such units, and by the number of pieces of its columns.
void phases(const UnitState& state, const RowMajorMatrix& inputs, double units, double columns, double step) {
  const Index n = inputs.rows();
  const double pieces = units * columns / double(n);
  const VariationalUnit unit(state, Family::matern, 2.5, 1e-6, true);
  std::printf("%d unit(s) of %d columns, %d at a time\n", int(units), int(columns), int(n));
  line("  prior and factor", units * fastest([&] { VariationalUnit(state, Family::matern, 2.5, 1e-6, true); }), step);
  UnitRows rows;
  line("  moments", pieces * fastest([&] { unit.rows(inputs, true, product_engine(), rows); }), step);
  const Eigen::VectorXd bar = Eigen::VectorXd::LinSpaced(n, -1.0, 1.0);
  UnitSums sums = unit.zero_sums();
  MatrixXd inputs_bar = MatrixXd::Zero(n, inputs.cols());
  line("  adjoint", pieces * fastest([&] { unit.adjoint(rows, bar, bar, sums, &inputs_bar); }), step);
  UnitState gradient = state;
  line("  gradient from sums", units * fastest([&] {
                                 UnitSums copy = sums;
                                 unit.finish(copy, 1e-3, gradient);
                               }),
       step);
}

}  // namespace

int main(int count, char** arguments) {
  const auto argument = [&](int i, int fallback) { return Index(count > i ? std::atoi(arguments[i]) : fallback); };
  const Case at{argument(1, 300), argument(2, 1000), argument(3, 3), argument(4, 8), argument(5, 8)};
  if (count > 6 && !use_opened_blas(arguments[6]))
    return std::fprintf(stderr, "%s is not OpenBLAS.\n", arguments[6]), 1;
  Draws draws;
  const DeepState state = state_of(draws, at);
  const RowMajorMatrix x = draws.normals(at.rows, at.inputs), hidden = draws.normals(256, at.width);
  const Points points{x.data(), at.rows, int(at.inputs)};
  DeepResponse response;
  for (Index i = 0; i < at.rows; ++i) response.y.push_back(std::sin(x(i, 0)));
  const double rate = product_rate(draws, at.inducing);
  RunContext context;
  context.threads = 1;
  DeepWorkspace workspace;
  const double step = fastest([&] { deep_objective(state, {points, response}, {}, context, workspace); });
  std::printf("%s: product %.1f Gflop/s; a step of %.2f Gflop in %.1f ms, %.2f times the products' time\n",
              product_engine().name, 1e-9 * rate, 1e-9 * flops(at), 1e3 * step, step * rate / flops(at));
  const RowMajorMatrix part = x.topRows(32);
  phases(state.layers[0].units[0], part, double(at.width), double(at.rows), step);
  phases(state.layers[1].units[0], hidden, 1.0, double(at.rows * at.sites), step);
}
