# Scores and validation of compositions. A row of a table is a category of a sample.

#' @export
scores.neargp_composition <- function(object, newdata = NULL, observed = NULL, ...) {
  check_no_more_arguments()
  if (!is.null(observed)) {
    abort_argument("observed", "NULL: the counts are those of the formula in newdata", observed)
  }
  rows <- if (is.null(newdata)) left_out_samples(object) else new_samples(object, newdata)
  scores_of_samples(object, rows)
}

# Samples of newdata with all counts and predictors. Without counts there is nothing to score.
new_samples <- function(object, newdata) {
  counts <- composition_counts(object$formulas, newdata, "newdata")
  if (!identical(sort(colnames(counts)), sort(object$outputs)) &&
      !is_class_vector_of(object, newdata)) {
    abort_argument("newdata", sprintf("a data frame with the categories %s",
      format_some(object$outputs)), colnames(counts))
  }
  counts <- counts_of_categories(counts, object$outputs)
  check_whole_counts(counts)
  at <- joint_predictors(object, newdata, object$outputs, NULL)
  ratios <- moments_of_ratios(at)
  used <- which(rowSums(counts[at$complete, , drop = FALSE]) > 0)
  if (!length(used)) {
    abort_neargp("missing", "There are no samples to score, or predictors of all are missing.")
  }
  sample_table(object, counts[at$complete, , drop = FALSE][used, , drop = FALSE],
    take_ratios(ratios, used), which(at$complete)[used])
}

# Rows of newdata need not contain all of the categories.
is_class_vector_of <- function(object, newdata) {
  formula <- object$formulas
  is_class_vector(eval(formula[[2L]], drop_geometry(newdata), environment(formula)))
}

counts_of_categories <- function(counts, categories) {
  unknown <- setdiff(colnames(counts), categories)
  if (length(unknown)) {
    abort_neargp("factor_level", sprintf("The fit does not know the category %s.",
      format_some(unknown)))
  }
  result <- matrix(0, nrow(counts), length(categories), dimnames = list(NULL, categories))
  result[, colnames(counts)] <- counts
  result[rowSums(is.na(counts)) > 0, ] <- NA
  result
}

take_ratios <- function(ratios, rows) {
  list(mean = ratios$mean[rows, , drop = FALSE],
    covariance = ratios$covariance[rows, , , drop = FALSE], categories = ratios$categories)
}

# The linear predictors at samples of the data, see predictor_parts(), and the fields there.
predictors_of_samples <- function(object, samples) {
  parts <- parts_of(object)
  targets <- lapply(parts, function(part) {
    list(data = part$data, X = full_design(part$data)[samples, , drop = FALSE],
      offset = part$data$offset[samples])
  })
  fields <- fields_at(object, parts[[1L]]$data$coords[samples, , drop = FALSE],
    predict_settings(parts[[1L]]))
  list(fields = fields, parts = predictor_parts(object, fields, targets))
}

# The moments of the ratios at samples of the data, of all of them together.
ratios_of_samples <- function(object, samples = seq_len(nrow(object$composition$counts))) {
  at <- predictors_of_samples(object, samples)
  moments_of_ratios(predictor_moments(object, at$fields, at$parts))
}

