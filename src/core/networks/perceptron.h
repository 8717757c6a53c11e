// A perceptron z(x): layers of units a_l(W_l' z_(l-1) + b_l), with z_0 the inputs of a row. The last layer is
// without an activation a. Backpropagation turns derivatives in its outputs into those in its weights. A Gaussian
// process of its outputs is a Gaussian process with a deep kernel: see Calandra et al. 2016, Wilson et al. 2016.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "base/types.h"

namespace neargp {

enum class Activation { relu, tanh };

struct Perceptron {
  std::vector<int> widths;  // inputs, units of each layer
  Activation activation = Activation::relu;
  std::vector<double> weights;  // of each layer in turn W, by columns of its units, and b

  int inputs() const { return widths.front(); }
  int outputs() const { return widths.back(); }
  std::size_t layers() const { return widths.size() - 1; }
};

// Throws an Error unless the number of weights agrees with the widths.
void check_perceptron(const Perceptron& network);

// The network at some rows.
class PerceptronPass {
 public:
  // `inputs`: a row for each. `network` outlives the object.
  PerceptronPass(const Perceptron& network, Eigen::MatrixXd inputs);

  const Eigen::MatrixXd& outputs() const { return values_.back(); }

  // The derivatives in the weights, given those in the outputs. Let D be the derivatives in a layer's sums W'z + b. The
  // derivatives in W are then z D', those in b are the sums of D, and those in z are W D.
  std::vector<double> gradient(Eigen::MatrixXd outputs_bar) const;

 private:
  const Perceptron& network_;
  std::vector<Eigen::MatrixXd> values_;  // z_0, z_1, ..., a row for each row
};

// The outputs alone.
Eigen::MatrixXd perceptron_outputs(const Perceptron& network, const Eigen::MatrixXd& inputs);

}  // namespace neargp
