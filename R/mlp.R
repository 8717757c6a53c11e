#' Deep kernel learning
#'
#' @description
#' `mlp()` is a `warp` of a [covariance]: a small neural network (multilayer perceptron) maps the
#' predictors to features, and distances are those of the features. [svgp()], [ppgpr()], [dspp()]
#' and [dgp()] train the network with all other parameters. Experimental.
#'
#' ```r
#' cov_matern(nu = 2.5, warp = mlp(layers = c(20, 2)))
#' ```
#'
#' @details
#' Use it with several thousand observations or more, and compare held-out scores: with few
#' observations a network overfits.
#'
#' Adam trains the network in mini-batches. More `epochs` and a smaller `batch_size` often help.
#' Weights start at random, so call [set.seed()] first. Inputs and first features are standardised,
#' in place of the paper's batch normalisation. Standard errors are conditional on the network.
#'
#' It requires one component without anisotropy, and one response without random effects or noise
#' models. Layers of [dspp()] and [dgp()] can run on a GPU.
#'
#' @param layers the numbers of units of each layer, integers. The last one is the number of
#'   features. Default: `c(64, 32, 8)`.
#' @param activation `"relu"` (default, as in the paper) or `"tanh"`, whose features are smooth and
#'   bounded. The last layer is linear.
#' @param decay a non-negative number `c`. The objective loses `c / 2` times the sum of squared
#'   weights for each observation. Increase it if intervals are too short. Default: 0.01.
#' @return A settings object of class `neargp_warp`.
#' @references Wilson, A. G. et al. (2016). Deep kernel learning. *AISTATS*. Jankowiak, M. et al.
#'   (2020). Deep sigma point processes. *UAI*. arXiv:2002.09112.
#' @seealso [warped_coordinates()] for the features, [dspp()], [expand()]
#' @examples
#' set.seed(1)
#' d <- data.frame(x1 = runif(1500), x2 = runif(1500))
#' d$y <- sin(12 * d$x1 * d$x2) + rnorm(1500, sd = 0.1)
#' fit <- neargp(y ~ 1, d[1:1000, ], coords = ~ x1 + x2,
#'   method = svgp(inducing = 20, epochs = 60, batch_size = 100),
#'   covariance = cov_matern(nu = 2.5, warp = mlp(c(20, 2))))
#' fit
#' head(warped_coordinates(fit), 3)
#'
#' # Compare with the same method without a network
#' plain <- update(fit, covariance = cov_matern(nu = 2.5, ard = TRUE))
#' rbind(network = scores(fit, newdata = d[1001:1500, ]),
#'   plain = scores(plain, newdata = d[1001:1500, ]))
#' @export
mlp <- function(layers = c(64L, 32L, 8L), activation = c("relu", "tanh"), decay = 0.01) {
  new_warp("mlp", layers = check_units(layers),
    activation = check_choice(activation, "activation", names(activations)),
    decay = check_number(decay, "decay", 0))
}

check_units <- function(layers, most = 1e4) {
  valid <- is.numeric(layers) && length(layers) > 0L && all(is.finite(layers)) &&
    all(layers == round(layers)) && all(layers >= 1 & layers <= most)
  if (!valid) abort_argument("layers", "whole numbers from 1 to 10,000, one for each layer", layers)
  as.integer(layers)
}

# The network that a covariance asks for, NULL for none.
network_of <- function(covariance) {
  settings <- lapply(covariance$components, function(component) component$local$mlp)
  Filter(Negate(is.null), settings)[1L][[1L]]
}

has_network <- function(covariance) !is.null(network_of(covariance))
