# A network (network.R) in fits on inducing points. Its weights move with the positions of the
# points, by Adam in mini-batches (R/inducing-natural.R), and are like them no rows of the layout.
# `inputs` of the data are what it takes. Points are features, as in the paper: the gradient in a
# row's coordinates goes back through the network, that of a point stays.

# Models that a network is not offered with, in the words of an error.
network_limits <- list(
  list(holds = function(settings, data) length(settings$covariance$components) > 1L,
    what = "in a sum of covariances", hint = "Give a covariance of one component."),
  list(holds = function(settings, data) {
    !isFALSE(settings$covariance$components[[1L]]$anisotropy)
  }, what = "with an anisotropy", hint = "Leave `anisotropy` out: the network turns coordinates."),
  list(holds = function(settings, data) has_space_time(settings$covariance),
    what = "in cov_spacetime()", hint = "A time is one of the inputs of a network."),
  list(holds = function(settings, data) !is.null(data$noise),
    what = "with a model of the noise", hint = "ppgpr() learns variances that change."),
  list(holds = function(settings, data) has_effects(data),
    what = "with random effects and smooths", hint = "Give their columns in `coords`."),
  list(holds = function(settings, data) !is.null(data$stream),
    what = "for rows that are read in pieces", hint = "Fit a sample of the rows in memory."),
  list(holds = function(settings, data) wants_shards(settings),
    what = "in shards or on a cluster", hint = "Leave `cluster` and `shards` out."),
  list(holds = function(settings, data) {
    identical(settings$device, "cuda") && !has_ability(settings$method, "device_networks")
  }, what = "on a GPU by this method", hint = "Use device = \"cpu\" or \"auto\".")
)

check_network <- function(settings, data) {
  refuse <- function(what, hint) {
    abort_neargp("local", c(sprintf("`warp = mlp()` of a covariance is not supported %s.", what),
      i = hint))
  }
  if (!is.null(data$output)) refuse("with several responses", "Fit each response by itself.")
  if (!has_ability(settings$method, "networks")) {
    refuse(sprintf("by this %s", method_call(settings$method)),
      sprintf("It is for %s.", able_methods("networks")))
  }
  for (limit in network_limits) if (limit$holds(settings, data)) refuse(limit$what, limit$hint)
}

# Weights take more steps than parameters: of optimizer = "auto" as many epochs as of the others.
network_settings <- function(settings, data) {
  check_network(settings, data)
  settings$method$epochs <- settings$method$epochs %||% 100L
  settings
}

# The locations with the network that `start` was trained with on the same rows, or with that of the
# next draw.
located_network <- function(covariance, data, locations, start) {
  settings <- network_of(covariance)
  given <- input_locations(locations)
  inputs <- input_places(data, given)
  known <- if (inherits(start, "neargp")) start$locations$network
  network <- next_network(settings, inputs)
  same <- c("widths", "activation")
  if (identical(known[same], network[same]) && identical(start$data$inputs, inputs) &&
      identical(start$data$y, data$y)) {
    network <- replace(known, "decay", settings$decay)
  }
  network_locations(given, network)
}

# The network that new_network() draws next, without a draw.
next_network <- function(settings, inputs) {
  if (is.null(current_seed())) stats::runif(1L)
  seed <- current_seed()
  on.exit(set_seed(seed))
  new_network(settings, inputs)
}

# The problem with the network where its training begins. It is drawn here, where the seed is that
# of the checkpoint. A fit that does not continue `start` takes no network from it: that network has
# seen the rows which the new fit holds out.
with_first_network <- function(problem) {
  if (!trains_network(problem) || continues_start(problem$method, problem)) return(problem)
  with_fitted_network(problem, new_network(network_of(problem$covariance), problem$data$inputs))
}

continues_start <- function(method, problem) {
  UseMethod("continues_start")
}

#' @export
continues_start.default <- function(method, problem) !is.null(problem$warm_start)

# Data whose coordinates are the features of `locations`.
at_network <- function(data, locations) {
  data$inputs <- input_places(data, input_locations(locations))
  data$coords <- network_coordinates(data$inputs, locations$network)
  data
}

# The problem, or the fit, with another network, NULL for the one that it has.
with_fitted_network <- function(object, network) {
  if (is.null(network)) return(object)
  object$locations$network <- network
  object$data <- at_network(object$data, object$locations)
  object
}

# ---- training ------------------------------------------------------------------------------------

trains_network <- function(problem) !is.null(problem$data$inputs)

# The network stays: its features are coordinates as others.
without_training <- function(problem) {
  if (trains_network(problem)) problem$data["inputs"] <- list(NULL)
  problem
}

# Accepted states without positions, which are features of a network that they do not hold.
keeping_parameters <- function(problem) {
  keep <- problem$keep
  if (!is.null(keep)) problem$keep <- function(working, positions = NULL) keep(working)
  problem
}

# NULL for problems without one.
trained_network <- function(problem) if (trains_network(problem)) problem$locations$network

batch_coords <- function(problem) {
  network <- trained_network(problem)
  if (is.null(network)) problem$data$coords else network_inputs(problem$data$inputs, network)
}

with_weights <- function(network, weights) {
  if (!is.null(network)) network$weights <- weights
  network
}
