// Factors A = LL' of a sparse positive definite matrix on a SparsePattern, exact or
// incomplete. Vectors are numbered by node.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/run_context.h"
#include "base/types.h"
#include "linalg/sparse/column_set.h"
#include "linalg/sparse/sparse_pattern.h"

namespace neargp {

// Scratch of SparseFactor::inverse_quadratic_form(), one for each thread; it fits itself to the factor.
struct Workspace {
  std::vector<double> value;  // zero between calls
  ColumnSet columns;          // empty between calls

  void fit(Index nodes) {
    if (Index(value.size()) < nodes) value.resize(std::size_t(nodes), 0.0);
    columns.fit(nodes);
  }
};

// Any number of workspaces that wait for their next use. Each is as long as the number of nodes of the factor.
class Workspaces {
 public:
  // Calls use(workspace) with a workspace that no other thread uses. If this ends with an exception, the workspace is
  // not used again.
  template <class Use>
  void lend(const Use& use) {
    std::unique_ptr<Workspace> workspace = take();
    use(*workspace);
    const std::lock_guard<std::mutex> lock(mutex_);
    free_.push_back(std::move(workspace));
  }

 private:
  std::unique_ptr<Workspace> take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (free_.empty()) return std::make_unique<Workspace>();
    std::unique_ptr<Workspace> workspace = std::move(free_.back());
    free_.pop_back();
    return workspace;
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> free_;
};

class SparseFactor {
 public:
  virtual ~SparseFactor() = default;

  // Returns false where a pivot is not positive and finite. The factor must then not be used.
  virtual bool factorize(const double* values, const RunContext& context) = 0;

  virtual double log_det() const = 0;

  // The logarithms of the pivots, which add up to log_det. That of a node is minus the logarithm of its variance given
  // the nodes eliminated after it. Only for factors that eliminate in the order of the pattern; others throw an Error.
  virtual std::vector<double> log_pivots() const;

  // Z = d log_det / dA on the pattern. 2 Z_ij is the derivative in the pair of entries ij and ji. For an exact factor Z
  // contains the entries of the inverse.
  virtual void inverse(double* values, const RunContext& context) const = 0;

  // Solves in place for `columns` right-hand sides, each contiguous. As many as `together` cost little more than one.
  static constexpr int together = 8;
  virtual void solve(double* x, int columns, const RunContext& context) const = 0;

  // Returns |L^-1 b|^2 = b'(LL')^-1 b for the sparse vector b with these `count` nodes. Visits only the columns that
  // matter to it, whatever the number of nodes.
  virtual double inverse_quadratic_form(const int* nodes, const double* weights, int count,
                                        Workspace& workspace) const = 0;

  // The entries of (LL')^-1 among these `count` distinct nodes, count x count. The default computes them by whole
  // solves.
  virtual void inverse_block(const int* nodes, int count, double* block, Workspace& workspace) const;

 protected:
  virtual Index size() const = 0;  // number of nodes
};

}  // namespace neargp
