# Maximum likelihood or restricted maximum likelihood (REML) of the covariance parameters, for
# methods that maximise a Gaussian likelihood. Let V = V(theta), and let U = (X' V^-1 X)^-1 be the
# covariance matrix of the p coefficients of the trend. The restricted log-likelihood is that of
# n - p contrasts free of the trend. Harville (1974) derives it, here without his constant in X'X,
# as in nlme and lme4.
#
#   It is -1/2 [ (n - p) log 2 pi + log|V| + log|X' V^-1 X| + rss ] = l + p/2 log 2 pi + 1/2 log|U|.
#
# The Gram matrix G of whitened columns contains X' V^-1 X as a block. With its derivatives dG,
# d log|X' V^-1 X| = sum(U * dG_XX), so that profile_gradient() is one formula for both.

check_estimation <- function(estimation) {
  if (is.null(estimation)) return(NULL)
  check_choice(estimation, "estimation", c("ML", "REML"))
}

# A method that maximises the restricted likelihood; NULL is for the formula to say.
with_estimation <- function(method, estimation) {
  method$estimation <- check_estimation(estimation)
  if (!is_restricted(method)) return(method)
  method$label <- paste0(method$label, ", REML")
  method
}

is_restricted <- function(method) identical(method$estimation, "REML")

# Variances of random effects are estimated by REML, as lme4 and mgcv do by default, and those of
# features, where rows are few.
with_default_estimation <- function(method, data, covariance) {
  wanted <- has_effects(data) || !is.null(covariance) && has_features(covariance)
  if (!wanted || !is.null(method$estimation) || !has_estimation(method)) return(method)
  with_estimation(method, "REML")
}

has_estimation <- function(method) {
  inherits(method, c("neargp_exact_gp", "neargp_vecchia")) && !has_low_rank(method) &&
    !inherits(method, "neargp_exact_gp_cg")
}

# Maximum likelihood divides by n where n - p contrasts are free of the trend: variances are too
# small by about p / n, more where the field reaches far.
underestimates_variances <- function(fit) {
  trend <- length(fit$beta)
  rows <- stats::nobs(fit)
  has_ability(fit$method, "likelihood_objective") && is.null(fit$method$estimation) &&
    !is_streamed(fit) && trend > 0L && !all(fit$parameters$fixed) &&
    (rows < 50L || rows < 10L * trend)
}

restricted_call <- function(method) {
  sprintf("%s(estimation = \"REML\")", sub("[(].*", "", method_call(method)))
}

inform_underestimates <- function(fit) {
  if (!underestimates_variances(fit)) return(invisible())
  inform_neargp("estimation", c(
    sprintf("Maximum likelihood from %s observations with %s of the trend makes variances too small and intervals of coefficients too narrow.",
      format_count(stats::nobs(fit)), if (length(fit$beta) == 1L) "1 coefficient" else
        paste(length(fit$beta), "coefficients")),
    i = sprintf("method = %s accounts for the coefficients.", restricted_call(fit$method))))
}

underestimates_note <- function(fit) {
  if (!underestimates_variances(fit)) return(NULL)
  sprintf("Maximum likelihood from few observations makes standard errors and intervals too small: use method = %s.",
    restricted_call(fit$method))
}

likelihood_name <- function(method) {
  if (is_restricted(method)) "restricted log-likelihood" else "log-likelihood"
}

# The terms by which a restricted log-likelihood differs from that of maximum likelihood.
# `beta_vcov`: the covariance of coefficients in the columns of trend_basis(), Z = X B with
# |det B| = |det rotation|. With `basis` the term is that of the user's columns, U_X = B U_Z B'.
restricted_term <- function(beta_vcov, basis = NULL) {
  p <- ncol(beta_vcov)
  if (p == 0L) return(0)
  log_det <- function(matrix) as.double(determinant(matrix)$modulus)
  0.5 * (p * log(2 * pi) + log_det(beta_vcov)) + if (is.null(basis)) 0 else log_det(basis$rotation)
}

# A result of fit_method() whose value uses the core's columns and unit of the response. Its
# restricted term is exchanged for that of the user's columns.
in_natural_columns <- function(problem, result, core_vcov) {
  if (!is_restricted(problem$method)) return(result)
  trend <- seq_len(ncol(problem$data$X))
  of_trend <- function(vcov) vcov[trend, trend, drop = FALSE]
  result$value <- result$value - restricted_term(of_trend(core_vcov)) +
    restricted_term(of_trend(result$core_trend$beta_vcov %||% core_vcov), problem$data$basis)
  result
}

# Minus the second derivatives where the search has ended: the core's expected information is that
# of a known trend. Differences of the exact gradient take two evaluations for each parameter.
restricted_information <- function(objective, state, problem) {
  if (!is.null(objective$curvature)) return(objective$curvature)
  gradient <- objective[["slopes"]] %||% function(working) {
    objective$evaluate(working, information = TRUE)$gradient %||% rep(NA_real_, length(working))
  }
  information_by_differences(gradient, state$working, problem$free, rep(1, length(state$working)))
}

# The result of a search by Fisher scoring; `objective_at` makes the objective where it has ended.
scored_result <- function(problem, state, objective_at, k = NULL) {
  if (has_effects_pass(problem)) {
    state <- completed_pass(state, objective_at(state$working), problem)
    return(method_result(state, likelihood_name(problem$method), k = k))
  }
  information <- state$evaluated$information
  if (is_restricted(problem$method) || has_effects(problem$data)) {
    information <- restricted_information(objective_at(state$working), state, problem)
  }
  method_result(state, likelihood_name(problem$method), information, k)
}

# The log-likelihood of a fit, restricted or not, whichever of the two it has maximised.
log_likelihood_of <- function(object, restricted) {
  if (restricted == is_restricted(object$method)) return(object$log_likelihood)
  term <- restricted_term(trend_vcov(object), object$data$basis)
  object$log_likelihood + if (restricted) term else -term
}

# ---- what REML cannot do -------------------------------------------------------------------------

check_restricted_outputs <- function(method) {
  if (!is_restricted(method)) return(invisible())
  abort_neargp("method", c("Several responses are fitted by maximum likelihood only.",
    i = "Leave out estimation = \"REML\"."))
}

# Restricted likelihoods of other trends are those of other contrasts of the data.
check_same_trends <- function(what, fits) {
  fits <- Filter(function(fit) inherits(fit, "neargp"), fits)
  if (!any(vapply(fits, function(fit) is_restricted(fit$method), NA))) return(invisible())
  same <- vapply(fits[-1L],
    function(fit) isTRUE(all.equal(unname(fit$data$X), unname(fits[[1L]]$data$X),
      check.attributes = FALSE)), NA)
  if (all(same)) return(invisible())
  abort_neargp("comparison",
    c(sprintf("%s cannot compare restricted likelihoods of different trends.", what),
      x = sprintf("Fit %d has another trend than the first one.", which(!same)[1L] + 1L),
      i = "Fit them with estimation = \"ML\"."))
}
