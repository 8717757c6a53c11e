# How a deep Gaussian process is trained. Several starts run for half of the epochs. The best of
# them by its score on held-out rows goes on, and ends in the state of its best epoch by that score.
# Restarts matter: one start in six is far worse than the others, and no earlier sign shows it. On
# few rows the variances overfit. Only the weight of the divergence from the prior prevents this
# (regularization), and the same rows choose it.

# `x`, `y`: standardised, y with a column for each output. `settings`: what differs from the
# defaults below, and optionally regularization (NULL: chosen), trials, weights, offset, design,
# session. `start`: a state to go on from, with its rows `held_out`. `report`: a function of the
# share done and a text. `keep`: a function of a state that is the best of its run, its score, and
# the held-out rows.
deep_fit <- function(x, y, settings) {
  settings <- utils::modifyList(deep_defaults(), settings)
  if (!is.null(settings$start)) settings$restarts <- 1L
  y <- as.matrix(y)
  split <- settings$split <- hold_out(x, settings)
  training <- deep_rows(x, y, settings, split$training)
  held_out <- deep_rows(x, y, settings, split$validation)
  candidates <- regularization_candidates(settings, nrow(x), nrow(held_out$x))
  advance <- deep_progress(settings, length(candidates))
  starts <- restarted(training, held_out, settings, candidates[[ceiling(length(candidates) / 2)]],
    advance)
  runs <- lapply(candidates, function(beta) {
    if (beta == starts$best$beta) continued(starts$best, training, held_out, settings, advance)
    else trained(starts$best$start, training, held_out, settings, beta, 0L, settings$epochs, NULL,
      advance)
  })
  scores <- vapply(runs, run_score, 0)
  if (all(is.na(scores))) abort_singular_unit(runs[[1L]]$failure)
  kept <- runs[[which.max(scores)]]
  finished_fit(kept, split, training, held_out, settings, starts$scores,
    data.frame(beta = unlist(candidates), nll = -scores))
}

deep_defaults <- function() {
  list(layers = 2L, width = 5L, inducing = 150L, sites = 8L, rule = "free", skip = "both",
    kernel = list(family = "matern", shape = 2.5),
    family = list(name = "gaussian", parameters = double(0)), covariance = "diagonal",
    score = "mixture", gamma = 1.03, samples = 10L,
    prediction_samples = 32L, epochs = 100L, batch = 1000L, rate = 0.03, restarts = 3L,
    validation = 0.1, seed = 1, context = plain_context(), noise_floor = 1e-4)
}

# Holds out the first rows of a random order, or those that an earlier fit held out.
hold_out <- function(x, settings) {
  n <- nrow(x)
  if (length(settings$held_out)) {
    return(list(validation = settings$held_out, training = setdiff(seq_len(n), settings$held_out)))
  }
  order <- core_order(matrix(0, n, 1L), "random", settings$seed, plain_context())
  held <- if (settings$validation > 0) max(1L, round(settings$validation * n)) else 0L
  list(validation = sort(order[seq_len(held)]), training = sort(order[seq_len(n) > held]))
}

deep_rows <- function(x, y, settings, rows) {
  list(x = x[rows, , drop = FALSE], y = y[rows, , drop = FALSE], trials = settings$trials[rows],
    weights = settings$weights[rows], offset = settings$offset[rows],
    design = if (!is.null(settings$design)) settings$design[rows, , drop = FALSE])
}

# Above 10,000 rows the score is flat over a factor of a hundred.
regularization_candidates <- function(settings, rows, held_out) {
  if (!is.null(settings$regularization)) return(list(settings$regularization))
  if (settings$score != "mixture") return(list(1))
  if (rows >= 1e4 || held_out == 0L) list(0.05) else list(0.05, 0.5, 5)
}

#' @export
fit_method.neargp_deep <- function(method, problem) {
  response <- deep_response(method, problem)
  inputs <- training_inputs(problem, response)
  earlier <- continued_fit(method, problem)
  seed <- method$seed %||% earlier$seed %||% sample.int(1e6L, 1L)
  fitted <- deep_fit(inputs$x, response$y, deep_settings(method, problem, response, seed, earlier))
  inform_lowered(method, fitted$notes)
  state <- prediction_state(fitted$state, seed, method$prediction_samples)
  density <- core_deep_density(state, inputs$x, response$y,
    response[c("trials", "weights", "offset", "design")], problem$context)
  if (!is.null(density$failure)) abort_singular_unit(density$failure)
  log_scale <- density_shift(response)
  network <- with_weights(trained_network(problem), state$network$weights)
  fitted$state <- without_network(fitted$state)
  list(working = working_of_state(state, response),
    beta = trend_of_columns(response, deep_trend(response, state), problem),
    beta_vcov = matrix(0, ncol(problem$data$X), ncol(problem$data$X)), information = NULL,
    value = sum(density$value) - sum(log_scale * known_of_outputs(response)),
    score = "predictive log density", k = NULL,
    convergence = list(converged = NA, message = sprintf("ended after %d epochs",
      nrow(fitted$trace)), iterations = nrow(fitted$trace)), network = network,
    deep = c(in_response_unit(fitted, response, deep_own_settings(method)$score %||% "mixture"),
      list(prediction = without_network(state),
        inputs = inputs$scale %||% feature_scale(layer_rows(inputs$x, network)),
        location = deep_location(response, state), seed = seed, weight = response$weight)))
}

