#include "effects/iterative_effect_system.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "linalg/column_products.h"
#include "random/philox.h"

namespace neargp {

namespace {

constexpr int most_tied = 12;
constexpr double probe_tolerance = 1e-4, solve_tolerance = 1e-9;
// The error of a value is of the order of the squared error of a solution.
constexpr double value_tolerance = 1e-3;
// The relative tolerance of the difference from a solution that hold() keeps.
constexpr double change_tolerance = 1e-3;

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

constexpr int block_width = 4;

// action(x(i, c), block) for each column that a block has, from `first` on.
template <class Matrix, class Block, class Action>
void for_each_packed(Matrix& x, Index first, Block& block, const Action& action) {
  for (Index i = 0; i < x.rows(); ++i)
    for (Index c = first; c < std::min(first + block_width, x.cols()); ++c)
      action(x(i, c), block[i * block_width + c - first]);
}

std::vector<double> packed(const Eigen::MatrixXd& x, Index first) {
  std::vector<double> block(std::size_t(x.rows()) * block_width);
  for_each_packed(x, first, block, [](double from, double& to) { to = from; });
  return block;
}

}  // namespace

// The coefficients of the steps of conjugate gradients.
struct IterativeEffectSystem::Lanczos {
  std::vector<double> length, ratio;

