# Several responses: compares a linear model of coregionalisation by LOO-k with separate fits of each response, and with cokriging by gstat.
#
# Part jura uses gstat's data (Goovaerts 1997): 259 samples with cadmium, nickel and zinc. It predicts cadmium at 100 further locations. In the
# "heterotopic" case nickel and zinc are known at these 100 locations.
#
# Part meuse uses sp's data: the logarithms of four metals at 155 locations, in ten folds.
#
# Parts naval and sarcos_test are our substitutes for Table 7 of the LOO-k paper (Jankowiak and Pleiss 2022). Predictors and responses are
# standardised. The splits are 15:3:2, and the covariance uses one range for each predictor.
#
# Part sarcos_small fits all responses of sarcos_test with few rows. It does not run by default. The arguments for splits and models apply only to
# naval and sarcos_test.
#
#   Rscript bench/loo-k-outputs.R [parts, comma-separated: jura,meuse,naval,sarcos_test] [splits, e.g. 1:3] [models, a pattern]
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))
source(file.path(bench_folder(), "outputs-fits.R"))

arguments <- commandArgs(TRUE)
parts <- if (length(arguments) > 0L) strsplit(arguments[[1L]], ",")[[1L]] else c("jura", "meuse", "naval", "sarcos_test")
splits <- if (length(arguments) > 1L) eval(str2lang(arguments[[2L]])) else 1:3
wanted <- if (length(arguments) > 2L) arguments[[3L]] else "."
describe_run(c("gstat", "sp"))

# gstat as its authors use it in demo(cokriging). fit.lmc() fits the variograms of all pairs, starting from a common model. It uses the complete rows
# only, because other rows produce pairs at distance zero, which it refuses. Cokriging then uses the nearest observations of each variable.
gstat_cokriging <- function(outputs, train, test, model, nmax = 30) {
  variables <- function(rows, ...) {
    g <- NULL
    for (output in outputs) {
      own <- rows[!is.na(rows[[output]]), ]
      sp::coordinates(own) <- ~ x + y
      g <- gstat::gstat(g, output, stats::reformulate("1", output), own, nmax = nmax, ...)
    }
    g
  }
  took <- timed({
    complete <- gstat::gstat(variables(train[stats::complete.cases(train), ]), model = model, fill.all = TRUE)
    fitted <- gstat::fit.lmc(gstat::variogram(complete), complete, correct.diagonal = 1.01)
    g <- variables(train)
    g$model <- fitted$model
    sp::coordinates(test) <- ~ x + y
    suppressWarnings(utils::capture.output(predicted <- predict(g, test)))
    predicted
  })
  list(mean = sapply(outputs, function(o) took$value[[paste0(o, ".pred")]]),
    sd = sapply(outputs, function(o) sqrt(pmax(took$value[[paste0(o, ".var")]], 0))), cpu = took$cpu)
}

# ---- geostatistics ----------------------------------------------------------------------------------------------------------------

matern_lmc <- function(k_other = NULL, leave_out = "location") {
  list(method = loo_k(k = 30, k_other = k_other, leave_out = leave_out), covariance = cov_matern(nu = 0.5))
}

run_jura <- function() {
  if (!has_rival("gstat") || !has_rival("sp")) return(NULL)
  place <- new.env()
  utils::data("jura", package = "gstat", envir = place)
  metals <- c("Cd", "Ni", "Zn")
  take <- function(d) data.frame(x = d$Xloc, y = d$Yloc, d[metals])
  train <- take(place$prediction.dat)
  test <- take(place$validation.dat)
  both <- rbind(train, transform(test, Cd = NA))
  one_output <- function(name, result) mean_scores(name, test["Cd"] |> as.matrix(), cbind(result$mean[, 1L]), cbind(result$sd[, 1L]), seconds = result$cpu)
  rows <- list(one_output("separate", separate("Cd", "1", train, test, ~ x + y, loo_k(k = 30), cov_exponential())))
  for (leave_out in c("location", "row")) for (k_other in c(2L, 4L, 8L, 30L)) {
    s <- matern_lmc(k_other, leave_out)
    label <- sprintf("%s, k_other = %d", leave_out, k_other)
    rows <- c(rows, list(one_output(paste("isotopic:", label), joint(metals, "1", train, test, ~ x + y, s$method, s$covariance)),
      one_output(paste("heterotopic:", label), joint(metals, "1", both, test, ~ x + y, s$method, s$covariance))))
  }
  s <- matern_lmc()
  rows <- c(rows, list(one_output("isotopic: location, two structures", joint(metals, "1", train, test, ~ x + y, loo_k(k = 30),
    cov_exponential() + cov_exponential())),
    one_output("heterotopic: location, two structures", joint(metals, "1", both, test, ~ x + y, loo_k(k = 30), cov_exponential() + cov_exponential())),
    one_output("isotopic: vecchia(), two structures", joint(metals, "1", train, test, ~ x + y, vecchia(k = 30),
    cov_exponential() + cov_exponential())),
    one_output("heterotopic: vecchia(), two structures", joint(metals, "1", both, test, ~ x + y, vecchia(k = 30), cov_exponential() + cov_exponential()))))
  model <- gstat::vgm(1, "Exp", 0.4, 0.3)
  rows <- c(rows, list(one_output("gstat isotopic", gstat_cokriging(metals, train, test, model)),
    one_output("gstat heterotopic", gstat_cokriging(metals, both, test, model))))
  save_table(do.call(rbind, rows), "loo-k-outputs-jura")
}

