// Networks whose outputs are coordinates, as R calls them.
#include "bind_network.h"

#include <string>

#include "base/error.h"
#include "bind_blas.h"
#include "bind_eigen.h"

namespace {

neargp::Activation activation_of(const std::string& name) {
  if (name == "relu") return neargp::Activation::relu;
  if (name == "tanh") return neargp::Activation::tanh;
  throw neargp::Error("There is no such activation: " + name + ".");
}

}  // namespace

std::optional<neargp::Perceptron> to_network(SEXP network) {
  if (Rf_isNull(network)) return std::nullopt;
  const Rcpp::List list(network);
  neargp::Perceptron perceptron{Rcpp::as<std::vector<int>>(list["widths"]),
                                activation_of(Rcpp::as<std::string>(list["activation"])),
                                Rcpp::as<std::vector<double>>(list["weights"])};
  neargp::check_perceptron(perceptron);
  return perceptron;
}

// The outputs of a network of R/network.R at inputs, a row for each.
// [[Rcpp::export]]
Rcpp::NumericMatrix core_perceptron(const Rcpp::NumericMatrix& inputs, const Rcpp::List& network,
                                    const Rcpp::List& context) {
  use_products_of(context);
  return to_r(neargp::perceptron_outputs(*to_network(network), to_eigen(inputs)));
}

// The derivatives of an objective in the weights, given those in the outputs.
// [[Rcpp::export]]
Rcpp::NumericVector core_perceptron_gradient(const Rcpp::NumericMatrix& inputs, const Rcpp::List& network,
                                             const Rcpp::NumericMatrix& outputs_bar, const Rcpp::List& context) {
  use_products_of(context);
  const neargp::Perceptron perceptron = *to_network(network);
  const neargp::PerceptronPass pass(perceptron, to_eigen(inputs));
  return Rcpp::wrap(pass.gradient(to_eigen(outputs_bar)));
}