  // z'(log A - E) z / z'z, by Gauss' rule of the tridiagonal matrix T, whose first entry is z'A z / z'z.
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

IterativeEffectSystem::IterativeEffectSystem(const EffectRows& rows, std::unique_ptr<EffectSystem> exact, int probes,
                                             const RunContext& context, int most_steps)
    : rows_(rows), exact_(std::move(exact)), probes_(probes), most_steps_(most_steps), context_(context), gram_(rows),
      inverse_(gram_, most_tied, context), signs_(random_signs(0)) {}

IterativeEffectSystem::Block IterativeEffectSystem::random_signs(int set) const {
  Block signs(std::size_t(rows_.columns()) * probes_);
  const Philox random(0, std::uint64_t(set));
  for (std::size_t i = 0; i < signs.size(); ++i) signs[i] = random.bits(i) & 1 ? 1.0 : -1.0;
  return signs;
}

bool IterativeEffectSystem::factorize(const RunContext& context) {
  context_ = context;
  is_exact_ = false;
  return (inverse_.factorize(context) && find_solutions(context)) || take_exact();
}

bool IterativeEffectSystem::find_solutions(const RunContext& context) {
  if (!held_.empty()) return correct_probes(held_, change_tolerance, context);
  remainder_.clear();
  solved_ = signs_;
  return solve_probes(solved_, probe_tolerance, context);
}

void IterativeEffectSystem::hold(const RunContext& context) {
  if (!is_exact_ && correct_probes(solved_, solve_tolerance / probe_tolerance, context)) held_ = solved_;
}

// Finds (A^-1 - I) z from `start`, by solving for the remainder of z = A x.
bool IterativeEffectSystem::correct_probes(const Block& start, double tolerance, const RunContext& context) {
  Block x = start, left(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += signs_[i];
  multiply(x, probes_, left, context);
  for (std::size_t i = 0; i < x.size(); ++i) left[i] = signs_[i] - left[i];
  if (!conjugate_gradients(left, probes_, tolerance, nullptr, context)) return false;
  solved_ = start;
  for (std::size_t i = 0; i < x.size(); ++i) solved_[i] += left[i];
  return true;
}

bool IterativeEffectSystem::solve_probes(Block& z, double tolerance, const RunContext& context) {
  std::vector<Lanczos> lanczos(probes_);
  const Block signs = z;
  if (!conjugate_gradients(z, probes_, tolerance, &lanczos, context)) return false;
  for (std::size_t i = 0; i < z.size(); ++i) z[i] -= signs[i];
  for (const Lanczos& own : lanczos) remainder_.push_back(rows_.columns() * own.remainder());
  return std::isfinite(std::accumulate(remainder_.begin(), remainder_.end(), 0.0));
}

void IterativeEffectSystem::refine_log_det(const RunContext& context) {
  constexpr int sets = 8;
  for (int set = 1; set < sets && !is_exact_; ++set) {
    Block z = random_signs(set);
    if (!solve_probes(z, value_tolerance, context) && !take_exact()) throw Error(no_solution);
  }
}

void IterativeEffectSystem::multiply(const Block& x, int width, Block& y, const RunContext& context) const {
  work_.first.resize(x.size());
  work_.second.resize(x.size());
  inverse_.multiply_transposed(x.data(), width, work_.first.data(), context);
  gram_.multiply(work_.first.data(), width, work_.second.data(), context);
  inverse_.multiply(work_.second.data(), width, y.data(), context);
}

// Computes A^-1 x in place. All columns take their steps together, so that W is read once for all. Each column stops
// where its residual is `tolerance` of the initial one. Returns false where a column does not get there.
bool IterativeEffectSystem::conjugate_gradients(Block& x, int width, double tolerance, std::vector<Lanczos>* lanczos,
                                                const RunContext& context) const {
  Block &residual = work_.residual = x, &direction = work_.direction = x, &product = work_.product;
  product.resize(x.size());
  std::fill(x.begin(), x.end(), 0.0);
  std::vector<double> size = products(residual, residual, width), length(width), ratio(width);
  const std::vector<double> first = size;
  const auto is_open = [&](int c) { return size[c] > tolerance * tolerance * first[c]; };
  for (int step = 0; step < most_steps_; ++step) {
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

bool IterativeEffectSystem::take_exact() {
  is_exact_ = true;
  return exact_ && exact_->factorize(context_);
}

double IterativeEffectSystem::own_tolerance() const {
  return probes_ == few_probes ? probe_tolerance : solve_tolerance;
}

bool IterativeEffectSystem::solve(Eigen::MatrixXd& x) {
  if (!is_exact_) {
    Eigen::MatrixXd found = x;
    if (solve_blocks(found, own_tolerance())) {
      x = found;
      return true;
    }
    if (!take_exact()) return false;
  }
  return exact_->solve(x);
}

bool IterativeEffectSystem::solve_near(Eigen::MatrixXd& x, const Eigen::MatrixXd& near) {
  if (is_exact_) return exact_->solve(x);
  Eigen::MatrixXd left = x;
  Block product(std::size_t(x.rows()) * block_width);
  for (Index first = 0; first < x.cols(); first += block_width) {
    const Block block = packed(near, first);
    gram_.multiply(block.data(), block_width, product.data(), context_);
    for_each_packed(left, first, product, [](double& from, double part) { from -= part; });
  }
  if (!solve_blocks(left, change_tolerance)) return solve(x);
  x = left + near;
  return true;
}

bool IterativeEffectSystem::solve_blocks(Eigen::MatrixXd& x, double tolerance) const {
  Block own(std::size_t(x.rows()) * block_width);
  for (Index first = 0; first < x.cols(); first += block_width) {
    Block block = packed(x, first);
    inverse_.multiply(block.data(), block_width, own.data(), context_);
    if (!conjugate_gradients(own, block_width, tolerance, nullptr, context_)) return false;
    inverse_.multiply_transposed(own.data(), block_width, block.data(), context_);
    for_each_packed(x, first, block, [](double& to, double from) { to = from; });
  }
  return true;
}

void IterativeEffectSystem::invert(const RunContext& context) {
  if (is_exact_) return exact_->invert(context);
  Block left(signs_.size()), right(signs_.size());
  inverse_.multiply_transposed(solved_.data(), probes_, left.data(), context);
  inverse_.multiply_transposed(signs_.data(), probes_, right.data(), context);
  pairs_.resize(2 * signs_.size());
  for (Index j = 0; j < rows_.columns(); ++j) {
    std::copy_n(left.data() + j * probes_, probes_, pairs_.data() + 2 * j * probes_);
    std::copy_n(right.data() + j * probes_, probes_, pairs_.data() + (2 * j + 1) * probes_);
  }
}

void IterativeEffectSystem::multiply_inverse(Index t, double* h) const {
  if (is_exact_) return exact_->multiply_inverse(t, h);
  const ColumnKernels& kernels = column_kernels();
  const auto add = probes_ == few_probes ? kernels.paired_product_of_four : kernels.paired_product_of_sixteen;
  inverse_.multiply_row(t, h);
  add(rows_.column(t), rows_.entries(t), rows_.count(t), pairs_.data(), 0.5 / probes_, h);
}

double IterativeEffectSystem::inverse(int i, int j) const {
  if (is_exact_) return exact_->inverse(i, j);
  const double *of_i = pairs_.data() + std::size_t(i) * 2 * probes_,
               *of_j = pairs_.data() + std::size_t(j) * 2 * probes_;
  double sum = 0.0;
  for (int c = 0; c < probes_; ++c) sum += of_i[c] * of_j[probes_ + c] + of_i[probes_ + c] * of_j[c];
  return inverse_.entry(i, j) + sum / (2.0 * probes_);
}

double IterativeEffectSystem::inverse_form(const int* column, const double* x, int count) const {
  if (is_exact_) return exact_->inverse_form(column, x, count);
  Eigen::MatrixXd solved = Eigen::MatrixXd::Zero(rows_.columns(), 1);
  for (int i = 0; i < count; ++i) solved(column[i], 0) = x[i];
  if (!solve_blocks(solved, own_tolerance())) throw Error(no_solution);
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum += x[i] * solved(column[i], 0);
  return sum;
}

}  // namespace neargp
