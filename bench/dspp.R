# Compares deep sigma point processes and deep Gaussian processes on standardised UCI sets with the test scores of Table 9 of Jankowiak, Pleiss and
# Gardner (2020). Each set is divided 15:3:2 at random into training, test and validation rows. The paper trains for 400 epochs with 300
# inducing points, 10 sites and 3 restarts, and searches over widths of 3 and 5 and the weight of the divergence. Ours train for fewer epochs,
# and hold out a tenth of the training rows. CPU seconds are of one thread. Standard errors are over splits.
#
#   Rscript bench/dspp.R [sets: pol,elevators,kin40k,protein,keggundirected] [splits: 1,2,3] [epochs: 40] [inducing: 150] [width: 5]
#     [sites: 8] [restarts: 1] [rows in a batch: 250] [forms: dspp-qr3-2]
#
# Forms are named as in published.csv. A form is a model of Table 9 with its number of layers. The form bpdgp-2 is the biased predictive deep process
# of Figure 8. It takes 10 draws, where the paper takes 32. QR1 and QR2 take 3 sites for each unit of a layer. Rows go to table dspp. Cases that
# it already contains are skipped. deep-comparison.R compares the forms.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (file in c("common.R", "published.R")) source(file.path(if (length(script)) dirname(script) else "bench", file))

# The models of Table 9. The robustness 1.03 of the gamma divergence is that of Knoblauch et al. (2019).
forms <- list(
  `dspp-qr1-2` = list(dspp, sites = 3L, quadrature = "grid"),
  `dspp-qr2-2` = list(dspp, sites = 3L, quadrature = "symmetric"),
  `dspp-qr3-2` = list(dspp),
  `dspp-qr3-3` = list(dspp, layers = 3L),
  `dgp-2` = list(dgp),
  `dgp-3` = list(dgp, layers = 3L),
  `gamma-dgp-2` = list(dgp, robustness = 1.03),
  `bpdgp-2` = list(dgp, objective = "predictive")
)

method_of <- function(case) {
  form <- forms[[case$form]]
  common <- list(inducing = case$inducing, width = case$width, epochs = case$epochs, restarts = case$restarts, batch_size = case$batch,
    seed = case$split)
  if (identical(form[[1L]], dspp)) common$sites <- case$sites
  do.call(form[[1L]], utils::modifyList(common, form[-1L]))
}

measure <- function(case) {
  data <- standardised_split(case$set, case$split)
  fitted <- timed(suppressWarnings(neargp(y ~ 1, data$training, coords = ~ ., method = method_of(case), threads = 1L, verbose = FALSE)))
  scored <- timed(scores(fitted$value, newdata = data$test, threads = 1L))
  data.frame(case, n = nrow(data$training), cpu_fit = fitted$cpu, cpu_predict = scored$cpu, nll = scored$value$log_score,
    rmse = scored$value$rmse, crps = scored$value$crps, coverage = scored$value$coverage)
}

summarised <- function(rows) {
  configuration <- c("form", "set", "inducing", "width", "epochs", "batch")
  printed <- read_published("dspp")
  do.call(rbind, lapply(split(rows, rows[configuration], drop = TRUE), function(part) {
    own <- printed[printed$method == part$form[1L] & printed$set == part$set[1L], ]
    paper <- function(metric) own$value[match(metric, own$metric)]
    data.frame(part[1L, configuration], splits = nrow(part), nll = mean(part$nll), nll_se = standard_error(part$nll),
      nll_paper = paper("nll"), rmse = mean(part$rmse), rmse_se = standard_error(part$rmse), rmse_paper = paper("rmse"),
      crps = mean(part$crps), crps_se = standard_error(part$crps), crps_paper = paper("crps"), coverage = mean(part$coverage),
      cpu_fit = mean(part$cpu_fit))
  }))
}

settings <- vapply(3:8, function(i) as.integer(argument(i, c("40", "150", "5", "8", "1", "250")[i - 2L])), 0L)
names(settings) <- c("epochs", "inducing", "width", "sites", "restarts", "batch")
describe_run()
sets <- argument(1L, c("pol", "elevators", "kin40k", "protein", "keggundirected"))
for (form in argument(9L, "dspp-qr3-2")) for (split in as.integer(argument(2L, c("1", "2", "3")))) for (set in sets) {
  case <- data.frame(form = form, set = set, split = split, t(settings))
  if (!is_done("dspp", case)) append_result("dspp", measure(case))
}
print(summarised(read_result("dspp")), digits = 3L, row.names = FALSE)