# ---- runs ----------------------------------------------------------------------------------------

# A run of the epochs from + 1 .. to, with what an earlier one of the same start has remembered. A
# state that is continued is a candidate for the best.
trained <- function(state, training, held_out, settings, beta, from, to, memory, advance) {
  of_run <- list(score = settings$score, gamma = settings$gamma, beta = beta,
    epochs = settings$epochs, batch_size = settings$batch, learning_rate = settings$rate,
    key = settings$seed, least_noise = settings$noise_floor, report = advance)
  of_family <- if (length(settings$family$least)) settings$family[c("least", "most")]
  kept <- if (!is.null(settings$keep)) list(keep = function(state, score) settings$keep(state,
    score, settings$split$validation))
  piece <- function(from, to, before) {
    part <- list(from = from, to = to, memory = before$memory %||% memory,
      judge_start = from == 0L && !is.null(settings$start))
    core_deep_train(before$state %||% state, training$x, training$y, held_out, c(of_run, part,
      of_family, kept, training[c("trials", "weights", "offset", "design")]), settings$context)
  }
  run <- trained_in_pieces(settings$session, from, to, piece, nrow(held_out$x) > 0L)
  epochs <- from + seq_along(run$objective)
  run$trace <- data.frame(epoch = epochs, objective = run$objective, validation = run$validation,
    rate = run$rate)
  c(run, list(start = state, beta = beta))
}

# Epoch by epoch, where a checkpoint is kept, else in one piece. `judged`: whether any rows are for
# validation.
trained_in_pieces <- function(session, from, to, piece, judged) {
  in_stage(session, "deep", function(stage) {
    left <- stage$state %||% list(done = from)
    for (until in if (stage$kept && to > from) seq(from + 1L, to) else to) {
      if (!is.null(left$run$failure) || (!is.null(left$run) && until <= left$done)) next
      left <- list(run = joined_pieces(left$run, piece(left$done, until, left$run), judged),
        done = until)
      stage$keep(left)
    }
    left$run
  })
}

# The best epoch is the first one with the highest score, or the last one where nothing judges.
joined_pieces <- function(before, piece, judged) {
  if (is.null(before)) return(piece)
  if (judged && !(best_score(piece) > best_score(before))) piece$best <- before$best
  piece["start_score"] <- before["start_score"]
  for (what in c("objective", "validation", "rate")) piece[[what]] <- c(before[[what]],
    piece[[what]])
  piece
}

# Epochs before the starts are compared.
judged_after <- function(settings) if (settings$restarts > 1L) settings$epochs %/% 2L else 0L

# The first half of the epochs from several starts, of which the best one is returned with the
# scores of all.
restarted <- function(training, held_out, settings, beta, advance) {
  half <- judged_after(settings)
  begin <- function(restart) {
    state <- settings$start %||% with_network(deep_start(layer_rows(training$x, settings$network),
      training$y, settings, settings$seed + 1e5 * restart), settings$network)
    trained(state, training, held_out, settings, beta, 0L, half, NULL, advance)
  }
  runs <- lapply(seq_len(settings$restarts), begin)
  scores <- vapply(runs, run_score, 0)
  if (all(is.na(scores))) abort_singular_unit(runs[[1L]]$failure)
  list(best = runs[[which.max(scores)]], scores = if (half > 0L) data.frame(start = seq_along(runs),
    nll = -scores))
}

# The score on the held-out rows at the best epoch, or on the training rows without held-out ones.
# It is 0 for a run without an epoch, and NA for one that failed.
run_score <- function(run) {
  if (!is.null(run$failure)) return(NA_real_)
  if (!length(run$objective)) return(0)
  if (all(is.na(run$validation))) run$objective[length(run$objective)] else best_score(run)
}

best_score <- function(run) max(run$validation, run$start_score, -Inf, na.rm = TRUE)

