#' Checkpoints: resume a fit after a crash
#'
#' @description
#' `neargp_control(checkpoint = "file")` saves the state of a fit, and the same call continues from
#' it with bit-identical results.
#'
#' ```r
#' neargp(precipitation ~ 1, colorado_precipitation(), coords = ~ lon + lat, crs = 4326,
#'   control = neargp_control(checkpoint = tempfile()))
#' ```
#'
#' @details
#' Make the same call again, in any session. `neargp(resume = "file")` requires that the file
#' exists. The file of a completed fit answers the same call quickly; delete it when you are done.
#'
#' A file belongs to one fit: the same data, covariance, method, family, prior, start, control,
#' device and version. Anything else is an error that names the difference. You can change the
#' number of threads. `neargp_last("file")` returns the parameters of a file that cannot continue.
#'
#' [Joint fits][joint_models] also write `file-1`, `file-2`, ... for their responses.
#'
#' Checkpointing adds about 0.5% to the run time. A kill loses the time since the last write, and an
#' error or Ctrl-C loses nothing. Files are small, for example 1 kB per evaluation. Neighbours, the
#' final posterior and the epochs of mean-field Adam and [swsgp()] are computed again.
#'
#' Files survive a kill at any moment. A full disk is an error at the start, and later a warning.
#'
#' The field `reason` of `neargp_error_checkpoint` is `"missing"`, `"unreadable"`, `"unwritable"`,
#' `"locked"`, `"foreign"`, `"version"`, `"damaged"`, `"diverged"` or `"method"`, for an estimated
#' power of [box_cox()].
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(500), y = runif(500))
#' d$z <- sin(6 * d$x) + rnorm(500, sd = 0.1)
#' file <- tempfile(fileext = ".checkpoint")
#' fit <- neargp(z ~ 1, d, coords = ~ x + y, method = vecchia(10),
#'   control = neargp_control(checkpoint = file))
#' # In another process, after a kill: the same call, or
#' again <- neargp(z ~ 1, d, coords = ~ x + y, method = vecchia(10), resume = file)
#' identical(coef(fit), coef(again))
#'
#' # Other data are an error
#' d$z[1] <- 0
#' try(neargp(z ~ 1, d, coords = ~ x + y, method = vecchia(10), resume = file))
#' unlink(file)
#' @return This page describes files, and no function. [neargp()] returns the same fit with and
#'   without a checkpoint.
#' @seealso [neargp_control()], [neargp_last()].
#' @name checkpoints
NULL

check_checkpoint <- function(checkpoint, name = "checkpoint") {
  if (is.null(checkpoint)) return(NULL)
  if (!rlang::is_string(checkpoint) || !nzchar(checkpoint)) {
    abort_argument(name, "NULL or the name of a file", checkpoint)
  }
  normalizePath(checkpoint, mustWork = FALSE)
}

# The file of a fit, NULL for none, and whether it must be there.
checkpoint_argument <- function(control, resume) {
  if (is.null(resume)) return(list(path = control$checkpoint, must_exist = FALSE))
  path <- check_checkpoint(resume, "resume")
  if (!is.null(control$checkpoint) && control$checkpoint != path) {
    abort_argument("resume", "the file of neargp_control(checkpoint = ), where both are given",
      resume)
  }
  list(path = path, must_exist = TRUE)
}

# From here to end_checkpoint() the session of `problem` keeps a checkpoint, where there is a file
# for it: `checkpoint` of checkpoint_argument().
begin_checkpoint <- function(session, checkpoint, problem, settings) {
  if (is.null(checkpoint$path)) return(invisible())
  check_one_fit(checkpoint$path, problem$family)
  keep_checkpoint(session, checkpoint, fit_key(problem, settings))
}

