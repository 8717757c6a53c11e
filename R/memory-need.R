# How much memory a fit takes at its peak, in addition to the data. A fit that would not fit into
# memory is reported before it starts. Otherwise the system would end it hours later, without a
# message. The coefficients are those of bench/memory-need.R, which compares them with measurements.
# Tests check that they are right within a third.

# Bytes. `n` rows, `k` neighbours, `d` coordinates in the core, `q` columns of the trend, `p`
# parameters of covariance and noise, `points`: inducing ones.
memory_need <- function(kind, n, k = 0, d = 2, q = 1, p = 3, points = 0) {
  rows <- 64 * d + 68 * q  # the data in R and in the core, and columns on the way
  40 * 2^20 + switch(kind,
    # indices of the neighbours, in R and in the core
    neighbors = n * (10 * k + rows),
    # the pattern of the posterior's precision has all pairs of neighbours
    vnngp = n * (8 * k^2 + 920 + rows),
    # the covariance matrix and its factor, and for each parameter a derivative and a product
    exact_gp = 8 * n^2 * (2 + 2 * p),
    # features of all rows, as long as they take less than a GiB, and matrices of inducing points
    svgp = n * (250 + rows) + min(8 * n * points, 2^30) + 400 * points^2,
    # loo_k() of classes and families: pseudo-observations of the rows in addition
    observed = n * (10 * k + 150 + rows),
    # the nearest inducing points of each row; root of a full covariance matrix and its optimiser
    swsgp = n * (10 * k + 600 + rows) + 64 * points^2,
    # batches of rows, which are standardised, and the rows as the user has them
    deep = n * (24 * d + 400) + 400 * points^2)
}

# Columns of random effects and smooths, several times, or the slots of compressed ones, and the
# factor of their precision with its inverse.
effect_bytes <- function(data) {
  if (!has_effects(data)) return(0)
  numbers <- as.double(nrow(data$effects$Z)) * ncol(data$effects$Z)
  if (is_compressed(data)) 480 * numbers + 16 * count_coefficients(data)^2 else 56 * numbers
}

# The need of a fit; NULL where there is no table. `k`: with so many neighbours.
memory_need_of <- function(problem, k = problem$method$k %||% 0) {
  method <- problem$method
  kind <- memory_kind(problem)
  data <- problem$data
  if (is.null(kind) || !is.null(data$stream)) return(NULL)
  need <- memory_need(kind, length(data$y), k, ncol(data$coords), max(1L, ncol(data$X)),
    sum(problem$free & problem$layout$kind != "family"),
    switch(kind, svgp = , deep = inducing_count(method, data), swsgp = root_size(method, data),
      0)) + effect_bytes(data)
  if (kind != "vnngp") return(need)
  min(need, memory_need(kind, length(data$y), 0) + factor_bytes(method) + effect_bytes(data))
}

# Returns NULL for fits that take less memory, or have not been measured. These are several
# responses, classes except by loo_k(), low-rank parts, inducing points of vnngp(), and Adam on some
# rows.
memory_kind <- function(problem) value_for(problem$method, memory_kinds, problem)

memory_kinds <- list(default = NULL, method_outputs = NULL, vecchia = "neighbors",
  vecchia_inducing = NULL, vecchia_outputs = NULL, mll_k = "neighbors", mll_k_outputs = NULL,
  exact_gp = "exact_gp", exact_gp_outputs = NULL, exact_gp_cg = "observed",
  loo_k = function(method, problem) if (method$optimizer != "adam") "neighbors",
  loo_k_outputs = NULL, loo_k_families = function(method, problem) observed_kind(method),
  loo_k_classes = function(method, problem) observed_kind(method),
  vnngp = function(method, problem) {
    if (identical(method$factor, "incomplete") && is.null(method$inducing) &&
        !has_latent_low_rank(method)) "vnngp"
  },
  swsgp = "swsgp", deep = "deep", deep_outputs = NULL, svgp = "svgp", svgp_classes = NULL,
  svgp_outputs = NULL)

observed_kind <- function(method) {
  if (method$optimizer != "adam" && method$estimator != "polya-gamma") "observed"
}

inducing_count <- function(method, data) {
  given <- method$inducing
  places <- count_places(data)
  if (is.null(given)) return(min(512, ceiling(places / 4)))
  if (is.null(dim(given))) min(given, places) else nrow(given)
}

# How many points are wanted for n rows.
swsgp_points <- function(method, n) {
  given <- method$inducing
  if (is.null(given)) max(2L, min(1024L, as.integer(ceiling(n / 10)))) else if (is.null(dim(given)))
    given else nrow(given)
}

# The size of the covariance matrix of inducing points in swsgp().
root_size <- function(method, data) {
  if (identical(method$covariance, "full")) swsgp_points(method, nrow(data$coords)) else 0
}