continued <- function(run, training, held_out, settings, advance) {
  done <- nrow(run$trace)
  rest <- trained(run$state, training, held_out, settings, run$beta, done, settings$epochs,
    run$memory, advance)
  if (best_score(run) > best_score(rest)) rest$best <- run$best
  rest["start_score"] <- run["start_score"]
  for (what in c("objective", "validation", "rate")) rest[[what]] <- c(run[[what]], rest[[what]])
  rest$trace <- rbind(run$trace, rest$trace)
  rest
}

abort_singular_unit <- function(failure) {
  abort_neargp("cholesky", c(
    sprintf("The covariance matrix of the inducing points of unit %d in layer %d is numerically singular: points %d and %d almost coincide.",
      failure$unit, failure$layer, failure$pair[1L], failure$pair[2L]),
    i = "Use fewer inducing points, or a lower `learning_rate`."))
}

# Tells how far all runs are, in epochs.
deep_progress <- function(settings, candidates) {
  half <- judged_after(settings)
  total <- settings$restarts * half + (settings$epochs - half) + (candidates - 1L) * settings$epochs
  done <- 0L
  function(epoch, objective, validation) {
    done <<- done + 1L
    if (is.null(settings$report)) return(invisible())
    settings$report(done / total, sprintf("epoch %d: objective %.4g, validation %.4g", epoch,
      objective, validation))
  }
}

# ---- the end -------------------------------------------------------------------------------------

finished_fit <- function(run, split, training, held_out, settings, restarts, regularizations) {
  state <- run$best$state
  epoch <- run$best$epoch
  predicted <- prediction_state(state, settings$seed, settings$prediction_samples)
  objective <- run$trace$objective
  before <- max(1L, floor(0.9 * length(objective)))
  notes <- list(regularization = run$beta, regularizations = regularizations, restarts = restarts,
    epoch = epoch, noise_at_floor = any(state$noise <= settings$noise_floor * (1 + 1e-8)),
    effective = 1 / sum(exp(2 * state$log_weights)),
    inducing = vapply(state$layers, function(layer) nrow(layer$units[[1L]]$positions), 0L),
    improving = objective[length(objective)] - objective[before])
  validation <- list(rows = split$validation, nll = held_out_nll(predicted, held_out, settings),
    objective = if (epoch > 0L) objective[epoch] else objective_at(state, training, run$beta,
      settings),
    coverage = if (length(split$validation)) deep_coverage(predicted, held_out, settings))
  warn_deep(nrow(training$x) + nrow(held_out$x), validation, notes, settings, state$family$name)
  list(state = state, trace = run$trace, validation = validation, notes = notes)
}

held_out_nll <- function(state, rows, settings) {
  if (nrow(rows$x)) -
    mean(core_deep_density(state, rows$x, rows$y, rows, settings$context)$value) else NA_real_
}

# For a state with which no epoch ended.
objective_at <- function(state, training, beta, settings) {
  of_rows <- Filter(Negate(is.null), training[c("trials", "weights", "offset", "design")])
  core_deep_objective(state, training$x, training$y,
    c(list(score = settings$score, gamma = settings$gamma, beta = beta, rows = 0L), of_rows),
    settings$context)$value
}

# The share of held-out rows that lie in their central intervals of 95%; none of classes, whose
# intervals hold both.
deep_coverage <- function(state, rows, settings) {
  if (grepl("^binomial", state$family$name) && is.null(rows$trials)) return(NULL)
  inside <- vapply(seq_len(ncol(rows$y)), function(output) {
    pit <- predictive_pit(rows$y[, output], state_mixture(state, rows, output, settings$context))
    mean(pit$upper > 0.025 & pit$lower < 0.975, na.rm = TRUE)
  }, 0)
  mean(inside)
}

warn_deep <- function(rows, validation, notes, settings, family) {
  if (rows < 5000L && settings$score == "mixture") {
    others <- if (family == "gaussian") "exact_gp(), vecchia() and loo_k()" else
      "vnngp() and loo_k()"
    warn_neargp("deep",
      c(sprintf("On %s rows the intervals of a deep Gaussian process may be too short.",
        format_count(rows)), i = paste(others, "have calibrated ones on few rows.")))
  }
  # the robust score is no log density
  gap <- if (settings$score != "robust") validation$objective + validation$nll
  if (isTRUE(gap > 0.3)) {
    warn_neargp("deep", c(
      sprintf("The score of the training rows is %.2f above that of the rows held out (%.2f): the model is overfitting.", gap, -validation$nll),
      i = "Use a larger `regularization`, fewer inducing points, or fewer epochs."))
  }
  if (notes$noise_at_floor) {
    warn_neargp("deep",
      c(sprintf("The noise has fallen to the least that is allowed, %g of the response's variance.",
        settings$noise_floor),
        i = "Responses that take few distinct values do that: judge such a fit by its errors, not by its log score."))
  }
}
