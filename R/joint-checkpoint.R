# Checkpoints of fits of several responses. The fit of each response keeps a file of its own, whose
# name ends in its number, and the search for the fields another one.

# `checkpoint`: of checkpoint_argument(). A killed fit may have left the first response's file only.
check_joint_checkpoint <- function(checkpoint) {
  path <- checkpoint$path
  if (checkpoint$must_exist && !any(file.exists(path, part_checkpoint(path, 1L)))) {
    abort_missing_checkpoint(path)
  }
  list(path = path, must_exist = FALSE)
}

part_checkpoint <- function(path, m) if (!is.null(path)) sprintf("%s-%d", path, m)

# The call of a response's fit with a checkpoint of its own.
with_part_checkpoint <- function(call, path, m, frame) {
  if (is.null(path)) return(call)
  control <- eval(call$control, frame) %||% neargp_control()
  control$checkpoint <- part_checkpoint(path, m)
  call$control <- control
  call
}

# Checksums by the names of fit_key(). Those of the separate fits stand for their settings.
joint_key <- function(shared) {
  data <- shared$data
  parts <- lapply(shared$parts, function(part) {
    list(as.list(part$layout), part$parameters$working, part$common)
  })
  checksums_of(list(`the response` = list(data[c("y", "trials")], shared$response),
    `the trend` = list(data$design, lapply(shared$parts, function(part) colnames(part$data$X))),
    `the coordinates` = list(shared$coords, shared$place, shared$shares,
      shared$locations$metric),
    `the weights` = data$weights, `the offset` = data$offset,
    `the covariance` = list(shared$structures, as.list(shared$layout)),
    `the method` = list(class(shared$method), shared$method),
    `the family` = lapply(shared$parts, `[[`, "family"), `the prior` = shared$prior,
    `the start` = list(shared$start, parts), `the control` = control_of_key(shared$control)))
}