run_meuse <- function() {
  if (!has_rival("gstat") || !has_rival("sp")) return(NULL)
  place <- new.env()
  utils::data("meuse", package = "sp", envir = place)
  metals <- c("cadmium", "copper", "lead", "zinc")
  d <- data.frame(place$meuse[c("x", "y")], log(place$meuse[metals]))
  set.seed(1)
  fold <- sample(rep_len(1:10, nrow(d)))
  models <- list(
    separate = function(train, test) separate(metals, "1", train, test, ~ x + y, loo_k(k = 30), cov_exponential()),
    "location, k_other = 3" = function(train, test) joint(metals, "1", train, test, ~ x + y, loo_k(30, k_other = 3), cov_exponential(), together = TRUE),
    "row, k_other = 3" = function(train, test) joint(metals, "1", train, test, ~ x + y, loo_k(30, k_other = 3, leave_out = "row"), cov_exponential(), together = TRUE),
    "location, k_other = 10" = function(train, test) joint(metals, "1", train, test, ~ x + y, loo_k(30, k_other = 10), cov_exponential(), together = TRUE),
    "location, two structures" = function(train, test) joint(metals, "1", train, test, ~ x + y, loo_k(30), cov_exponential() + cov_exponential(), together = TRUE),
    "vecchia()" = function(train, test) joint(metals, "1", train, test, ~ x + y, vecchia(30), cov_exponential(), together = TRUE),
    gstat = function(train, test) gstat_cokriging(metals, train, test, gstat::vgm(0.5, "Exp", 300, 0.1))
  )
  rows <- lapply(names(models), function(name) {
    pieces <- lapply(1:10, function(f) models[[name]](d[fold != f, ], d[fold == f, ]))
    bind <- function(what) do.call(rbind, lapply(pieces, `[[`, what))
    covariance <- if (!is.null(pieces[[1L]]$covariance)) {
      array(do.call(rbind, lapply(pieces, function(x) matrix(x$covariance, ncol = 16L))), c(nrow(d), 4L, 4L))
    }
    observed <- as.matrix(do.call(rbind, lapply(1:10, function(f) d[fold == f, metals])))
    mean_scores(name, observed, bind("mean"), bind("sd"), covariance, sum(vapply(pieces, `[[`, 0, "cpu")))
  })
  save_table(do.call(rbind, rows), "loo-k-outputs-meuse")
}

# ---- the paper's kind of data -----------------------------------------------------------------------------------------------------

run_robot <- function(set, pattern, splits) {
  loaded <- standardised_outputs(set, pattern)
  data <- loaded$data
  outputs <- loaded$outputs
  coords <- loaded$coords
  covariance <- cov_matern(nu = 2.5, ard = TRUE)
  rows <- lapply(splits, function(split) {
    row_sets <- split_rows(nrow(data), split)
    train <- data[row_sets[[1L]], ]
    test <- data[row_sets[[2L]], ]
    models <- list(separate = function() separate(outputs, "1", train, test, coords, loo_k(k = 32, optimizer = "bfgs"), covariance))
    for (leave_out in c("location", "row")) for (k_other in c(1L, 4L)) {
      models[[sprintf("%s, k_other = %d", leave_out, k_other)]] <- local({
        method <- loo_k(k = 32, k_other = k_other, leave_out = leave_out)
        function() joint(outputs, "1", train, test, coords, method, covariance, together = TRUE)
      })
    }
    do.call(rbind, lapply(grep(wanted, names(models), value = TRUE), function(name) {
      result <- models[[name]]()
      row <- data.frame(set = set, split = split, mean_scores(name, result$observed, result$mean, result$sd, result$covariance, result$cpu))
      print(row, row.names = FALSE)
      row
    }))
  })
  save_table(do.call(rbind, rows), paste0("loo-k-outputs-", set))
}

# With 800 training locations and k = 20, all responses together take half a minute.
run_small <- function() {
  raw <- bench_data("sarcos_test")
  outputs <- grep("^tau", names(raw), value = TRUE)
  inputs <- scale(as.matrix(raw[setdiff(names(raw), c(outputs, "fold"))]))
  data <- data.frame(inputs, scale(as.matrix(raw[outputs])))
  coords <- stats::as.formula(paste("~", paste(colnames(inputs), collapse = " + ")))
  set.seed(1)
  rows <- sample.int(nrow(data))
  train <- data[rows[1:800], ]
  test <- data[rows[3700:4449], ]
  covariance <- cov_matern(nu = 2.5, ard = TRUE)
  result <- separate(outputs, "1", train, test, coords, loo_k(k = 20, optimizer = "bfgs"), covariance)
  rows <- list(mean_scores("separate", result$observed, result$mean, result$sd, seconds = result$cpu))
  for (k_other in c(1L, 3L)) {
    result <- joint(outputs, "1", train, test, coords, loo_k(k = 20, k_other = k_other), covariance, together = TRUE,
      control = neargp_control(max_refreshes = 3))
    rows <- c(rows, list(mean_scores(sprintf("k_other = %d", k_other), result$observed, result$mean, result$sd, result$covariance, result$cpu)))
  }
  save_table(do.call(rbind, rows), "loo-k-outputs-sarcos-small")
}

for (part in parts) {
  switch(part, jura = run_jura(), meuse = run_meuse(), sarcos_small = run_small(), naval = run_robot("naval", "^y[0-9]$", splits), sarcos_test = run_robot("sarcos_test", "^tau", splits),
    stop("There is no part called ", part, ".", call. = FALSE))
}