check_exact_size <- function(method, problem) {
  n <- length(problem$data$y)
  if (n <= method$max_rows) return(invisible())
  abort_neargp("size", c(sprintf("exact_gp() takes at most max_rows = %s rows, and there are %s.",
    format_count(method$max_rows), format_count(n)),
    i = "Use vecchia(), or raise max_rows if the memory is available."))
}

# ---- what there is -------------------------------------------------------------------------------

# Bytes that a process may still take: those of options(neargp.memory), else what the system says is
# available, or what is left of its control group's limit where that is less. NA where nothing says.
available_memory <- function() {
  given <- getOption("neargp.memory")
  if (identical(given, Inf)) return(Inf)
  if (!is.null(given)) return(check_number(given, "options(neargp.memory = )", 0))
  least_known(c(system_memory(), group_memory()))
}

least_known <- function(found) if (all(is.na(found))) NA_real_ else min(found, na.rm = TRUE)

system_memory <- function(file = "/proc/meminfo") {
  line <- grep("^MemAvailable:", lines_of(file), value = TRUE)
  if (length(line)) 1024 * first_number(line) else NA_real_
}

# Memory of the group with the least left, among the process' own and those around it; version 2 and
# version 1 of control groups. Pages of files that nobody uses can be had as well.
group_memory <- function(root = "/sys/fs/cgroup", groups = lines_of("/proc/self/cgroup")) {
  folders <- function(base, group) {
    parts <- strsplit(group, "/", fixed = TRUE)[[1L]]
    Reduce(file.path, parts[nzchar(parts)], base, accumulate = TRUE)
  }
  left <- function(folder, limit, used, unused) {
    most <- first_number(lines_of(file.path(folder, limit)))
    now <- first_number(lines_of(file.path(folder, used)))
    idle <- first_number(grep(unused, lines_of(file.path(folder, "memory.stat")), value = TRUE))
    if (is.na(most) || is.na(now) || most > 2^60) return(NA_real_)
    most - now + (if (is.na(idle)) 0 else idle)
  }
  unified <- sub("^0::", "", grep("^0::", groups, value = TRUE))
  old <- sub("^[^:]*:[^:]*:", "", grep("^[0-9]+:([^:]*,)?memory(,[^:]*)?:", groups, value = TRUE))
  least_known(c(
    vapply(unlist(lapply(unified, folders, base = root)), left, 0, "memory.max", "memory.current",
      "^inactive_file "),
    vapply(unlist(lapply(old, folders, base = file.path(root, "memory"))), left, 0,
      "memory.limit_in_bytes", "memory.usage_in_bytes", "^total_inactive_file ")))
}

# None of a file that is not there.
lines_of <- function(file) {
  if (!file.exists(file)) return(character(0))
  tryCatch(readLines(file, warn = FALSE), error = function(e) character(0))
}

first_number <- function(lines) {
  number <- regmatches(lines, regexpr("[0-9]+", lines))
  if (length(number)) as.double(number[1L]) else NA_real_
}

# ---- the check -----------------------------------------------------------------------------------

# An error where the need is beyond doubt, a warning where it may be more than there is.
check_memory_need <- function(problem, device) {
  if (device == "cuda") return(invisible())
  need <- memory_need_of(problem)
  if (is.null(need)) return(invisible())
  available <- available_memory()
  if (is.na(available) || need <= available) return(invisible())
  report <- if (need > memory_margin * available) abort_neargp else warn_neargp
  report("memory", c(sprintf("This fit needs about %s of memory in addition to its data, and %s are available.",
    format_bytes(need), format_bytes(available)), i = memory_remedy(problem, available),
    i = "If more memory is available, set options(neargp.memory = ) to a number of bytes, or to Inf to skip this check."))
}

memory_margin <- 4 / 3

memory_remedy <- function(problem, available) {
  kind <- memory_kind(problem)
  if (effect_bytes(problem$data) > available) {
    return(sprintf("Merge levels: %s", largest_block(problem$data)))
  }
  if (kind == "deep") return("Use a part of the rows by `subset`.")
  if (kind == "exact_gp") return("Use vecchia(), whose memory grows with the number of rows and not with its square.")
  if (kind == "svgp") return("Use fewer inducing points, or rows from a row_source(), which stay on disk.")
  smaller <- largest_k(problem, available)
  if (!is.null(smaller)) return(sprintf("k = %d would fit. Or use a part of the rows by `subset`, or svgp() with a row_source().", smaller))
  "Use a part of the rows by `subset`, or svgp() with a row_source(), which leaves them on disk."
}

# NULL where none fits.
largest_k <- function(problem, available) {
  ks <- seq_len(problem$method$k)
  fits <- vapply(ks, function(k) memory_need_of(problem, k) <= available, NA)
  if (any(fits)) max(ks[fits])
}

format_bytes <- function(bytes) {
  if (bytes < 2^30) return(sprintf("%s MiB", format(signif(bytes / 2^20, 3L))))
  sprintf("%s GiB", format(signif(bytes / 2^30, 3L)))
}
