# The error of nearest neighbours in joint fits to areas. 16 squares of 16 points and 120 stations share two fields with fixed
# parameters. The log-likelihood and posterior standard deviations are compared with those by all locations as neighbours.
#
#   NEARGP_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/joint-areas.R

bench_script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(bench_script)) dirname(bench_script) else "bench", "common.R"))
describe_run()

internal <- function(name) get(name, asNamespace("neargp"))
across <- 4L
per_side <- 4L

points_of_squares <- function() {
  cell <- (seq_len(across * per_side) - 0.5) / (across * per_side)
  points <- expand.grid(x = cell, y = cell)
  points$area <- floor(points$x * across) + across * floor(points$y * across) + 1
  points[order(points$area), ]
}

# The fits at which a search would begin, after two iterations. Their parameters are not used.
parts_of <- function(nu) {
  set.seed(1)
  points <- points_of_squares()
  stations <- data.frame(x = runif(120), y = runif(120))
  field <- function(p) sin(6 * p$x) + cos(5 * p$y)
  stations$z <- field(stations) + rnorm(120, sd = 0.2)
  squares <- aggregate(points[c("x", "y")], points["area"], mean)
  squares$z <- as.vector(tapply(field(points), points$area, mean)) + rnorm(across^2, sd = 0.1)
  parts <- lapply(list(stations = stations, squares = squares), function(d) {
    suppressWarnings(neargp(z ~ 1, d, coords = ~ x + y, family = gaussian(), method = vnngp(k = 8),
      covariance = cov_matern(nu = nu), control = neargp_control(max_iterations = 2)))
  })
  parts$squares$areas <- list(coords = as.matrix(points[c("x", "y")]), row = points$area, weight = rep(per_side^-2,
    nrow(points)))
  parts
}

posterior_at <- function(parts, nu, range, k) {
  component <- cov_matern(nu = nu)$components[[1L]]
  factor <- if (k > 100L) "exact" else "incomplete"
  problem <- internal("new_joint_problem")(parts, lapply(1:2, function(of) internal("new_structure")(component, 1L, of = of)),
    vnngp(k = k, factor = factor), neargp_control(), internal("plain_context")(1L), internal("new_session")())
  latent <- internal("joint_latent")(problem, internal("joint_search")(problem, problem$start))
  layout <- problem$layout
  working <- problem$start
  working[internal("loading_rows")(layout, 2L)] <- c(0.9, 0.5, 0.2, 0.6)
  working[layout$kind == "range"] <- log(range)
  working[layout$kind == "nugget"] <- log(c(0.04, 0.01))
  value <- internal("fields_objective")(problem, latent)$fit_at(working, 1e-8)$value
  sd <- sqrt(internal("core_latent_state")(latent, problem$context)$variance)
  list(value = value, sd = split(sd, problem$response))
}

table <- NULL
for (nu in c(0.5, 1.5, 2.5)) {
  parts <- parts_of(nu)
  for (range in c(0.2, 0.6)) {
    all <- posterior_at(parts, nu, range, 375L)
    for (k in c(15L, 20L, 30L, 45L, 60L)) {
      found <- posterior_at(parts, nu, range, k)
      error <- function(m) max(abs(found$sd[[m]] / all$sd[[m]] - 1))
      table <- rbind(table, data.frame(nu = nu, range = range, k = k, log_likelihood_error = round(found$value - all$value, 3),
        sd_error_areas = round(error(2L), 4), sd_error_stations = round(error(1L), 4)))
    }
  }
}
print(table, row.names = FALSE)
save_result(table, "joint-areas")
