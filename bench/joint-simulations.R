# Compares joint models of several responses with separate fits, on simulated data with known linear predictors. All fields
# are Matérn 3/2 on the unit square with range 0.15. All parameters are estimated.
#
#   Rscript bench/joint-simulations.R [PARTS [SEEDS [FIRST]]]
#
# PARTS: species, preferential, fusion, hurdle, slopes, errors, separated by commas; default: all. SEEDS: the number of data sets of
# each case, by default 2. FIRST: the first seed, by default 1.
#
# `species`: five counts with two factors at 400 locations. The fifth is not seen at half of them. `preferential`: 100
# measurements whose locations depend on the measured field. `fusion`: 40 good measurements of w, and 300 counts of 0.8 w
# and 0.4 of a second field. `hurdle`: presence and amounts of 300 hauls, half of the amounts missing, a quarter left out.
# `slopes`: confidence intervals of slopes from 150 and 600 hauls. `errors`: standard errors of slopes and of the fields'
# covariance from 300 hauls, compared with the spread of the estimates over seeds.
#
# `lpd` is the mean log density of held-out observations. They are those of the fifth species, of the field with noise, or
# of the catch. `rmse` and `coverage` are those of the linear predictor where that response is not observed.

bench_script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
bench_here <- if (length(bench_script)) dirname(bench_script) else "bench"
source(file.path(bench_here, "common.R"))
source(file.path(bench_here, "hurdle-density.R"))

parts <- argument(1L, c("species", "preferential", "fusion", "hurdle", "slopes", "errors"))
seeds <- as.integer(argument(3L, "1")) - 1L + seq_len(as.integer(argument(2L, "2")))
options(neargp.threads = 1L)
describe_run()

# ---- data and measures ------------------------------------------------------------------------------------------------------------

matern <- cov_matern(nu = 1.5)
unit_square <- function(n) data.frame(x = runif(n), y = runif(n))

# The Cholesky factor of the correlation matrix of a field, and draws of independent fields.
field_root <- function(places, range = 0.15) {
  d <- as.matrix(dist(places[c("x", "y")])) / range
  t(chol((1 + d) * exp(-d) + diag(1e-8, nrow(d))))
}
draw_fields <- function(places, count, range = 0.15) field_root(places, range) %*% matrix(rnorm(count * nrow(places)), nrow(places))

single_fit <- function(formula, data, family = gaussian()) {
  suppressMessages(neargp(formula, data, coords = ~ x + y, family = family, covariance = matern, method = vnngp()))
}
joint_fit <- function(...) suppressMessages(neargp(..., coords = ~ x + y))

# Mean and sd of the linear predictor of one response.
predictor_of <- function(fit, newdata, output = NULL) {
  joint <- inherits(fit, "neargp_joint")
  found <- if (joint) predict(fit, newdata, type = "link", outputs = output) else predict(fit, newdata, type = "link")
  ending <- if (joint) paste0("_", output) else ""
  data.frame(mean = found[[paste0("mean", ending)]], sd = found[[paste0("sd", ending)]])
}

accuracy <- function(found, truth) {
  c(rmse = sqrt(mean((found$mean - truth)^2)), coverage = mean(abs(found$mean - truth) < qnorm(0.975) * found$sd))
}

# Other responses of a joint fit are not observed in `newdata`.
log_density <- function(fit, newdata, output = NULL) {
  newdata[setdiff(fit$outputs, output)] <- NA_real_
  found <- as.data.frame(scores(fit, newdata))
  -(if (is.null(output)) found$log_score else found$log_score[found$output == output])
}

one_row <- function(part, case, seed, model, ...) {
  columns <- c("lpd", "rmse", "coverage", "bias", "correlation", "gain", "cpu")
  data.frame(part, case, seed, model, as.list(c(..., setNames(rep(NA_real_, 7L), columns))[columns]))
}

correlation_of <- function(fit) coef(fit, what = "correlation")[1L, 2L]
gain_of <- function(fit) fit$log_likelihood - fit$separate

# ---- species ----------------------------------------------------------------------------------------------------------------------

species_loadings <- rbind(c(0.9, 0), c(0.7, 0.5), c(-0.6, 0.6), c(0.2, -0.8), c(0.8, 0.3))

