#' Fits as models of parsnip
#'
#' @description
#' `gp_reg()` specifies a fit by [neargp()] for the packages of tidymodels.
#'
#' ```r
#' model <- gp_reg(neighbors = 20) |> parsnip::set_engine("neargp", coords = ~ x + y)
#' fit <- generics::fit(model, z ~ height, data = stations)
#' ```
#'
#' @details
#' Arguments of [neargp()] go to `set_engine()`, for example `coords`, `crs`, `family`,
#' `covariance` or `method`.
#'
#' The data of `fit()` must contain the coordinates. In a workflow name them by
#' `add_variables()` or a recipe, and give the formula of the trend to `add_model()`.
#'
#' | `predict(type = )` | result |
#' |---|---|
#' | `"numeric"` | the mean, in `.pred` |
#' | `"conf_int"`, `"pred_int"` | intervals of the mean or of a new observation |
#' | `"class"`, `"prob"` | the most probable class, and the probabilities |
#' | `"raw"` | the result of [predict.neargp()] |
#'
#' @param mode `"regression"` (default) or `"classification"`.
#' @param engine `"neargp"`, the only one.
#' @param neighbors a whole number, the neighbours `k` of the default method of the response:
#'   [vecchia()], [loo_k()] for classes, or [vnngp()] for another `family`. `tune::tune()` tunes it.
#'   Default `NULL`: the default of [neargp()].
#' @return A model specification of parsnip.
#' @seealso [companions], [cross_validate()] for blocked folds.
#' @examplesIf requireNamespace("parsnip", quietly = TRUE)
#' stations <- colorado_precipitation()
#' model <- parsnip::set_engine(gp_reg(neighbors = 20), "neargp", coords = ~ lon + lat, crs = 4326)
#' fit <- parsnip::fit(model, precipitation ~ elevation, data = stations)
#' predict(fit, stations[1:3, ], type = "pred_int")
#' @export
gp_reg <- function(mode = "regression", engine = "neargp", neighbors = NULL) {
  require_package("parsnip", "for gp_reg()")
  parsnip::new_model_spec("gp_reg", args = list(neighbors = rlang::enquo(neighbors)),
    eng_args = NULL, mode = mode, user_specified_mode = !missing(mode), method = NULL,
    engine = engine, user_specified_engine = !missing(engine))
}

# `neighbors` is a setting of a method, and neargp() takes the method.
#' @exportS3Method parsnip::translate
translate.gp_reg <- function(x, engine = x$engine, ...) {
  x <- NextMethod()
  args <- x$method$fit$args
  neighbors <- args$neighbors
  if (is.null(neighbors)) return(x)
  check_neighbors_alone(args)
  family <- if (!is.null(args$family)) rlang::eval_tidy(args$family)$family else
    if (x$mode == "classification") "categorical" else "gaussian"
  args$method <- method_with_neighbors(family, neighbors)
  x$method$fit$args <- args[names(args) != "neighbors"]
  x
}

check_neighbors_alone <- function(args) {
  if (is.null(args$method)) return(invisible())
  abort_neargp("argument", c("`neighbors` and `method` cannot be given together.",
    i = "Give the neighbours to the method: method = vecchia(k = 20)."))
}

# The call of the default method of a family.
method_with_neighbors <- function(family, neighbors) {
  method <- switch(family, gaussian = quote(neargp::vecchia), categorical = quote(neargp::loo_k),
    quote(neargp::vnngp))
  rlang::call2(method, k = neighbors)
}

#' @export
update.gp_reg <- function(object, parameters = NULL, neighbors = NULL, fresh = FALSE, ...) {
  parsnip::update_spec(object, parameters = parameters,
    args_enquo_list = list(neighbors = rlang::enquo(neighbors)), fresh = fresh, cls = "gp_reg", ...)
}

# ---- registration --------------------------------------------------------------------------------

register_in_parsnip <- function() {
  if ("gp_reg" %in% parsnip::get_model_env()$models) return(invisible())
  parsnip::set_new_model("gp_reg")
  for (mode in c("regression", "classification")) {
    parsnip::set_model_mode("gp_reg", mode)
    parsnip::set_model_engine("gp_reg", mode, "neargp")
    parsnip::set_dependency("gp_reg", "neargp", "neargp", mode)
    parsnip::set_fit("gp_reg", mode, "neargp", value = list(interface = "formula",
      protect = c("formula", "data", "weights"), func = c(pkg = "neargp", fun = "neargp"),
      defaults = list()))
    parsnip::set_encoding("gp_reg", mode, "neargp", options = list(predictor_indicators = "none",
      compute_intercept = FALSE, remove_intercept = FALSE, allow_sparse_x = FALSE))
  }
  parsnip::set_model_arg("gp_reg", "neargp", parsnip = "neighbors", original = "neighbors",
    func = list(pkg = "dials", fun = "neighbors", range = c(10L, 40L)), has_submodel = FALSE)
  set_parsnip_predictions()
}

set_parsnip_predictions <- function() {
  set <- function(mode, type, post, ...) {
    parsnip::set_pred("gp_reg", mode, "neargp", type, value = list(pre = NULL, post = post,
      func = c(fun = "predict"), args = c(list(object = quote(object$fit),
        newdata = quote(new_data)), list(...))))
  }
  for (mode in c("regression", "classification")) set(mode, "raw", NULL)
  set("regression", "numeric", function(result, object) drop_geometry(result)$mean)
  set("regression", "conf_int", parsnip_limits, interval = "confidence", level = quote(level))
  set("regression", "pred_int", parsnip_limits, interval = "prediction", level = quote(level))
  set("classification", "prob", parsnip_probabilities)
  set("classification", "class", function(result, object) {
    object$lvl[max.col(as.matrix(parsnip_probabilities(result, object)), "first")]
  })
}

parsnip_limits <- function(result, object) {
  as_tibble_of(drop_geometry(result)[c("lower", "upper")], c(".pred_lower", ".pred_upper"))
}

parsnip_probabilities <- function(result, object) class_shares(result, object$lvl)

# Fits with family = binomial() predict the probability of the second class.
class_shares <- function(result, levels) {
  result <- drop_geometry(result)
  columns <- if (is.null(result$mean)) result[paste0("prob_", levels)] else
    list(1 - result$mean, result$mean)
  as_tibble_of(columns, levels)
}

as_tibble_of <- function(columns, names) {
  table <- stats::setNames(as.data.frame(unclass(columns)), names)
  structure(table, class = c("tbl_df", "tbl", "data.frame"))
}
