# One table of what each method is and can do. Other code asks has_ability(method, "outputs"),
# except for the few questions of R/kinds.R. An entry such as "svgp" stands for a class of methods
# and for the classes that derive from it ("odvgp", "ppgpr"). Entry "method_families" stands for any
# method of a response that is not Gaussian. The first of a method's classes in the table counts,
# else `default`.

# An ability with a condition: `where` says it in error messages and help.
when <- function(where, holds) structure(holds, where = where)

without_adam <- function(method, ...) !identical(method$optimizer, "adam")

# `holds`: a further condition, on the settings of the method.
gaussian_only <- function(where = "of a Gaussian response", holds = function(method) TRUE) {
  when(where, function(method, family) is_gaussian(family) && holds(method))
}

# exact_gp() starts by itself up to this many rows, and beyond from a Vecchia fit with this many
# neighbours.
start_neighbors <- 30L

abilities <- list(
  # ---- responses and data ------------------------------------------------------------------------
  # several responses, cbind(a, b) ~ 1
  outputs = list(default = FALSE, vecchia = TRUE, vecchia_inducing = FALSE, exact_gp = TRUE,
    exact_gp_cg = FALSE, loo_k = TRUE, mll_k = TRUE, svgp = TRUE, odvgp = FALSE, ppgpr = FALSE,
    deep = TRUE),
  classes = list(default = FALSE, loo_k = TRUE, svgp = TRUE, ppgpr = FALSE),
  # transform = , and recalibrate(): predictions are normal
  transform = list(default = TRUE, deep = FALSE),
  # random effects and smooths in the formula
  effects = list(default = FALSE,
    vecchia = gaussian_only(holds = without_adam),
    vecchia_inducing = FALSE, exact_gp = gaussian_only(), exact_gp_cg = FALSE,
    loo_k = gaussian_only("of a Gaussian response, by quasi-Newton", without_adam),
    vnngp = when("at all locations with posterior \"sparse\" or \"laplace\"",
      function(method, family) !is_mean_field(method) && is.null(method$inducing) &&
        !has_latent_low_rank(method)),
    svgp = when("of all families but classes", function(method, family) !is_categorical(family)),
    odvgp = FALSE, ppgpr = FALSE, swsgp = FALSE),
  # nugget = ~ z, measurement_variance =
  noise_model = list(default = FALSE, vecchia = TRUE, vecchia_inducing = FALSE, exact_gp = TRUE,
    exact_gp_cg = FALSE, loo_k = TRUE, mll_k = TRUE,
    svgp = when("without `kl_weight`", function(method) bound_kl_weight(method) == 1),
    odvgp = FALSE, ppgpr = FALSE),
  # family = zi_poisson(zi = ~ z)
  family_formulas = list(default = FALSE,
    vnngp = when("without `low_rank`, by another posterior than \"mean-field\"",
      function(method, family) !is_mean_field(method) && !has_latent_low_rank(method)),
    swsgp = FALSE),
  # sd = ~ z, range = ~ z, priors, cov_spacetime(): what carries the ridge of local fields
  local_fields = list(default = FALSE, vecchia = TRUE, vecchia_inducing = FALSE, exact_gp = TRUE,
    exact_gp_cg = FALSE, loo_k = gaussian_only(), mll_k = TRUE, vnngp = TRUE, swsgp = FALSE),
  # warp = mlp(): a network that is trained with all else
  networks = list(default = FALSE,
    svgp = when("by mini-batches for one response without categories",
      function(method) method$optimizer != "collapsed"),
    svgp_classes = FALSE, svgp_outputs = FALSE, odvgp = FALSE, ppgpr = TRUE, deep = TRUE,
    deep_outputs = FALSE),
  # the same with the layers on a device
  device_networks = list(default = FALSE, deep = TRUE),
  # features() and cov_features(): components of some of the coordinates
  features = list(default = FALSE, exact_gp = TRUE, exact_gp_cg = FALSE, vnngp = TRUE),
  # cov_linear(), and it alone, whose matrix of a latent field is singular. On the CPU only: the
  # CUDA module lacks components that are multiplied by a column.
  linear = list(default = FALSE, exact_gp = TRUE, exact_gp_cg = FALSE, vecchia = TRUE,
    vecchia_inducing = FALSE,
    vnngp = when("without `inducing` and `low_rank`",
      function(method, family) is.null(method$inducing) && !has_latent_low_rank(method)),
    swsgp = when("with select = \"random\", move = FALSE and neither full covariance nor `active`",
      function(method, family) method$select == "random" && !method$move &&
        !has_ability(method, "cpu_objective"))),
  # cov_none(): a process of no variance, whose likelihood is that of trend, effects and family
  no_process = list(default = FALSE, exact_gp = TRUE, exact_gp_cg = FALSE,
    vecchia = when(NULL, without_adam), vecchia_inducing = FALSE,
    vnngp = when("with its sparse posterior or Laplace's, without `inducing` and `low_rank`",
      function(method, family) !is_mean_field(method) && is.null(method$inducing) &&
        !has_latent_low_rank(method)), swsgp = FALSE),
  singular_field = list(default = TRUE, vnngp = FALSE),
  # rows that are areas
  areal_rows = list(default = FALSE, vecchia = when(NULL, without_adam),
    vecchia_inducing = FALSE, exact_gp = TRUE, exact_gp_cg = FALSE),
  # predict_areas()
  area_means = list(default = TRUE, method_families = FALSE, method_classes = FALSE,
    method_outputs = FALSE, exact_gp_cg = FALSE,
    loo_k_families = TRUE,
    vnngp = when("with its sparse posterior or Laplace's",
      function(method, object) !is_mean_field(method)),
    swsgp = FALSE, deep = FALSE, svgp = TRUE, svgp_classes = FALSE, svgp_outputs = FALSE,
    odvgp = FALSE, ppgpr = FALSE),
  # rows in shards, on one machine or on the workers of a cluster
  shards = list(default = FALSE,
    vecchia = gaussian_only("of a Gaussian response (ordering = \"maxmin\")",
      function(method) without_adam(method) && method$ordering %in% c("auto", "maxmin")),
    vecchia_inducing = FALSE, mll_k = when(NULL, without_adam),
    loo_k = when("(neither by Adam nor with Polya-Gamma variables)",
      function(method, family) without_adam(method) && method$estimator != "polya-gamma"),
    vnngp = when("(posterior = \"sparse\", factor = \"incomplete\", no inducing or low_rank points)",
      function(method, family) method$posterior == "sparse" && is.null(method$inducing) &&
        !has_latent_low_rank(method) && identical(method$factor, "incomplete") &&
        is.null(family$formulas)),
    svgp = when("of all families but classes (all rows, kl_weight = 1)",
      function(method, family) !is_categorical(family) &&
        method$optimizer %in% c("auto", "collapsed") && bound_kl_weight(method) == 1),
    odvgp = FALSE, swsgp = FALSE),
  # update(newdata = ): conditions on further rows at fixed parameters
  append_rows = list(default = FALSE, exact_gp = TRUE, exact_gp_cg = FALSE, vecchia = TRUE,
    vecchia_inducing = FALSE, loo_k = TRUE, loo_k_classes = FALSE, mll_k = TRUE,
    vnngp = when("with posterior \"sparse\" or \"laplace\"",
      function(method, family) !is_mean_field(method)),
    swsgp = FALSE, exact_gp_outputs = FALSE, vecchia_outputs = FALSE, loo_k_outputs = FALSE,
    mll_k_outputs = FALSE),
  # a source keeps these rows in memory
  keep_rows = list(default = FALSE, vnngp = TRUE,
    svgp = function(method, family) !is_gaussian(family)),

  # ---- the fit -----------------------------------------------------------------------------------
  # a nugget: latent models of other responses use the scatter of their family instead
  nugget = list(default = TRUE, svgp_classes = FALSE, svgp_families = FALSE,
    vnngp_families = FALSE),
  # no two rows at one location
  distinct_locations = list(default = function(method, problem) {
    identical(problem$layout$value[problem$layout$kind == "nugget"], 0)
  }, svgp_classes = FALSE, svgp_families = FALSE, vnngp_families = FALSE, deep = FALSE),
  # a trend by the score that the fit maximises
  score_trend = list(default = FALSE, loo_k = TRUE, loo_k_families = FALSE, loo_k_classes = FALSE,
    loo_k_outputs = FALSE),
  # all locations on a line
  flat_places = list(default = FALSE, deep = TRUE),
  # the response in a unit in which it scatters by about 1, see R/response-unit.R
  response_unit = list(default = TRUE, method_families = FALSE, method_outputs = FALSE,
    vnngp = FALSE),
  # neargp(fixed = )
  fixed_parameters = list(default = TRUE, deep = FALSE),
  # neargp(fixed = c(nugget_ratio = 0.1)): objectives by new_objective(), R/fixed-ratio.R
  nugget_ratio = list(default = FALSE, exact_gp = gaussian_only(), exact_gp_cg = FALSE,
    vecchia = gaussian_only(), vecchia_inducing = FALSE, loo_k = gaussian_only(),
    mll_k = gaussian_only()),
  # a start from parameters of a fit by another method
  start_parameters = list(default = TRUE, deep = FALSE),
  # a continued fit keeps its inducing points, whichever are asked for
  kept_inducing = list(default = FALSE, svgp = TRUE),
  # searches compared with those of nested models; more rows of exact_gp() begin at the result of
  # vecchia(), which was compared (near_optimum())
  nested_models = list(default = FALSE, vecchia = without_adam, vecchia_inducing = FALSE,
    mll_k = without_adam,
    exact_gp = function(method, problem) length(problem$data$y) <= start_neighbors,
    exact_gp_cg = FALSE, loo_k = without_adam,
    vnngp = function(method, problem) !is_mean_field(method),
    loo_k_families = FALSE, loo_k_classes = FALSE, vnngp_families = FALSE),
  # a search from each of several ranges, of covariances whose likelihood has several maxima
  range_starts = list(default = FALSE, vecchia = without_adam, vecchia_inducing = FALSE,
    exact_gp = TRUE, exact_gp_cg = FALSE, mll_k = without_adam),
  # observations of a location act through their mean
  location_means = list(default = FALSE, exact_gp = gaussian_only(), exact_gp_cg = FALSE,
    vecchia = gaussian_only(),
    mll_k = gaussian_only(), loo_k = gaussian_only()),
  # the likelihood of one response as a function of the parameters, for profiles and priors
  likelihood_objective = list(default = FALSE, exact_gp = TRUE, exact_gp_outputs = FALSE,
    vecchia = TRUE, vecchia_inducing = FALSE, vecchia_outputs = FALSE),
  # the score on simulated data, check_consistency()
  score_of_draws = list(default = FALSE, exact_gp = gaussian_only(), exact_gp_cg = FALSE,
    vecchia = gaussian_only(), vecchia_inducing = FALSE,
    vnngp = when("without `inducing` and `low_rank`, and with another posterior than \"mean-field\"",
      function(method, family) !is_mean_field(method) && is.null(method$inducing) &&
        !has_latent_low_rank(method)), swsgp = FALSE),
  # parameters that are integrated over, by that likelihood or a posterior given them
  integrable = list(default = FALSE, exact_gp = gaussian_only(), exact_gp_outputs = FALSE,
    exact_gp_cg = FALSE,
    vecchia = gaussian_only(), vecchia_inducing = FALSE, vecchia_outputs = FALSE,
    loo_k = gaussian_only(), loo_k_families = FALSE, loo_k_classes = FALSE, loo_k_outputs = FALSE,
    vnngp = when("with its sparse posterior or Laplace's",
      function(method, family) !is_mean_field(method)),
    svgp = when("of all families but classes (all rows, kl_weight = 1)",
      function(method, family) !is_categorical(family) &&
        method$optimizer %in% c("auto", "collapsed") && bound_kl_weight(method) == 1),
    svgp_outputs = FALSE, odvgp = FALSE, ppgpr = FALSE, swsgp = FALSE),
  # of these, by the sandwich covariance of a score, R/integrated-sandwich.R
  sandwich = list(default = FALSE, loo_k = TRUE),
  # few neighbours lose something, which a sample of the rows estimates
  neighbor_loss = list(default = FALSE, vecchia = TRUE, vecchia_inducing = FALSE,
    vecchia_outputs = FALSE, loo_k = TRUE, loo_k_families = FALSE, loo_k_classes = FALSE,
    loo_k_outputs = FALSE, mll_k = TRUE, mll_k_outputs = FALSE),
  # predictions are linear combinations of the responses of neighbours or of all rows
  linear_predictions = list(default = TRUE, deep = FALSE, svgp = FALSE, method_outputs = FALSE),
  # a log density of each observation given the others
  log_densities = list(default = TRUE, deep = FALSE, method_outputs = FALSE),
  single_precision = list(default = gaussian_only(), vnngp = FALSE),
  # the evaluations of a dense method on a GPU, of one output or of `several`
  device_objective = list(default = FALSE, deep = TRUE,
    svgp = function(method, family, several = FALSE) is_gaussian(family) && !several),
  # fits that the CPU alone computes, though their predictions run on a GPU
  cpu_objective = list(default = FALSE, swsgp = function(method) {
    identical(method$covariance, "full") || !is.null(method$active)
  }),

  # ---- predictions -------------------------------------------------------------------------------
  # matrices as large as all that a prediction is conditioned on, which the CPU alone computes
  dense_matrices = list(default = FALSE, exact_gp = TRUE, svgp = TRUE, vecchia_inducing = TRUE,
    deep = TRUE, vnngp = function(method) has_latent_low_rank(method)),
  # no neighbours, unless these are asked for
  exact = list(default = FALSE, exact_gp = TRUE),
  # draws by the matrix of all rows
  dense_draws = list(default = TRUE, exact_gp_cg = FALSE),
  # predictions through features of inducing points
  inducing_features = list(default = FALSE, svgp = TRUE, vecchia_inducing = TRUE),
  # a latent field for each class, with the data as pseudo-observations of it; otherwise the method
  # is a regression of the labels
  class_fields = list(default = FALSE, svgp = TRUE),
  # predictions from the nearest observations of a Gaussian response
  nearest_observations = list(default = TRUE, vecchia_inducing = FALSE, method_families = FALSE,
    exact_gp = when("with `k`", function(method) TRUE), vnngp = FALSE, svgp = FALSE,
    deep = FALSE),
  # rows predicted from the others, for diagnostics
  leave_one_out = list(default = TRUE, odvgp = FALSE, ppgpr = FALSE)
)