species_rows <- function(seed, case) {
  set.seed(seed)
  places <- unit_square(400)
  eta <- sweep(draw_fields(places, 2) %*% t(species_loadings), 2, c(0.5, 0, 0.3, 0, -0.7), "+")
  counts <- matrix(rnbinom(2000, size = 3, mu = exp(eta)), 400, dimnames = list(NULL, paste0("s", 1:5)))
  hidden <- if (case == "at random") sample(400, 200) else order(-places$x)[1:200]
  seen <- cbind(places, counts)
  seen$s5[hidden] <- NA
  test <- cbind(places, counts)[hidden, ]
  fifth <- function(model, fitted, output = NULL, ...) {
    found <- predictor_of(fitted$value, test, output)
    one_row("species", case, seed, model, accuracy(found, eta[hidden, 5]), lpd = log_density(fitted$value, test, output),
      bias = mean(found$mean - eta[hidden, 5]), cpu = fitted$cpu, ...)
  }
  joint <- function(rank) timed(joint_fit(cbind(s1, s2, s3, s4, s5) ~ 1, seen, family = negative_binomial(),
    covariance = cov_coregionalisation(matern, rank = rank)))
  two <- joint(2)
  one <- joint(1)
  rbind(fifth("separate", timed(single_fit(s5 ~ 1, seen, negative_binomial()))),
    fifth("joint", two, "s5", gain = gain_of(two$value)), fifth("joint, one factor", one, "s5", gain = gain_of(one$value)))
}

# ---- preferential sampling --------------------------------------------------------------------------------------------------------

preferential_cases <- list(constant = c(0, 0), `1 w` = c(1, 0), `2 w` = c(2, 0), `1 w + own` = c(1, 0.8))

preferential_rows <- function(seed, case) {
  set.seed(1000 + seed)
  cells <- expand.grid(x = (1:20 - 0.5) / 20, y = (1:20 - 0.5) / 20)
  root <- field_root(cells)
  w <- drop(root %*% rnorm(400))
  own <- drop(root %*% rnorm(400))
  share <- preferential_cases[[case]]
  at <- sample(400, 100, TRUE, exp(share[1] * w + share[2] * own))
  cells$count <- tabulate(at, 400)
  truth <- 4 + w
  stations <- data.frame(cells[at, c("x", "y")], level = truth[at] + rnorm(100, 0, 0.3))
  of_map <- function(model, fitted, output = NULL, ...) {
    found <- predictor_of(fitted$value, cells, output)
    one_row("preferential", case, seed, model, accuracy(found, truth), bias = mean(found$mean) - mean(truth), cpu = fitted$cpu, ...)
  }
  joint <- function(own) timed(joint_fit(list(level ~ 1, count ~ 1), list(stations, cells), family = list(gaussian(), poisson()),
    covariance = cov_coregionalisation(matern, rank = 1, own = own)))
  shared <- joint(NULL)
  with_own <- joint(list(count = matern))
  rbind(of_map("separate", timed(single_fit(level ~ 1, stations))),
    of_map("joint", shared, "level", gain = gain_of(shared$value), correlation = correlation_of(shared$value)),
    of_map("joint, counts with an own field", with_own, "level", gain = gain_of(with_own$value), correlation = correlation_of(with_own$value)))
}

# ---- fusion -----------------------------------------------------------------------------------------------------------------------

fusion_rows <- function(seed, case) {
  set.seed(4000 + seed)
  places <- unit_square(500)
  root <- field_root(places)
  w <- drop(root %*% rnorm(500))
  own <- drop(root %*% rnorm(500))
  good <- transform(places[1:40, ], level = 2 + w[1:40] + rnorm(40, 0, 0.2))
  cheap <- transform(places[41:340, ], count = rpois(300, exp(0.5 + 0.8 * w[41:340] + 0.4 * own[41:340])))
  test <- transform(places[341:500, ], level = 2 + w[341:500])
  of_field <- function(model, fitted, output = NULL, ...) {
    one_row("fusion", case, seed, model, accuracy(predictor_of(fitted$value, test, output), test$level),
      lpd = log_density(fitted$value, test, output), cpu = fitted$cpu, ...)
  }
  joint <- timed(joint_fit(list(level ~ 1, count ~ 1), list(good, cheap), family = list(gaussian(), poisson()),
    covariance = cov_coregionalisation(matern, rank = 1, own = list(count = matern))))
  rbind(of_field("separate", timed(single_fit(level ~ 1, good))),
    of_field("joint", joint, "level", gain = gain_of(joint$value), correlation = correlation_of(joint$value)))
}

# ---- hurdle -----------------------------------------------------------------------------------------------------------------------

