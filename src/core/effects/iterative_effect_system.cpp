#include "effects/iterative_effect_system.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "random/philox.h"

namespace neargp {

namespace {

constexpr int most_tied = 4, most_steps = 200;
constexpr double probe_tolerance = 1e-5, solve_tolerance = 1e-9;

double mean_of(const std::vector<double>& x) { return std::accumulate(x.begin(), x.end(), 0.0) / double(x.size()); }

template <class Action>
void for_each_entry(const std::vector<double>& x, int width, const Action& action) {
  for (std::size_t i = 0; i < x.size(); i += width)
    for (int c = 0; c < width; ++c) action(i + c, c);
}

// a'b of each column.
std::vector<double> products(const std::vector<double>& a, const std::vector<double>& b, int width) {
  std::vector<double> sums(width);
  for_each_entry(a, width, [&](std::size_t i, int c) { sums[c] += a[i] * b[i]; });
  return sums;
}

}  // namespace

// The coefficients of the steps of conjugate gradients.
struct IterativeEffectSystem::Lanczos {
  std::vector<double> length, ratio;

  // z'(log A - E) z / z'z, by Gauss' rule of the tridiagonal matrix T: its first entry is z'A z / z'z.
  double remainder() const {
    const Index n = Index(length.size());
    Eigen::VectorXd diagonal(n), below(std::max<Index>(n - 1, 0));
    for (Index k = 0; k < n; ++k) {
      diagonal[k] = 1.0 / length[k] + (k ? ratio[k - 1] / length[k - 1] : 0.0);
      if (k + 1 < n) below[k] = std::sqrt(ratio[k]) / length[k];
    }
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen;
    eigen.computeFromTridiagonal(diagonal, below);
    double sum = 1.0 - diagonal[0];
    for (Index k = 0; k < n; ++k) {
      const double first = eigen.eigenvectors()(0, k);
      sum += first * first * std::log(eigen.eigenvalues()[k]);
    }
    return sum;
  }
};

IterativeEffectSystem::IterativeEffectSystem(const EffectRows& rows, std::unique_ptr<EffectSystem> exact,
                                             const RunContext& context)
    : rows_(rows), exact_(std::move(exact)), context_(context), gram_(rows), inverse_(gram_, most_tied, context),
      signs_(random_signs(0)) {}

IterativeEffectSystem::Block IterativeEffectSystem::random_signs(int set) const {
  Block signs(std::size_t(rows_.columns()) * probes);
  const Philox random(0, std::uint64_t(set));
  for (std::size_t i = 0; i < signs.size(); ++i) signs[i] = random.bits(i) & 1 ? 1.0 : -1.0;
  return signs;
}

bool IterativeEffectSystem::factorize(const RunContext& context) {
  context_ = context;
  remainder_.clear();
  solved_ = signs_;
  is_exact_ = !(inverse_.factorize(context) && solve_probes(solved_, context));
  return !is_exact_ || exact_->factorize(context);
}

bool IterativeEffectSystem::solve_probes(Block& z, const RunContext& context) {
  std::vector<Lanczos> lanczos(probes);
  const Block signs = z;
  if (!conjugate_gradients(z, probes, probe_tolerance, &lanczos, context)) return false;
  for (std::size_t i = 0; i < z.size(); ++i) z[i] -= signs[i];
  for (const Lanczos& own : lanczos) remainder_.push_back(rows_.columns() * own.remainder());
  return std::isfinite(std::accumulate(remainder_.begin(), remainder_.end(), 0.0));
}

void IterativeEffectSystem::refine_log_det(const RunContext& context) {
  constexpr int sets = 8;
  for (int set = 1; set < sets && !is_exact_; ++set) {
    Block z = random_signs(set);
    if (remainder_.empty() || !solve_probes(z, context))
      throw Error("The log determinant of random effects was not found.");
  }
}

void IterativeEffectSystem::multiply(const Block& x, int width, Block& y, const RunContext& context) const {
  Block first(x.size()), second(x.size());
  inverse_.multiply_transposed(x.data(), width, first.data(), context);
  gram_.multiply(first.data(), width, second.data(), context);
  inverse_.multiply(second.data(), width, y.data(), context);
}

// All columns take their steps together, so that W is read once for all. A^-1 x in place, each column until its
// residual is `tolerance` of what it was; false where one does not get there.
bool IterativeEffectSystem::conjugate_gradients(Block& x, int width, double tolerance, std::vector<Lanczos>* lanczos,
                                                const RunContext& context) const {
  Block residual = x, direction = x, product(x.size());
  std::fill(x.begin(), x.end(), 0.0);
  std::vector<double> size = products(residual, residual, width), length(width), ratio(width);
  const std::vector<double> first = size;
  const auto is_open = [&](int c) { return size[c] > tolerance * tolerance * first[c]; };
  for (int step = 0; step < most_steps; ++step) {
    bool any = false;
    for (int c = 0; c < width; ++c) any = any || is_open(c);
    if (!any) return true;
    multiply(direction, width, product, context);
    const std::vector<double> curvature = products(direction, product, width);
    for (int c = 0; c < width; ++c) {
      if (is_open(c) && !(curvature[c] > 0.0 && std::isfinite(curvature[c]))) return false;
      length[c] = is_open(c) ? size[c] / curvature[c] : 0.0;
    }
    for_each_entry(x, width, [&](std::size_t i, int c) {
      x[i] += length[c] * direction[i];
      residual[i] -= length[c] * product[i];
    });
    const std::vector<double> next = products(residual, residual, width);
    for (int c = 0; c < width; ++c) {
      ratio[c] = is_open(c) ? next[c] / size[c] : 0.0;
      if (lanczos && is_open(c)) {
        (*lanczos)[c].length.push_back(length[c]);
        (*lanczos)[c].ratio.push_back(ratio[c]);
      }
    }
    size = next;
    for_each_entry(x, width, [&](std::size_t i, int c) { direction[i] = residual[i] + ratio[c] * direction[i]; });
  }
  return false;
}

double IterativeEffectSystem::log_det() const {
  return is_exact_ ? exact_->log_det() : inverse_.log_det() + mean_of(remainder_);
}

double IterativeEffectSystem::log_det_error() const {
  if (is_exact_) return 0.0;
  const double mean = mean_of(remainder_), n = double(remainder_.size());
  double sum = 0.0;
  for (const double own : remainder_) sum += (own - mean) * (own - mean);
  return std::sqrt(sum / (n * (n - 1.0)));
}

void IterativeEffectSystem::solve(Eigen::MatrixXd& x) const {
  if (is_exact_) return exact_->solve(x);
  constexpr int width = 4;
  const Index q = x.rows();
  Block block(std::size_t(q) * width), own(block.size());
  for (Index first = 0; first < x.cols(); first += width) {
    const auto for_each_number = [&](const auto& action) {
      for (Index i = 0; i < q; ++i)
        for (Index c = first; c < std::min(first + width, x.cols()); ++c) action(block[i * width + c - first], x(i, c));
    };
    std::fill(block.begin(), block.end(), 0.0);
    for_each_number([](double& to, double from) { to = from; });
    inverse_.multiply(block.data(), width, own.data(), context_);
    conjugate_gradients(own, width, solve_tolerance, nullptr, context_);
    inverse_.multiply_transposed(own.data(), width, block.data(), context_);
    for_each_number([](double from, double& to) { to = from; });
  }
}

void IterativeEffectSystem::invert(const RunContext& context) {
  if (is_exact_) return exact_->invert(context);
  left_.resize(signs_.size());
  right_.resize(signs_.size());
  inverse_.multiply_transposed(solved_.data(), probes, left_.data(), context);
  inverse_.multiply_transposed(signs_.data(), probes, right_.data(), context);
}

void IterativeEffectSystem::multiply_inverse(Index t, double* h) const {
  if (is_exact_) return exact_->multiply_inverse(t, h);
  const int* column = rows_.column(t);
  const double* w = rows_.entries(t);
  inverse_.multiply_row(t, h);
  double of_left[probes] = {}, of_right[probes] = {};
  for (int a = 0; a < rows_.count(t); ++a)
    for (int c = 0; c < probes; ++c) {
      of_left[c] += left_[std::size_t(column[a]) * probes + c] * w[a];
      of_right[c] += right_[std::size_t(column[a]) * probes + c] * w[a];
    }
  for (int a = 0; a < rows_.count(t); ++a) {
    double sum = 0.0;
    for (int c = 0; c < probes; ++c)
      sum += left_[std::size_t(column[a]) * probes + c] * of_right[c] +
             right_[std::size_t(column[a]) * probes + c] * of_left[c];
    h[a] += sum / (2.0 * probes);
  }
}

double IterativeEffectSystem::inverse(int i, int j) const {
  if (is_exact_) return exact_->inverse(i, j);
  double sum = 0.0;
  for (int c = 0; c < probes; ++c)
    sum += left_[std::size_t(i) * probes + c] * right_[std::size_t(j) * probes + c] +
           right_[std::size_t(i) * probes + c] * left_[std::size_t(j) * probes + c];
  return inverse_.entry(i, j) + sum / (2.0 * probes);
}

double IterativeEffectSystem::inverse_form(const int* column, const double* x, int count) const {
  if (is_exact_) return exact_->inverse_form(column, x, count);
  Eigen::MatrixXd solved = Eigen::MatrixXd::Zero(rows_.columns(), 1);
  for (int i = 0; i < count; ++i) solved(column[i], 0) = x[i];
  solve(solved);
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum += x[i] * solved(column[i], 0);
  return sum;
}

}  // namespace neargp
