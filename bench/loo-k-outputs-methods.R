# The four methods of Table 7 of the LOO-k paper (Jankowiak and Pleiss 2022), with a linear model of coregionalisation. Baxter, Kuka and the training
# file of Sarcos are not available. We use naval with two outputs, and the first outputs of the test file of Sarcos. Both sets are reduced to fewer
# rows, since loo_k() and mll_k() fit several responses with all rows. Mini-batches support only one response.
#
# Inputs and outputs are standardised, and the splits are 15:3:2. The covariance is Matérn 5/2 with a range for each input. We use k = 16 and 128
# inducing points. The paper uses k = 16 or 32 and 300 points. Scores are means over outputs. Column "joint" is the log score of all outputs of a row
# together, divided by their number.
#
#   Rscript bench/loo-k-outputs-methods.R [sets: naval,sarcos_test] [training rows: 1000] [outputs at most: 3] [splits: 1:3] [methods]
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (file in c("common.R", "published.R", "outputs-fits.R")) source(file.path(if (length(script)) dirname(script) else "bench", file))

sets <- argument(1L, c("naval", "sarcos_test"))
rows_wanted <- as.integer(argument(2L, "1000"))
outputs_wanted <- as.integer(argument(3L, "3"))
splits <- eval(str2lang(argument(4L, "1:3")))

methods <- list(svgp = svgp(128L, std_error = FALSE), ppgpr = ppgpr(128L, joint = TRUE, covariance = "diagonal"), mll_k = mll_k(16L),
  loo_k = loo_k(16L))
chosen <- argument(5L, names(methods))

prepared_outputs <- function(set, split) {
  loaded <- standardised_outputs(set, c(naval = "^y[0-9]$", sarcos_test = "^tau")[[set]])
  kept <- utils::head(loaded$outputs, outputs_wanted)
  inputs <- setdiff(names(loaded$data), loaded$outputs)
  parts <- split_rows(nrow(loaded$data), split)
  set.seed(split)
  train <- loaded$data[sort(sample(parts$training, min(rows_wanted, length(parts$training)))), c(inputs, kept)]
  list(train = train, test = loaded$data[parts$test, c(inputs, kept)], outputs = kept, coords = loaded$coords)
}

run <- function(set, split, name) {
  case <- data.frame(set = set, split = split, method = name, n = rows_wanted)
  if (is_done("loo-k-outputs-methods", case)) return(invisible())
  data <- prepared_outputs(set, split)
  set.seed(split)
  result <- suppressWarnings(joint(data$outputs, "1", data$train, data$test, data$coords, methods[[name]], cov_matern(nu = 2.5, ard = TRUE),
    together = name != "ppgpr"))
  scored <- mean_scores(name, result$observed, result$mean, result$sd, result$covariance, result$cpu)
  append_result("loo-k-outputs-methods", data.frame(case, outputs = length(data$outputs), scored[names(scored) != "model"]))
}

describe_run()
for (set in sets) for (split in splits) for (name in chosen) run(set, split, name)