hurdle_rows <- function(seed, case) {
  set.seed(2000 + seed)
  hauls <- unit_square(400)
  w <- draw_fields(hauls, 2)
  correlation <- as.numeric(case)
  eta <- cbind(1.2 * w[, 1], 1 + 0.8 * (correlation * w[, 1] + sqrt(1 - correlation^2) * w[, 2]))
  hauls$present <- rbinom(400, 1, plogis(eta[, 1]))
  catch <- hauls$present * rgamma(400, 2, 2 / exp(eta[, 2]))
  held_out <- sample(400, 100)
  seen <- setdiff(1:400, held_out)
  caught <- seen[hauls$present[seen] == 1]
  hauls$amount <- replace(rep(NA_real_, 400), caught, catch[caught])
  hauls$amount[sample(caught, round(length(caught) / 2))] <- NA
  row_of <- function(model, presence, amount, covariance, shape, cpu, ...) {
    at <- accuracy(amount, eta[held_out, 2])
    one_row("hurdle", case, seed, model, at, lpd = mean(catch_log_density(catch[held_out], presence, amount, covariance, shape)),
      bias = mean(amount$mean - eta[held_out, 2]), cpu = cpu, ...)
  }
  test <- hauls[held_out, c("x", "y")]
  alone <- timed(list(single_fit(present ~ 1, hauls[seen, ], binomial()),
    single_fit(amount ~ 1, hauls[which(!is.na(hauls$amount)), ], Gamma("log"))))
  both <- timed(joint_fit(list(present ~ 1, amount ~ 1), hauls[seen, ], family = list(binomial(), Gamma("log"))))
  linked <- attr(predict(both$value, test, type = "link", covariance = TRUE), "covariance")[, 1, 2]
  rbind(row_of("separate", predictor_of(alone$value[[1]], test), predictor_of(alone$value[[2]], test), rep(0, 100),
      coef(alone$value[[2]], what = "covariance")[["shape"]], alone$cpu),
    row_of("joint", predictor_of(both$value, test, "present"), predictor_of(both$value, test, "amount"), linked,
      coef(both$value, what = "covariance")[["amount:shape"]], both$cpu, gain = gain_of(both$value),
      correlation = correlation_of(both$value)))
}

# ---- slopes -----------------------------------------------------------------------------------------------------------------------

# Here `coverage` is that of the confidence interval, and `bias` that of the estimate. With more hauls the range is smaller.
slopes_data <- function(seed, size) {
  set.seed(7000 + seed)
  hauls <- unit_square(size)
  hauls$z <- rnorm(size)
  w <- draw_fields(hauls, 2, range = if (size > 150) 0.1 else 0.2)
  hauls$present <- rbinom(size, 1, plogis(0.3 + 1.5 * hauls$z + 1.3 * w[, 1]))
  hauls$amount <- rgamma(size, 3, 3 / exp(1 - 0.5 * hauls$z + 0.6 * w[, 1] + 0.5 * w[, 2]))
  hauls$amount[hauls$present == 0] <- NA
  hauls
}

slopes_rows <- function(seed, case) {
  hauls <- slopes_data(seed, as.integer(case))
  families <- list(present = binomial(), amount = Gamma("log"))
  both <- timed(joint_fit(list(present ~ z, amount ~ z), hauls, family = families))
  rows <- lapply(names(families), function(response) {
    truth <- c(present = 1.5, amount = -0.5)[[response]]
    of_slope <- function(model, estimate, limits, cpu, ...) {
      one_row("slopes", paste0(response, ", ", case), seed, model, bias = unname(estimate) - truth, rmse = abs(unname(estimate) - truth),
        coverage = as.numeric(limits[1L] <= truth && truth <= limits[2L]), cpu = cpu, ...)
    }
    alone <- timed(single_fit(reformulate("z", response), hauls[!is.na(hauls[[response]]), ], families[[response]]))
    name <- paste0(response, ":z")
    rbind(of_slope("separate", coef(alone$value)[["z"]], confint(alone$value)["z", ], alone$cpu),
      of_slope("joint", coef(both$value)[[name]], confint(both$value)[name, ], both$cpu, correlation = correlation_of(both$value)))
  })
  do.call(rbind, rows)
}

# ---- errors -----------------------------------------------------------------------------------------------------------------------

# Slopes, log standard deviations of the fields of both responses, and the Fisher transform of their correlation.
field_summary <- function(B) c(log(sqrt(diag(B))), atanh(B[1L, 2L] / sqrt(B[1L, 1L] * B[2L, 2L])))

# Standard errors from those of the loadings, by differences. A parameter without one counts as known.
field_errors <- function(fit) {
  A <- unclass(fit$loadings)
  rows <- outer(fit$outputs, seq_along(fit$structures), function(m, j) sprintf("loading_%s_f1_%d", m, j))
  V <- matrix(0, length(fit$layout$name), length(fit$layout$name))
  V[fit$spread$rows, fit$spread$rows] <- fit$spread$covariance
  at <- match(rows, fit$layout$name)
  slope <- vapply(seq_along(A), function(i) (field_summary(tcrossprod(replace(A, i, A[i] + 1e-4))) -
    field_summary(tcrossprod(replace(A, i, A[i] - 1e-4)))) / 2e-4, double(3L))
  slope <- sweep(slope, 2L, fit$signs[col(A)], "*")
  sqrt(diag(slope %*% V[at, at] %*% t(slope)))
}

