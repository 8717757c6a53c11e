// Labels of C classes given independent normal linear predictors, one for each class and row. Computes the expectation
// of their log density, its derivatives in the means and variances, and the probabilities of new labels.
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

// Throws an Error unless there are two classes or more, each label is one of them, and each label comes with a weight.
void check_labels(const ClassLabels& labels);

// Returns the sum over the rows of E log p(label | f), or of the tilted bound on it. The sum is the same for any number
// of threads. `slope` receives its derivatives in the means, and `curvature` -2 times those in the variances. Both
// contain a row for each label and a column for each class.
double class_expectations(const ClassLabels& labels, const Eigen::MatrixXd& mean, const Eigen::MatrixXd& variance,
                          Eigen::MatrixXd& slope, Eigen::MatrixXd& curvature, const RunContext& context);

// For softmax, rows first .. first + v.rows() - 1: minus the derivative of the slopes in the means along v, at the
// means that lead to these slopes. The matrix of each row is positive semidefinite.
Eigen::MatrixXd softmax_curvature_rows(const ClassLabels& labels, Index first, const Eigen::MatrixXd& slope,
                                       const Eigen::MatrixXd& variance, const Eigen::MatrixXd& v);

// P(y = c), with a row for each label and a column for each class. A row depends only on its own moments.
Eigen::MatrixXd class_probabilities(ClassLink link, const Eigen::MatrixXd& mean, const Eigen::MatrixXd& variance,
                                    const RunContext& context);

}  // namespace neargp
