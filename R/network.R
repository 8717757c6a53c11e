# The network of mlp() in numbers.

# The variance of a weight at the start, by the numbers of inputs and outputs of its layer. It keeps
# the variance of values, He et al. 2015, or of values and gradients, Glorot and Bengio 2010.
activations <- list(
  relu = function(inputs, outputs) 2 / inputs,
  tanh = function(inputs, outputs) 2 / (inputs + outputs)
)

# `widths` and `weights` are as in src/core/networks/perceptron.h, `center` and `scale` those of the
# inputs. Weights are R's random numbers, and biases 0. The features of the rows start with mean 0
# and standard deviation 1, in place of the paper's batch normalisation. Units of narrow layers may
# be 0 at all rows. Where all features are constant for that reason, weights are drawn again.
new_network <- function(settings, inputs, tries = 100L) {
  spread <- apply(inputs, 2L, stats::sd)
  widths <- c(ncol(inputs), settings$layers)
  network <- list(widths = widths, activation = settings$activation, decay = settings$decay,
    center = unname(colMeans(inputs)), scale = unname(ifelse(spread > 0, spread, 1)))
  for (try in seq_len(if (any(spread > 0)) tries else 1L)) {
    layers <- drawn_layers(widths, settings$activation)
    network$weights <- unlist(layers, use.names = FALSE)
    features <- network_coordinates(inputs, network)
    spread <- apply(features, 2L, stats::sd)
    if (any(spread > 0)) break
  }
  spread[!(spread > 0)] <- 1
  last <- length(layers)
  layers[[last]]$weights <- sweep(layers[[last]]$weights, 2L, spread, "/")
  layers[[last]]$bias <- -colMeans(features) / spread
  network$weights <- unlist(layers, use.names = FALSE)
  network
}

drawn_layers <- function(widths, activation) {
  Map(function(from, to) {
    sd <- sqrt(activations[[activation]](from, to))
    list(weights = matrix(stats::rnorm(from * to, sd = sd), from), bias = double(to))
  }, widths[-length(widths)], widths[-1L])
}

network_inputs <- function(inputs, network) {
  sweep(sweep(inputs, 2L, network$center), 2L, network$scale, "/")
}

# The features of rows.
network_coordinates <- function(inputs, network) {
  core_perceptron(network_inputs(inputs, network), network, plain_context())
}

# "perceptron of 8, 64, 32 and 8 units"
describe_network <- function(network) {
  sprintf("a perceptron (%s, %s)", paste(network$widths, collapse = "-"), network$activation)
}

# ---- locations -----------------------------------------------------------------------------------

# The locations of a fit whose coordinates are the features of a network: `inputs` are the locations
# that it takes, and columns of a data set are theirs.
network_locations <- function(given, network) {
  features <- seq_len(network$widths[length(network$widths)])
  own <- list(network = network, inputs = given, metric = "planar", unit = "",
    embedded_names = paste0("warp", features), block = features,
    kind = rep("number", length(features)))
  given[names(own)] <- own
  given
}
