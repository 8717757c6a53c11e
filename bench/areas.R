# Means and totals over areas. How far is the sparse posterior from dense kriging, do intervals cover, and how long do many areas take?
# `spacing` compares standard deviations by the default points with those by many more points, for blocks of three sizes. `accuracy`
# predicts 25 squares over 1,500 points. `coverage` simulates fields and estimates their parameters. Intervals should cover the mean of the
# field over a grid finer than the one of predict_areas(). `speed` takes the cells of a Voronoi tessellation as counties.
#
#   `Rscript bench/areas.R [spacing] [accuracy] [speed] [gstat]`
#   `Rscript bench/areas.R coverage [fields] [gaussian,poisson | known]`

bench_script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(bench_script)) dirname(bench_script) else "bench", "common.R"))
suppressMessages(library(sf))
sf_use_s2(FALSE)

parts <- commandArgs(TRUE)
if (!length(parts)) parts <- c("spacing", "accuracy", "coverage", "speed", "gstat")
describe_run()

unit_square <- st_as_sfc(st_bbox(c(xmin = 0, ymin = 0, xmax = 1, ymax = 1)))
squares <- function(across) st_make_grid(unit_square, n = across)

correlations <- list(
  exponential = list(nu = 0.5, of = function(d) exp(-d)),
  matern32 = list(nu = 1.5, of = function(d) (1 + d) * exp(-d))
)

# Draws a field of variance 1 at locations, which are given as rows.
draw_field <- function(places, correlation, range) {
  S <- correlation$of(as.matrix(dist(places)) / range)
  drop(crossprod(chol(S + diag(1e-8, nrow(S))), rnorm(nrow(S))))
}

# ---- accuracy ---------------------------------------------------------------------------------------------------------------------

# Compares with dense kriging at the same parameters. The results are means in units of their exact standard deviation, ratios of standard
# deviations, and correlations between areas. The ratios are computed by exact solves and by the factor alone.
accuracy_of <- function(name, range, nugget, n = 1500L) {
  set.seed(1)
  correlation <- correlations[[name]]
  data <- data.frame(x = runif(n), y = runif(n))
  data$z <- draw_field(data, correlation, range) + rnorm(n, 0, sqrt(nugget))
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = exact_gp(), nugget = nugget,
    covariance = cov_matern(nu = correlation$nu, variance = 1, range = range))
  areas <- squares(5L)
  exact <- predict(fit, areas, joint = TRUE)
  do.call(rbind, lapply(c(15L, 30L, 60L), function(k) {
    sparse <- predict(fit, areas, joint = TRUE, k = k)
    factor <- by_factor(fit, areas, k)
    between <- abs(cov2cor(attr(sparse, "covariance")) - cov2cor(attr(exact, "covariance")))
    data.frame(covariance = name, range, nugget, k, mean_error = max(abs(sparse$mean - exact$mean) / exact$sd),
      sd_ratio_least = min(sparse$sd / exact$sd), sd_ratio_most = max(sparse$sd / exact$sd),
      factor_least = min(factor / sparse$sd), factor_most = max(factor / sparse$sd), correlation_error = max(between))
  }))
}

# Standard deviations by the incomplete factor, which is used for many areas.
by_factor <- function(fit, areas, k) {
  within <- asNamespace("neargp")
  taken <- within$as_areas(areas, fit)
  settings <- list(fun = "mean", part = "field", k = k, context = within$plain_context(bench_threads()))
  support <- within$area_support(fit, taken, settings)
  latent <- within$latent_of_areas(within$area_observations(fit$method, fit), support, settings, 0L)
  support$node <- latent$node_of_point
  of_field <- within$latent_area_variances(latent, support, settings, 0)
  exact_of_field <- diag(within$latent_area_covariance(latent, support, settings))
  whole <- predict(fit, areas, k = k)$sd^2
  sqrt(whole + of_field - exact_of_field)
}

if ("accuracy" %in% parts) {
  cases <- expand.grid(nugget = c(0.02, 0.3), range = c(0.1, 0.3), name = names(correlations), stringsAsFactors = FALSE)
  save_table(do.call(rbind, Map(accuracy_of, cases$name, cases$range, cases$nugget)), "areas-accuracy")
}