# `...`: what the entry's condition asks for, a family, a problem or a fit.
has_ability <- function(method, ability, ...) value_for(method, abilities[[ability]], ...)

# The value of a method's entry in a table by classes of methods. An entry may be a function of it.
value_for <- function(method, entries, ...) {
  entry <- entry_of(sub("neargp_", "", class(method), fixed = TRUE), entries)
  if (is.function(entry)) entry(method, ...) else entry
}

entry_of <- function(classes, entries) {
  place <- match(c(classes, "default"), names(entries))
  entries[[place[!is.na(place)][1L]]]
}

# Whether predictions and draws go through dense matrices. Exact methods do without where neighbours
# are asked for; `exact`: whether they are not.
predicts_densely <- function(method, exact) {
  exact || (has_ability(method, "dense_matrices") && !has_ability(method, "exact"))
}

# The constructors with the classes of what they make.
constructor_classes <- list(vecchia = "vecchia", exact_gp = "exact_gp", loo_k = "loo_k",
  mll_k = "mll_k", vnngp = "vnngp", svgp = "svgp", odvgp = c("odvgp", "svgp"),
  ppgpr = c("ppgpr", "svgp"), swsgp = c("swsgp", "vnngp"), dspp = c("dspp", "deep"),
  dgp = c("dgp", "deep"))

