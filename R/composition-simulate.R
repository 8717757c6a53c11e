# Draws of compositions: linear predictors as joint-simulate.R draws them, then counts with the
# total of each sample. Categories are drawn one after the other, each binomial given those before.

# `trials`: the total of each new sample.
#' @export
simulate.neargp_composition <- function(object, nsim = 1, seed = NULL, newdata = NULL, trials = 1,
                                        threads = NULL, re.form = NULL, allow.new.levels = FALSE,
                                        ...) {
  check_no_more_arguments()
  if (is_foreign_map(newdata)) {
    return(with_known_newdata("simulate", match.call(expand.dots = FALSE)))
  }
  newdata <- grid_of_parts(object, newdata)
  nsim <- check_count(nsim, "nsim")
  trials <- check_count(trials, "trials")
  state <- seed_generator(seed)
  on.exit(state$restore())
  drawn <- drawn_predictors(object, nsim, newdata, threads, re.form, allow.new.levels)
  complete <- Reduce(`&`, lapply(drawn$targets, `[[`, "complete"))
  eta <- Map(function(eta, target) eta[complete[target$complete], , drop = FALSE], drawn$eta,
    drawn$targets)
  totals <- if (is.null(newdata)) rowSums(object$composition$counts) else
    rep(trials, sum(complete))
  counts <- drawn_counts(eta, totals)
  columns <- Map(function(counts, output) {
    full <- matrix(NA_real_, length(complete), nsim)
    full[complete, ] <- counts
    stats::setNames(as.data.frame(full), paste0("sim_", seq_len(nsim), "_", output))
  }, counts, object$outputs)
  result <- if (is.null(newdata)) drawn_by_response(columns, object$outputs) else
    drawn_in_class_of(newdata, do.call(cbind, unname(columns)))
  structure(result, seed = state$seed)
}

# `eta`: a matrix for each category, samples x draws. `totals`: of each sample.
drawn_counts <- function(eta, totals) {
  left <- rep(totals, ncol(eta[[1L]]))
  highest <- do.call(pmax, unname(eta))
  weight <- lapply(eta, function(x) exp(x - highest))
  of_rest <- Reduce(`+`, weight)
  counts <- vector("list", length(eta))
  for (m in seq_along(eta)) {
    share <- if (m == length(eta)) 1 else as.vector(pmin(weight[[m]] / of_rest, 1))
    share[is.nan(share)] <- 0  # nothing is left for this category and those after it
    drawn <- stats::rbinom(length(left), left, share)
    left <- left - drawn
    of_rest <- pmax(of_rest - weight[[m]], 0)
    counts[[m]] <- matrix(drawn, nrow(eta[[1L]]))
  }
  counts
}
