# Counts of three taxa at 40 locations, `size` in each sample.
taxa_data <- function(size = 20, n = 40, seed = 1) {
  set.seed(seed)
  d <- data.frame(x = runif(n), y = runif(n), elevation = rnorm(n))
  weight <- cbind(oak = exp(1.5 * sin(5 * d$x)), beech = exp(0.5 * d$elevation),
    other = exp(cos(4 * d$y)))
  d$taxa <- t(apply(weight, 1L, function(w) rmultinom(1L, size, w)))
  colnames(d$taxa) <- colnames(weight)
  d
}

fit_taxa <- function(d = taxa_data(), ..., formula = taxa ~ elevation) {
  neargp(formula, d, coords = ~ x + y, family = multinomial(), method = vnngp(k = 8), ...)
}

log_multinomial <- function(counts, eta) {
  rowSums(counts * eta) - rowSums(counts) * log(rowSums(exp(eta))) +
    lfactorial(rowSums(counts)) - rowSums(lfactorial(counts))
}