# The methods with an ability, for messages: "vecchia() without inducing points and loo_k()".
able_methods <- function(ability, last = "and") {
  entries <- lapply(constructor_classes, entry_of, abilities[[ability]])
  able <- Filter(Negate(isFALSE), entries)
  where <- vapply(able, function(entry) attr(entry, "where") %||% "", "")
  entry <- abilities[[ability]]
  if (isFALSE(entry$vecchia_inducing)) {
    where[["vecchia"]] <- paste(where[["vecchia"]], "without inducing points")
  }
  named <- trimws(paste0(names(able), "() ", trimws(where)))
  sub(" and ([^,]*)$", paste0(" ", last, " \\1"), format_some(named, length(named)))
}

# The abilities that users ask for, in the words of help and articles.
ability_labels <- c(outputs = "Several responses, `cbind(a, b) ~ 1`", classes = "Classes, a factor",
  effects = "Random effects and smooths",
  noise_model = "Noise with a model, `nugget = ~ z` and `measurement_variance`",
  local_fields = "Local standard deviations and ranges, warps, priors, `cov_spacetime()`",
  areal_rows = "Observations on areas", area_means = "Means over areas, `predict_areas()`",
  shards = "Shards and clusters")

# A list in markdown, from the same table as messages.
ability_list <- function() {
  able <- vapply(names(ability_labels), able_methods, "")
  paste0("* ", ability_labels, ": ", gsub("\"", "`", gsub("([a-z_]+\\(\\))", "`\\1`", able)), ".",
    collapse = "\n")
}