# ---- coverage ---------------------------------------------------------------------------------------------------------------------

inner_grid <- function(across, per_side) {
  corner <- expand.grid(x = seq_len(across) - 1, y = seq_len(across) - 1) / across
  inner <- expand.grid(x = seq_len(per_side) - 0.5, y = seq_len(per_side) - 0.5) / (across * per_side)
  list(x = c(outer(inner$x, corner$x, "+")), y = c(outer(inner$y, corner$y, "+")), area = rep(seq_len(across^2), each = per_side^2))
}

# Returns the share of 16 areas that are covered in one field. Nine tenths of the data in the quarter with the greatest x and y are removed,
# as in a gap.
cover_once <- function(seed, response, n = 300L, across = 4L, per_side = 6L) {
  set.seed(seed)
  fine <- inner_grid(across, per_side)
  data <- data.frame(x = runif(2 * n), y = runif(2 * n))
  data <- data[!(data$x > 0.5 & data$y > 0.5 & runif(2 * n) < 0.9), ][seq_len(n), ]
  field <- draw_field(rbind(data, data.frame(x = fine$x, y = fine$y)), correlations$matern32, 0.12)
  at_points <- field[-seq_len(n)]
  covariance <- cov_matern(nu = 1.5)
  areas <- st_sf(people = 40, geometry = squares(across))
  covered <- function(truth, found) mean(truth >= found$lower & truth <= found$upper)
  if (response == "gaussian") {
    data$z <- 2 + field[seq_len(n)] + rnorm(n, 0, 0.5)
    fit <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 20), covariance = covariance)
    truth <- 2 + tapply(at_points, fine$area, mean)
    found <- predict(fit, areas, interval = "confidence", k = 30)
    everything <- predict(fit, areas, joint = TRUE, k = 30)
    total_sd <- sqrt(sum(attr(everything, "covariance")))
    return(c(mean = covered(truth, found), total = abs(sum(everything$mean) - sum(truth)) < 1.96 * total_sd,
      points_alone = abs(sum(everything$mean) - sum(truth)) < 1.96 * sqrt(sum(everything$sd^2))))
  }
  rate <- exp(0.7 * at_points - 0.3)
  data$count <- rpois(n, exp(0.7 * field[seq_len(n)] - 0.3))
  if (response == "poisson, covariance known") covariance <- cov_matern(nu = 1.5, variance = 0.49, range = 0.12)
  fit <- neargp(count ~ 1, data, coords = ~ x + y, family = poisson(), method = vnngp(), covariance = covariance)
  mean_rate <- tapply(rate, fine$area, mean)
  counts <- rpois(across^2, 40 * mean_rate)
  people <- function(interval) predict(fit, areas, fun = "sum", weights = "people", interval = interval, seed = seed)
  link <- predict(fit, areas, type = "link", interval = "confidence")
  joint <- predict(fit, areas, joint = TRUE, seed = seed, draws = 500)
  normal <- sqrt(sum(attr(joint, "covariance")))
  c(mean = covered(40 * mean_rate, people("confidence")), counts = covered(counts, people("prediction")),
    total = abs(sum(joint$mean) - sum(mean_rate)) < 1.96 * normal,
    exp_of_mean = covered(mean_rate, list(lower = exp(link$lower), upper = exp(link$upper))))
}

if ("coverage" %in% parts) {
  fields <- as.integer(argument(2L, "100"))
  responses <- argument(3L, "gaussian,poisson")
  if (identical(responses, "known")) responses <- "poisson, covariance known"
  rows <- lapply(responses, function(response) {
    found <- vapply(seq_len(fields), function(seed) suppressWarnings(cover_once(seed, response)),
      if (response == "gaussian") double(3) else double(4))
    data.frame(response, what = rownames(found), fields, covered = rowMeans(found),
      standard_error = apply(found, 1L, sd) / sqrt(fields), row.names = NULL)
  })
  save_table(do.call(rbind, rows), if (any(grepl("known", responses))) "areas-coverage-known" else "areas-coverage")
}

# ---- speed ------------------------------------------------------------------------------------------------------------------------

