# Nearest neighbours that add no information (Jankowiak and Pleiss 2022, section 5.5 and Table 5). Each training row gets a noisy replicate, with
# normal noise of variance 1e-4 on each predictor and on the response. Half of all neighbours are then copies. Predictors and response are
# standardised. The covariance is Matérn 5/2 with a range for each predictor.
#
# LOO-64 is compared with mll_k(), which scores each neighbourhood jointly, and with vecchia(). In vecchia() a copy is the neighbour of one row only.
# The default runs loo_k() and svgp() alone. svgp() uses 128 inducing points, and the paper's SVGP uses 512. The paper's other two sets, Bike and
# Slice, are not available.
#
#   Rscript bench/loo-k-degenerate.R [sets, comma-separated] [splits, e.g. 1:2] [k, 64] [rows at most] [methods, comma-separated: loo_k,svgp]

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (file in c("common.R", "published.R")) source(file.path(if (length(script)) dirname(script) else "bench", file))

arguments <- commandArgs(TRUE)
sets <- if (length(arguments) > 0L) strsplit(arguments[[1L]], ",")[[1L]] else c("elevators", "pol")
splits <- if (length(arguments) > 1L) eval(str2lang(arguments[[2L]])) else 1L
k <- if (length(arguments) > 2L) as.integer(arguments[[3L]]) else 64L
at_most <- as.numeric(argument(4L, "Inf"))
chosen <- argument(5L, c("loo_k", "svgp"))

# Log likelihood and RMSE of the paper's LOO-64 and SVGP-512.
paper <- read.csv(text = "set,data,loo_ll,loo_rmse,svgp_ll,svgp_rmse
elevators,original,-0.414,0.369,-1.111,0.505
elevators,degenerate,-3.783,0.676,-1.107,0.493
pol,original,1.162,0.077,-1.040,0.367
pol,degenerate,0.689,0.128,-1.054,0.393")

standardized <- function(set, split) {
  rows <- bench_data(set)
  inputs <- scale(as.matrix(rows[setdiff(names(rows), c("y", "fold"))]))
  data <- data.frame(inputs, y = drop(scale(rows$y)))
  set.seed(split)
  data <- data[sample.int(nrow(data), min(nrow(data), at_most)), ]
  # Predictors that do not vary among the training rows are dropped, since their ranges cannot be estimated.
  training <- seq_len(round(0.75 * nrow(data)))
  data[vapply(data[training, ], function(x) all(is.finite(x)) && length(unique(x)) > 1L, NA)]
}

with_replicates <- function(data) {
  copies <- data
  copies[] <- lapply(copies, function(x) x + rnorm(length(x), sd = 0.01))
  rbind(data, copies)
}

methods <- list(loo_k = loo_k(k, optimizer = "adam", steps = 600L), mll_k = mll_k(k), vecchia = vecchia(k),
  svgp = svgp(128L, std_error = FALSE))[chosen]

run <- function(set, split, name, train, test, label) {
  case <- data.frame(set = set, split = split, rows = nrow(train), data = label, method = name)
  if (is_done("loo-k-degenerate", case)) return(invisible())
  fit <- NULL
  seconds <- cpu_seconds(fit <- suppressWarnings(neargp(y ~ 1, train, coords = ~ ., covariance = cov_matern(2.5, ard = TRUE), threads = 1L,
    method = methods[[name]], verbose = FALSE)))
  scored <- scores(fit, newdata = test, k = if (name != "svgp") k)
  ranges <- coef(fit, "covariance")
  append_result("loo-k-degenerate", data.frame(case, log_likelihood = -scored$log_score, rmse = scored$rmse, coverage = scored$coverage,
    noise = sqrt(fit$nugget), median_range = stats::median(ranges[grepl("^range", names(ranges))]), cpu = seconds))
}

describe_run()
for (set in sets) for (split in splits) {
  data <- standardized(set, split)
  rows <- seq_len(round(0.75 * nrow(data)))
  test <- data[seq(round(0.75 * nrow(data)) + 1, round(0.9 * nrow(data))), ]
  for (label in c("original", "degenerate")) for (name in names(methods)) {
    set.seed(split)
    train <- if (label == "original") data[rows, ] else with_replicates(data[rows, ])
    run(set, split, name, train, test, label)
  }
}
results <- read_result("loo-k-degenerate")
print(results[results$set %in% sets, ], digits = 3, row.names = FALSE)
print(paper[paper$set %in% sets, ], row.names = FALSE)