errors_rows <- function(seed, case) {
  fit <- joint_fit(list(present ~ z, amount ~ z), slopes_data(seed, as.integer(case)), family = list(binomial(), Gamma("log")))
  slopes <- c("present:z", "amount:z")
  truth <- tcrossprod(rbind(c(1.3, 0), c(0.6, 0.5)))
  estimate <- c(coef(fit)[slopes], field_summary(tcrossprod(unclass(fit$loadings))))
  error <- c(sqrt(diag(vcov(fit)))[slopes], field_errors(fit))
  names <- c("slope of presence", "slope of amounts", "log sd, presence", "log sd, amounts", "correlation, Fisher's z")
  truth <- c(1.5, -0.5, field_summary(truth))
  data.frame(parameter = names, seed, estimate = unname(estimate), error = unname(error),
    covered = abs(estimate - truth) < qnorm(0.975) * error, row.names = NULL)
}

# Medians and interquartile ranges, since some correlations are close to 1.
summarise_errors <- function(rows) {
  each <- lapply(split(rows, rows$parameter), function(at) data.frame(parameter = at$parameter[1L], seeds = nrow(at),
    error = median(at$error), spread = IQR(at$estimate) / (2 * qnorm(0.75)), sd = sd(at$estimate), coverage = mean(at$covered)))
  table <- do.call(rbind, each)
  transform(table, ratio = round(error / spread, 3), error = round(error, 4), spread = round(spread, 4), sd = round(sd, 4),
    coverage = round(coverage, 3))
}

# ---- all cases --------------------------------------------------------------------------------------------------------------------

cases <- list(species = c("at random", "half of the map"), preferential = names(preferential_cases), fusion = "0.8 w + own", hurdle = c("0.8", "0"),
  slopes = c("150", "600"), errors = "300")

# Values of dense and sparse prototypes in R with other searches, on the same data sets: 10, 6, 8, 8 and 60 seeds.
prototype <- utils::read.csv(text = "part,case,model,prototype_lpd,prototype_rmse,prototype_coverage,prototype_bias
species,at random,separate,-0.972,0.472,0.86,
species,at random,joint,-0.954,0.305,0.953,
species,at random,\"joint, one factor\",-0.983,0.514,0.54,
species,half of the map,separate,-1.027,0.712,0.81,
species,half of the map,joint,-0.979,0.396,0.921,
preferential,constant,separate,,0.270,,0.001
preferential,constant,joint,,0.271,,0
preferential,1 w,separate,,0.369,,0.135
preferential,1 w,joint,,0.313,,-0.035
preferential,2 w,separate,,0.867,0.77,0.581
preferential,2 w,joint,,0.434,0.94,-0.015
preferential,1 w + own,separate,,0.466,,0.227
preferential,1 w + own,\"joint, counts with an own field\",,0.389,,-0.001
fusion,0.8 w + own,separate,-0.385,0.373,0.93,
fusion,0.8 w + own,joint,-0.226,0.307,0.92,
hurdle,0.8,separate,-1.756,0.449,0.93,
hurdle,0.8,joint,-1.745,0.428,0.93 to 0.99,
hurdle,0,separate,-1.697,0.500,0.93,
hurdle,0,joint,-1.695,0.493,0.92 to 0.97,
slopes,\"present, 150\",joint,,,0.95,
slopes,\"amount, 150\",joint,,,0.95,")

# Means over seeds, with the standard error of the difference in log density from separate fits.
summarise <- function(rows) {
  each <- lapply(split(rows, interaction(rows$model, rows$case, rows$part, drop = TRUE)), function(at) {
    base <- rows[rows$part == at$part[1L] & rows$case == at$case[1L] & rows$model == "separate", ]
    difference <- at$lpd - base$lpd[match(at$seed, base$seed)]
    data.frame(at[1L, c("part", "case", "model")], seeds = nrow(at), lapply(at[-(1:4)], function(x) round(mean(x), 4)),
      lpd_difference_se = round(sd(difference) / sqrt(nrow(at)), 4))
  })
  found <- do.call(rbind, each)
  key <- function(x) paste(x$part, x$case, x$model)
  cbind(found, prototype[match(key(found), key(prototype)), -(1:3)])
}

# A name for each part lets parts run at different times.
for (part in parts) {
  rows <- NULL
  for (case in cases[[part]]) {
    for (seed in seeds) rows <- rbind(rows, tryCatch(get(paste0(part, "_rows"))(seed, case), error = function(e) {
      message(part, ", ", case, ", seed ", seed, " failed: ", conditionMessage(e))
    }))
  }
  table <- if (part == "errors") summarise_errors(rows) else summarise(rows)
  print(table, row.names = FALSE, digits = 3)
  save_result(table, paste0("joint-simulations-", part))
}