if ("speed" %in% parts) {
  set.seed(2)
  n <- 100000L
  data <- data.frame(x = runif(n), y = runif(n))
  field <- sin(20 * data$x) * cos(15 * data$y)
  data$z <- field + rnorm(n, 0, 0.3)
  centres <- st_sfc(st_multipoint(matrix(runif(6000), 3000)))
  counties <- st_intersection(st_collection_extract(st_voronoi(centres)), unit_square)
  covariance <- cov_matern(nu = 1.5, variance = 0.25, range = 0.03)
  gaussian <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 15), covariance = covariance, nugget = 0.09)
  data$count <- rpois(n, exp(field))
  one <- function(what, areas, expression) {
    run <- timed(expression)
    data.frame(what, areas, points = sum(run$value$points), elapsed = run$elapsed, cpu = run$cpu)
  }
  rows <- rbind(one("gaussian means", 3000L, predict(gaussian, counties)),
    one("gaussian means, joint", 100L, predict(gaussian, counties[1:100], joint = TRUE)))
  save_table(rows, "areas-speed")
  counts <- neargp(count ~ 1, data, coords = ~ x + y, family = poisson(), covariance = covariance)
  save_table(rbind(rows, one("poisson means with limits", 3000L,
    predict(counts, counties, interval = "confidence", seed = 1))), "areas-speed")
}

# ---- spacing ----------------------------------------------------------------------------------------------------------------------

# `excess` is that of the standard deviation by the default points, in percent of the one by 56 x 56 points.
excess_of_block <- function(n, nugget, covariance, side) {
  data <- data.frame(x = runif(n, 0, 100), y = runif(n, 0, 100), z = rnorm(n))
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = exact_gp(), nugget = nugget, covariance = switch(covariance,
    exponential = cov_exponential(variance = 1, range = 18.4, anisotropy = c(angle = 30, ratio = 0.54)),
    matern32 = cov_matern(nu = 1.5, variance = 1, range = 10)))
  block <- st_sf(geometry = st_sfc(st_polygon(list(50 + side / 2 * cbind(c(-1, 1, 1, -1, -1), c(-1, -1, 1, 1, -1))))))
  told <- FALSE
  found <- withCallingHandlers(predict(fit, block), neargp_message_spacing = function(message) {
    told <<- TRUE
    invokeRestart("muffleMessage")
  })
  data.frame(rows = n, nugget, covariance, side, points = found$points, told,
    excess = 100 * (found$sd / predict(fit, block, spacing = side / 56)$sd - 1))
}

if ("spacing" %in% parts) {
  set.seed(3)
  cases <- expand.grid(side = c(10, 33, 60), covariance = c("exponential", "matern32"), nugget = c(0.01, 0.2),
    n = c(60, 250, 800), stringsAsFactors = FALSE)
  save_table(do.call(rbind, Map(excess_of_block, cases$n, cases$nugget, cases$covariance, cases$side)), "areas-spacing")
}

# ---- gstat ------------------------------------------------------------------------------------------------------------------------

# Block kriging from all data, one block after the other.
if ("gstat" %in% parts && has_rival("gstat") && has_rival("sp")) {
  set.seed(3)
  n <- 2000L
  data <- st_as_sf(data.frame(x = runif(n), y = runif(n)), coords = c("x", "y"), crs = 32633)
  data$z <- rnorm(n)
  areas <- st_sf(geometry = st_set_crs(squares(5L), 32633))
  fit <- neargp(z ~ 1, data, method = exact_gp(), nugget = 0.1, covariance = cov_exponential(variance = 0.8, range = 0.2))
  ours <- timed(predict(fit, areas, spacing = 0.05))
  model <- gstat::gstat(formula = z ~ 1, data = as(data, "Spatial"),
    model = gstat::vgm(0.8, "Exp", 0.2, add.to = gstat::vgm(0.1, "Err", 0)))
  theirs <- timed(predict(model, as(areas, "Spatial"), debug.level = 0,
    sps.args = list(n = 16, type = "regular", offset = c(0.5, 0.5))))
  save_table(data.frame(rows = n, areas = 25L, mean_difference = max(abs(ours$value$mean - theirs$value$var1.pred)),
    variance_difference = max(abs(ours$value$sd^2 - theirs$value$var1.var)), neargp_elapsed = ours$elapsed,
    gstat_elapsed = theirs$elapsed), "areas-gstat")
}
