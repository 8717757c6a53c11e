# A network (network.R) before the layers of a deep Gaussian process. Training moves its weights
# with the state of the layers. A fit keeps the network with its locations. Its coordinates are
# features, as those of other fits with a network.

# Returns what training takes: `x`, the inputs of the network or the standardised coordinates, and
# `scale`, that of the coordinates.
training_inputs <- function(problem, response) {
  if (trains_network(problem)) return(list(x = batch_coords(problem), scale = NULL))
  scale <- deep_input_scale(response$coords, problem$locations$embedded_names)
  list(x = standardized_inputs(response$coords, scale), scale = scale)
}

# Features are standardised at the start of the training, and enter the layers as they are.
feature_scale <- function(features) {
  dims <- ncol(features)
  list(kept = rep(TRUE, dims), center = double(dims), scale = rep(1, dims),
    limits = apply(features, 2L, range))
}

# Rows of training as the layers take them.
layer_rows <- function(x, network) {
  if (is.null(network)) x else core_perceptron(x, network, plain_context())
}

# The state with the network: the one that it was trained with, or else that of the problem.
with_network <- function(state, network) {
  if (is.null(state) || is.null(network)) return(state)
  state$network <- replace(state$network %||% network, "decay", network$decay)
  state
}

without_network <- function(state) state[setdiff(names(state), "network")]

# Whether an earlier fit was trained with a network of the same layers, or neither uses one.
is_same_network <- function(problem, earlier) {
  shape <- function(network) network[c("widths", "activation")]
  identical(shape(trained_network(problem)),
    shape(earlier$deep$state$network %||% earlier$locations$network))
}
