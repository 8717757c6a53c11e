// Labels of C classes given independent normal linear predictors, one for each class and row: what the data say of
// their means and variances, and the probabilities of new labels.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "base/run_context.h"
#include "base/types.h"

namespace neargp {

// softmax.h, robust_max.h. Neither changes when all linear predictors of a row grow by the same number.
enum class ClassLink { softmax, robust_max };

ClassLink class_link_from_name(const std::string& name);

// Rows: their classes, numbered from 0, and weights, which multiply the log density.
struct ClassLabels {
  ClassLink link = ClassLink::softmax;
  int classes = 2;
  std::vector<int> label;
  std::vector<double> weights;

  Index n() const { return Index(label.size()); }
};

// Throws an Error unless each row has a label of one of at least two classes, and a weight.
void check_labels(const ClassLabels& labels);

// E log p(label | f), or the tilted bound on it, summed over the rows, the same for any number of threads; `slope` and
// `curvature`: its derivatives in the means, and -2 times those in the variances. A row for each label, a column for
// each class.
double class_expectations(const ClassLabels& labels, const Eigen::MatrixXd& mean, const Eigen::MatrixXd& variance,
                          Eigen::MatrixXd& slope, Eigen::MatrixXd& curvature, const RunContext& context);

// For softmax, rows first .. first + v.rows() - 1: minus the derivative of the slopes in the means along v, at those
// means that have these slopes. For one row they are positive semidefinite matrices.
Eigen::MatrixXd softmax_curvature_rows(const ClassLabels& labels, Index first, const Eigen::MatrixXd& slope,
                                       const Eigen::MatrixXd& variance, const Eigen::MatrixXd& v);

// P(y = c), likewise; a row depends on its own moments alone.
Eigen::MatrixXd class_probabilities(ClassLink link, const Eigen::MatrixXd& mean, const Eigen::MatrixXd& variance,
                                    const RunContext& context);

}  // namespace neargp