# Without its own counts. Given all and the parameters, z ~ N(m, S). The sample contributes
# pseudo-observations of the linear predictors a + z_m, of precision W and natural mean t. The
# integral over a flat prior of a leaves those of z. Their precision is Q = diag(W) - WW'/sum(W),
# their natural mean r = t - W sum(t)/sum(W). With G = (I - SQ)^-1, z without them is of mean
# m - GS(r - Qm) and covariance matrix GS. Parameters that move m by d move the new mean by Gd.
left_out_samples <- function(object) {
  counts <- object$composition$counts
  at <- predictors_of_samples(object, seq_len(nrow(counts)))
  ratios <- moments_of_ratios(predictor_moments(object, at$fields, at$parts))
  known <- moments_of_ratios(predictor_moments(object, at$fields, lapply(at$parts, function(part) {
    part$slopes <- part$slopes[, 0L, drop = FALSE]
    part
  })))
  posterior <- object$posterior
  by_sample <- function(x) matrix(x, nrow(counts))
  W <- by_sample(posterior$pseudo_precision)
  t <- W * by_sample(posterior$linear_predictor) + by_sample(posterior$slope)
  for (i in seq_len(nrow(counts))) {
    precision <- (diag(W[i, ]) - tcrossprod(W[i, ]) / sum(W[i, ]))[-1L, -1L, drop = FALSE]
    natural <- (t[i, ] - W[i, ] * sum(t[i, ]) / sum(W[i, ]))[-1L]
    m <- ratios$mean[i, ]
    S <- matrix(known$covariance[i, , ], length(m))
    of_parameters <- matrix(ratios$covariance[i, , ], length(m)) - S
    G <- solve(diag(length(m)) - S %*% precision)
    left <- (G %*% S + t(G %*% S)) / 2
    check_left_out(left, rows_of_samples(object)[i])
    ratios$mean[i, ] <- m - drop(left %*% (natural - precision %*% m))
    ratios$covariance[i, , ] <- left + G %*% of_parameters %*% t(G)
  }
  sample_table(object, counts, ratios, rows_of_samples(object))
}

check_left_out <- function(covariance, row) {
  if (min(eigen(covariance, symmetric = TRUE, only.values = TRUE)$values) > 0) return(invisible())
  abort_neargp("loo", c(sprintf("The counts of row %s are too large to leave them out by a formula.",
    row), i = "Use cross_validate()."))
}

# A row for each category of each sample. The log score is of the whole sample.
sample_table <- function(object, counts, ratios, rows) {
  total <- rowSums(counts)
  p <- mean_probabilities(ratios)
  each <- lapply(seq_along(object$outputs), function(m) {
    y <- counts[, m]
    data.frame(output = object$outputs[m], row = rows, observed = y, trials = total, mean = p[, m],
      brier = (y * (1 - p[, m])^2 + (total - y) * p[, m]^2) / total)
  })
  table <- bind_tables(each)
  table$log_score <- rep(-composition_log_density(counts, ratios), length(each))
  table
}

# The scores of each category, and of the whole composition: the mean log score of a sample, and the
# sum of the Brier scores.
scores_of_samples <- function(object, rows) {
  error <- rows$observed / rows$trials - rows$mean
  each <- lapply(object$outputs, function(output) {
    own <- rows$output == output
    data.frame(output = output, n = sum(own), rmse = sqrt(mean(error[own]^2)),
      brier = mean(rows$brier[own]), log_score = NA_real_)
  })
  table <- bind_tables(each)
  first <- rows$output == object$outputs[1L]
  total <- data.frame(output = "(composition)", n = sum(first), rmse = sqrt(mean(error^2)),
    brier = sum(table$brier), log_score = mean(rows$log_score[first]))
  structure(rbind(table, total), row.names = seq_len(nrow(table) + 1L),
    class = c("neargp_scores", "data.frame"))
}

# ---- cross-validation ----------------------------------------------------------------------------

#' @export
rows_of_fold.neargp_composition <- function(object, held, value, level) {
  samples <- which(object$whole$place[seq_len(nrow(object$composition$counts))] %in% held)
  counts <- object$composition$counts[samples, , drop = FALSE]
  table <- sample_table(object, counts, ratios_of_samples(object, samples), samples)
  cbind(table[c("output", "row")], fold = value, table[-(1:2)])
}

#' @export
scores_of_folds.neargp_composition <- function(object, predictions, level) {
  scores_of_samples(object, predictions)
}

# A location with several samples is in one fold.
#' @export
fold_units.neargp_composition <- function(object) object$composition$location

#' @export
fold_by_row.neargp_composition <- function(object, folds) {
  samples <- nrow(object$composition$counts)
  if (length(folds) == samples) rep(folds, length(object$outputs)) else folds
}