# `key`: of fit_key().
keep_checkpoint <- function(session, checkpoint, key) {
  path <- checkpoint$path
  session$restore <- list(lock = locked_checkpoint(path), instruction_set = core_simd())
  file <- open_checkpoint(path, checkpoint$must_exist, key)
  with_arithmetic_of(file)
  set_seed(file$header$seed)
  begin_journal(session, file)
}

# The journal is written by the instruction set of the fit, and the lock is the last to go.
end_checkpoint <- function(session) {
  restore <- session$restore
  if (is.null(restore)) return(invisible())
  on.exit(core_unlock_file(restore$lock))
  on.exit(core_set_simd(restore$instruction_set), add = TRUE, after = FALSE)
  session$restore <- NULL
  end_journal(session)
}

check_one_fit <- function(path, family) {
  if (!isTRUE(family$transform$estimated)) return(invisible())
  abort_checkpoint(path, "method", "The power of box_cox() is estimated by a fit for each of many.",
    "Give box_cox() the `lambda`, and each fit a file of its own.")
}

# The lock is removed when a fit ends. "renv.lock" and "package-lock" are files of others.
lock_name <- function(path) paste0(path, ".neargp-lock")

# The folder is where the lock cannot be made.
locked_checkpoint <- function(path) {
  lock <- tryCatch(core_lock_file(lock_name(path)), neargp_error_core = function(condition)
    abort_unwritable(path, condition))
  if (is.null(lock)) {
    abort_checkpoint(path, "locked", "Another process uses it.",
      "Wait until that has ended, or give each fit a file of its own.")
  }
  lock
}

abort_unwritable <- function(path, condition) {
  abort_checkpoint(path, "unwritable", conditionMessage(condition),
    "Check that the folder exists, that you can write to it, and that the disk is not full.")
}

# The file of this fit: as it was left, or a new one. `cost`: seconds that a write takes.
open_checkpoint <- function(path, must_exist, key) {
  if (!file.exists(path)) {
    if (must_exist) abort_missing_checkpoint(path)
    return(new_checkpoint(path, new_header(key)))
  }
  file <- read_checkpoint(path)
  check_header(path, file$header, key)
  left <- merged_records(file$records)
  length <- if (file$is_whole) file$length else new_checkpoint(path, file$header,
    file$records)$length
  inform_neargp("checkpoint",
    sprintf("The fit goes on from %s evaluations in \"%s\".", format_count(length(left$known)),
      path))
  c(list(path = path, header = file$header, length = length, cost = 0), left)
}

abort_missing_checkpoint <- function(path) {
  abort_checkpoint(path, "missing", "The file does not exist.",
    "A checkpoint is begun by neargp_control(checkpoint = ).")
}

new_checkpoint <- function(path, header, records = list()) {
  began <- core_monotonic_seconds()
  length <- tryCatch(write_checkpoint(path, header, records),
    neargp_error_core = function(condition) abort_unwritable(path, condition))
  list(path = path, header = header, length = length, known = list(), states = list(),
    cost = core_monotonic_seconds() - began)
}

# R's random numbers begin somewhere before the first one is drawn, so that there is a seed to keep.
new_header <- function(key) {
  if (is.null(current_seed())) set.seed(NULL)
  list(version = package_version_text(), key = key, seed = current_seed(),
    instruction_set = core_simd(), arithmetic = arithmetic())
}

# Rounding outside the core.
arithmetic <- function() {
  list(r = R.version$version.string, blas = unname(extSoftVersion()["BLAS"]), lapack = La_library())
}

check_header <- function(path, header, key) {
  if (!identical(header$version, package_version_text())) {
    abort_checkpoint(path, "version", sprintf("It was written by neargp %s, and this is neargp %s.",
      header$version, package_version_text()), last_of_file_hint)
  }
  differs <- names(key)[!vapply(names(key), function(part) identical(key[[part]],
    header$key[[part]]), NA)]
  if (!length(differs)) return(invisible())
  abort_checkpoint(path, "foreign", sprintf("It is of another fit: %s.", say_differs(differs)),
    "Give each fit a file of its own. neargp does not delete files: delete those you no longer need.")
}

