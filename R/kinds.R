# The kind of response, data, covariance or method of a formulation, a problem or a fit. All floors
# call these functions, which call only one another.

has_areal_data <- function(object) !is.null(object$locations$support)

# Whether the response is the field with normal noise, so that means of it are those of the field.
has_normal_response <- function(object) is_gaussian(object$family) && !has_transform(object$family)

# Whether the response of a family, or of a mixture made of one, is transformed or recalibrated.
has_transform <- function(family) !is.null(family$transform) || !is.null(family$recalibration)

is_gaussian <- function(family) family$family == "gaussian"

# `refuse`, an error, is evaluated where the response is of another family.
check_gaussian <- function(family, refuse) if (!is_gaussian(family)) refuse

is_categorical <- function(family) family$family == "categorical"

# Whether the rows of the fit are read by each process that needs them.
reads_shards <- function(object) !is.null(object$source$recipe)

is_compressed <- function(data) isTRUE(data$effects$compressed)

has_effects <- function(data) !is.null(data$effects)

effect_kinds <- c("effect_sd", "effect_cor")

is_local <- function(fit) !is.null(fit$locations$local)

is_class_data <- function(data) !is.null(data$binomial)

# The number of rows to which a fit is made.
row_count <- function(data) data$stream$rows %||% length(data$y)

# Where the rows for an ELBO on inducing points are: in "parts", shards or a stream; at the
# locations of several "outputs"; else in "memory".
kind_of_rows <- function(data) {
  if (!is.null(data$shards) || !is.null(data$stream)) return("parts")
  if (is.null(data$output)) "memory" else "outputs"
}

has_space_time <- function(covariance) {
  any(vapply(covariance$components, is_space_time, NA))
}

# Whether trend, effects and family are all of the model, see cov_none().
has_no_process <- function(covariance) isTRUE(covariance$components[[1L]]$none)

is_space_time <- function(component) !is.null(component$space_time)

has_low_rank <- function(method) inherits(method, "neargp_vecchia_inducing")

# Whether rows are conditioned in blocks, see vecchia().
has_blocks <- function(method) !is.null(method$block)

has_latent_low_rank <- function(method) !is.null(method$low_rank)

wants_shards <- function(settings) {
  !is.null(settings$control$shards) || !is.null(settings$cluster)
}

# Whether predictions are from responses that lose much.
is_lossy <- function(object) !is.null(object$conditioning$reason)

is_on_field <- function(method) inherits(method, "neargp_vecchia_field")

is_streamed <- function(fit) inherits(fit, "neargp_streamed")

is_likelihood <- function(object) {
  object$score %in% c("log-likelihood", "restricted log-likelihood")
}

is_moving <- function(within) !is.null(within$rows)

sees_all_others <- function(object) {
  !reads_shards(object) && object$k >= length(object$pseudo_observations$data$y) - 1L
}

is_class_vector <- function(response) {
  is.null(dim(response)) && (is.factor(response) || is.character(response) || is.logical(response))
}

is_swsgp <- function(method) inherits(method, "neargp_swsgp")

is_ppgpr <- function(method) inherits(method, "neargp_ppgpr")

is_mean_field <- function(method) method$posterior == "mean-field"

# The weight of the divergence in the ELBO. The weight of ppgpr() is for its score.
bound_kl_weight <- function(method) if (is_ppgpr(method)) 1 else method$kl_weight %||% 1

# Whether the coefficients of the trend are those that maximise the score of loo_k().
keeps_score_trend <- function(method) identical(method$trend, "score")
