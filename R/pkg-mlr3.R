# All code for mlr3: learners of regression and classification, "regr.neargp" and "classif.neargp".
# Their parameters are the arguments of neargp(), and `neighbors` as in gp_reg().

register_in_mlr3 <- function() {
  mlr3::mlr_learners$add("regr.neargp", function() regression_learner()$new())
  mlr3::mlr_learners$add("classif.neargp", function() classification_learner()$new())
}

# The classes are made when mlr3 is there.
regression_learner <- function() {
  R6::R6Class("LearnerRegrNeargp", inherit = mlr3::LearnerRegr, public = list(
    initialize = function() {
      super$initialize(id = "regr.neargp", param_set = learner_parameters(),
        predict_types = c("response", "se", "quantiles"), feature_types = learner_features,
        packages = "neargp", label = "Gaussian process", man = "neargp::companions")
    }),
    private = list(
      .train = function(task) train_on_task(task, self),
      .predict = function(task) {
        if (self$predict_type != "quantiles") {
          predicted <- stats::predict(self$model, features_of(task))
          return(list(response = predicted$mean,
            se = if (self$predict_type == "se") predicted$sd))
        }
        probs <- private$.quantiles
        columns <- stats::predict(self$model, features_of(task), type = "quantile", probs = probs)
        list(quantiles = structure(unname(as.matrix(columns)), probs = probs,
          response = private$.quantile_response))
      }))
}

classification_learner <- function() {
  R6::R6Class("LearnerClassifNeargp", inherit = mlr3::LearnerClassif, public = list(
    initialize = function() {
      super$initialize(id = "classif.neargp", param_set = learner_parameters(),
        predict_types = c("response", "prob"), feature_types = learner_features,
        properties = c("twoclass", "multiclass"), packages = "neargp",
        label = "Gaussian process", man = "neargp::companions")
    }),
    private = list(
      .train = function(task) train_on_task(task, self),
      .predict = function(task) {
        predicted <- stats::predict(self$model, features_of(task))
        shares <- as.matrix(class_shares(predicted, self$model$data$levels %||%
          self$model$classifier$levels))
        if (self$predict_type == "prob") return(list(prob = shares))
        list(response = factor(colnames(shares)[max.col(shares, "first")], colnames(shares)))
      }))
}

learner_features <- c("logical", "integer", "numeric", "character", "factor", "ordered")

learner_parameters <- function() {
  own <- setdiff(names(formals(neargp)), c("data", "weights", "subset", "cluster", "..."))
  parameters <- lapply(stats::setNames(nm = own), function(name) paradox::p_uty(tags = "train"))
  do.call(paradox::ps, c(parameters, list(neighbors = paradox::p_int(1L, tags = "train"))))
}

features_of <- function(task) as.data.frame(task$data(cols = task$feature_names))

# The fit, whose call names its data.
train_on_task <- function(task, learner) {
  data <- as.data.frame(task$data())
  args <- learner$param_set$get_values(tags = "train")
  if (!is.null(args$neighbors)) {
    check_neighbors_alone(args)
    family <- args$family$family %||% if (task$task_type == "classif") "categorical" else "gaussian"
    args$method <- eval(method_with_neighbors(family, args$neighbors))
  }
  args$formula <- args$formula %||% task$formula()
  environment(args$formula) <- environment()
  eval(rlang::call2(quote(neargp), data = quote(data), !!!args[names(args) != "neighbors"]))
}

# R6 gives these to the methods of its classes.
utils::globalVariables(c("private", "self", "super"))