last_of_file_hint <-
  "start = neargp_last(<this file>), with another file as the checkpoint, goes on from the parameters that it had reached."

abort_diverged <- function(path, number) {
  abort_checkpoint(path, "diverged",
    sprintf("Its evaluation %s does not match this fit.", format_count(number)),
    c("The file comes from another build of neargp, or from a machine that rounds differently.",
      last_of_file_hint))
}

# The instruction set that the file was begun with, where this processor has it.
with_arithmetic_of <- function(file) {
  wanted <- file$header$instruction_set
  differs <- c(if (!wanted %in% core_simd_available()) "the processor's instruction set",
    if (!identical(file$header$arithmetic, arithmetic())) "R, or its BLAS")
  if (wanted %in% core_simd_available()) core_set_simd(wanted)
  if (!length(differs)) return(invisible())
  inform_neargp("checkpoint",
    sprintf("Results may round differently from where the checkpoint was begun: %s.", say_differs(differs)))
}

say_differs <- function(parts) {
  paste(format_some(parts, length(parts)), if (length(parts) == 1L) "differs" else "differ")
}

# The last state that the fit of a file accepted.
last_of_checkpoint <- function(path) {
  path <- check_checkpoint(path)
  last <- merged_records(read_checkpoint(path)$records)$states$last$state
  if (!is.null(last)) return(last)
  abort_neargp("last", sprintf("The fit of \"%s\" had accepted no parameters yet.", path))
}

# ---- the key -------------------------------------------------------------------------------------

# Checksums of all that decides what a fit computes, by the names that errors call them.
fit_key <- function(problem, settings) {
  data <- unclass(problem$data)
  of_rows <- setdiff(names(data), c("X", "basis", "coords", "weights", "offset", "stream"))
  stream <- data$stream[c("hashes", "model", "rows")]
  layout <- as.list(problem$layout)
  parts <- list(`the response` = list(data[of_rows], stream),
    `the trend` = list(colnames(data$X), data$X), `the coordinates` = list(
    data$inputs %||% data$coords, problem$locations$metric),
    `the weights` = data$weights, `the offset` = data$offset,
    `the covariance` = list(problem$covariance, layout[setdiff(names(layout), "start")]),
    `the method` = list(class(problem$method), problem$method),
    `the family` = problem$family, `the prior` = problem$prior,
    `the start` = list(layout$start, state_to_go_on_from(problem)),
    `the control` = control_of_key(problem$control),
    `the device` = settings$device)
  checksums_of(parts)
}

checksums_of <- function(parts) lapply(parts, function(part) rlang::hash(plain_part(part)))

# The settings that decide what a fit computes.
control_of_key <- function(control) {
  control[setdiff(names(control), c("checkpoint", "neighbor_search", "worker_timeout"))]
}

# All that was estimated by a fit that is continued.
state_to_go_on_from <- function(problem) {
  warm <- unclass(problem$warm_start)
  list(warm[setdiff(names(warm), c("call", "elapsed", "cache", "threads", "terms", "formula",
    "data"))], problem$start_positions, problem$warm_classifier)
}

# A form that is the same for all settings that compute the same. It does not depend on R's kind of
# vector, on the encoding of strings, or on the environments of functions. The sum x + 0 is a plain
# vector, and turns -0 into 0.
plain_part <- function(x) {
  if (is.list(x)) return(list(names(x), lapply(unclass(x), plain_part)))
  if (is.function(x) || is.language(x)) return(deparse(x))
  if (is.character(x)) return(list(dim(x), enc2utf8(as.vector(x))))
  if (is.factor(x)) return(list(levels(x), as.double(x) + 0))
  if (is.numeric(x) || is.logical(x)) return(list(dim(x), as.double(x) + 0))
  NULL
}
