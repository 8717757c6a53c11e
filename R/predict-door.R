# The front door of predict(): the first steps of its methods for all kinds of fits. Areas and files
# have ways of their own.

# `call` of the method, without its dots expanded. Returns what areas or files have, NULL where the
# method goes on and predicts in memory.
predicted_elsewhere <- function(call, frame = parent.frame(), called = sys.function(sys.parent()),
                                as_called = sys.call(sys.parent())) {
  object <- frame$object
  newdata <- eval(quote(if (missing(newdata)) NULL else newdata), frame)
  if (is_foreign_map(newdata)) return(with_known_newdata("predict", call, frame))
  of_one <- !inherits(object, "neargp_hurdle")
  if (of_one) check_fit(object)
  if (of_one && is_areas(newdata)) {
    check_predicts_areas(object)
    return(predict_given_areas(object, newdata, c(given_arguments(call, frame),
      eval(quote(list(...)), frame))))
  }
  check_no_more_arguments(frame, called, as_called)
  if (is.null(newdata)) abort_no_newdata(object)
  if (!is_to_files(object, frame$output, frame$cluster)) return(NULL)
  predict_to_files(object, newdata, given_arguments(call, frame))
}

# The generic once more for `newdata` in a class that all fits read, and its result in the class of
# `newdata`. `call` of the method, without its dots expanded.
with_known_newdata <- function(generic, call, frame = parent.frame()) {
  given <- c(given_arguments(call, frame), eval(quote(list(...)), frame))
  in_foreign_class(frame$newdata, function(known) {
    do.call(generic, c(list(frame$object, newdata = known), given), quote = TRUE)
  })
}

# The arguments of a method next to the fit and the new rows.
given_arguments <- function(call, frame) {
  mget(setdiff(names(call)[-1L], c("object", "newdata", "...")), envir = frame)
}

# Workers predict in memory for fits of one response alone.
is_to_files <- function(object, output, cluster) {
  several <- inherits(object, c("neargp_hurdle", "neargp_classifier", "neargp_outputs"))
  if (several && is.null(output) && !is.null(cluster)) {
    refuse_on_workers("classes, several responses or hurdle models in memory",
      "Leave out `cluster`, or give `output`.")
  }
  !is.null(output)
}

abort_no_newdata <- function(object) {
  abort_neargp("newdata", c("`newdata` is missing.",
    i = if (inherits(object, "neargp_classifier"))
      "For the training rows, each predicted from the others, use loo_predict()." else
      "For the training rows use fitted() and residuals()."))
}
