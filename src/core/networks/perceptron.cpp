#include "networks/perceptron.h"

#include <utility>

#include "base/error.h"
#include "linalg/products.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;

// Where the weights of a layer begin.
struct LayerWeights {
  Index in, out, first;
  Index bias() const { return first + in * out; }
  Index end() const { return bias() + out; }
};

std::vector<LayerWeights> layer_weights(const std::vector<int>& widths) {
  std::vector<LayerWeights> layers;
  Index first = 0;
  for (std::size_t l = 1; l < widths.size(); ++l) {
    layers.push_back({widths[l - 1], widths[l], first});
    first = layers.back().end();
  }
  return layers;
}

void activate(Activation activation, MatrixXd& values) {
  if (activation == Activation::relu) {
    values = values.cwiseMax(0.0);
  } else {
    values = values.array().tanh();
  }
}

// From derivatives in activated values to those in the sums below them.
void activation_adjoint(Activation activation, const MatrixXd& values, MatrixXd& bar) {
  if (activation == Activation::relu) {
    bar.array() *= (values.array() > 0.0).cast<double>();
  } else {
    bar.array() *= 1.0 - values.array().square();
  }
}

MatrixXd layer_sums(const Perceptron& network, const LayerWeights& layer, const MatrixXd& inputs) {
  const Eigen::Map<const MatrixXd> weights(network.weights.data() + layer.first, layer.in, layer.out);
  const Eigen::Map<const Eigen::RowVectorXd> bias(network.weights.data() + layer.bias(), layer.out);
  MatrixXd sums(inputs.rows(), layer.out);
  multiply(inputs, weights, sums);
  sums.rowwise() += bias;
  return sums;
}

}  // namespace

void check_perceptron(const Perceptron& network) {
  if (network.widths.size() < 2) throw Error("A network has at least one layer.");
  for (const int width : network.widths)
    if (width < 1) throw Error("A layer of a network has at least one unit.");
  if (layer_weights(network.widths).back().end() != Index(network.weights.size()))
    throw Error("A network has other numbers of weights than its layers.");
}

PerceptronPass::PerceptronPass(const Perceptron& network, MatrixXd inputs) : network_(network) {
  check_perceptron(network);
  if (inputs.cols() != network.inputs()) throw Error("Rows have other inputs than the network.");
  values_.push_back(std::move(inputs));
  const std::vector<LayerWeights> layers = layer_weights(network.widths);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    MatrixXd values = layer_sums(network, layers[l], values_.back());
    if (l + 1 < layers.size()) activate(network.activation, values);
    values_.push_back(std::move(values));
  }
}

std::vector<double> PerceptronPass::gradient(MatrixXd bar) const {
  std::vector<double> gradient(network_.weights.size());
  const std::vector<LayerWeights> layers = layer_weights(network_.widths);
  for (std::size_t l = layers.size(); l-- > 0;) {
    const LayerWeights& layer = layers[l];
    multiply_transposed(values_[l], bar, Eigen::Map<MatrixXd>(gradient.data() + layer.first, layer.in, layer.out));
    Eigen::Map<Eigen::RowVectorXd>(gradient.data() + layer.bias(), layer.out) = bar.colwise().sum();
    if (l == 0) break;
    const Eigen::Map<const MatrixXd> weights(network_.weights.data() + layer.first, layer.in, layer.out);
    MatrixXd below(bar.rows(), layer.in);
    multiply(bar, weights.transpose(), below);
    activation_adjoint(network_.activation, values_[l], below);
    bar = std::move(below);
  }
  return gradient;
}

MatrixXd perceptron_outputs(const Perceptron& network, const MatrixXd& inputs) {
  return PerceptronPass(network, inputs).outputs();
}

}  // namespace neargp
