# Compares results of neargp with numbers that another package prints, tests for, or computes here. chk() keeps a row of the table.
suppressPackageStartupMessages(library(neargp))
options(neargp.threads = 1, digits = 8, warn = 1)
out <- Sys.getenv("PEERS_OUT", tempdir())   # folder of the tables of results
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
script <- sub("[.]R$", "", basename(script))
rows <- NULL

# expected, got: numeric vectors of one length. better = "lower"/"higher": got may be better than expected by any amount.
chk <- function(id, source, what, expected, call, tol = 1e-5, better = NULL, note = "") {
  text <- gsub(" +", " ", paste(deparse(substitute(call), width.cutoff = 500), collapse = " "))
  t0 <- proc.time()[["elapsed"]]
  msgs <- character()
  got <- withCallingHandlers(
    tryCatch(call, error = function(e) structure(conditionMessage(e), class = "failed", cls = class(e)[1])),
    warning = function(w) { msgs <<- c(msgs, paste0("W:", class(w)[1], ": ", conditionMessage(w))); invokeRestart("muffleWarning") },
    message = function(m) { msgs <<- c(msgs, paste0("M:", class(m)[1])); invokeRestart("muffleMessage") })
  secs <- proc.time()[["elapsed"]] - t0
  if (inherits(got, "failed")) {
    verdict <- "ERROR"; d <- NA; shown <- paste0(attr(got, "cls"), ": ", substr(gsub("\n", " ", unclass(got)), 1, 300))
  } else {
    got <- as.numeric(unlist(got)); expected <- as.numeric(unlist(expected))
    shown <- paste(signif(got, 8), collapse = " ")
    if (length(got) != length(expected)) { verdict <- "LENGTH"; d <- NA } else {
      dd <- got - expected; d <- if (all(is.na(dd))) NA else dd[which.max(abs(dd))]
      ok <- all(is.finite(dd)) && all(abs(dd) <= tol)
      if (!ok && !is.null(better)) ok <- all(if (better == "lower") dd <= tol else dd >= -tol)
      verdict <- if (isTRUE(ok)) "equal" else "DIFF"
    }
  }
  row <- data.frame(script = script, id = id, source = source, what = what, call = substr(text, 1, 200), expected = paste(signif(expected, 8), collapse = " "),
    got = shown, difference = signif(d, 3), tol = tol, verdict = verdict, seconds = round(secs, 2),
    note = paste(c(note, unique(substr(msgs, 1, 160))), collapse = " | "))
  rows <<- rbind(rows, row)
  cat(sprintf("%-8s %-7s d=%-10s %5.1fs %s\n   exp %s\n   got %s\n%s", id, verdict, format(row$difference), secs, what,
    substr(row$expected, 1, 220), substr(shown, 1, 220), if (nzchar(gsub("[ |]", "", row$note))) paste0("   note ", row$note, "\n") else ""))
  utils::write.csv(rows, file.path(out, paste0(script, ".csv")), row.names = FALSE)
  invisible(got)
}
ll <- function(fit, ...) as.numeric(logLik(fit, ...))
est <- function(fit) coef(fit, what = "covariance")
se <- function(fit) sqrt(diag(vcov(fit, what = "covariance")))

# Dense oracle: Gaussian likelihood, GLS, universal kriging, from a covariance matrix V of the observations.
dense <- function(y, X, V, V0 = NULL, X0 = NULL, v00 = NULL, reml = FALSE) {
  n <- length(y); R <- chol(V); z <- backsolve(R, y, transpose = TRUE)
  r <- list()
  if (is.null(X) || ncol(X) == 0) {
    e <- z; r$ll <- -n / 2 * log(2 * pi) - sum(log(diag(R))) - sum(z^2) / 2
    if (!is.null(V0)) {
      W <- backsolve(R, t(V0), transpose = TRUE)
      r$mean <- drop(crossprod(W, z)); r$cov <- v00 - crossprod(W)
    }
    return(r)
  }
  A <- backsolve(R, X, transpose = TRUE); Q <- crossprod(A); b <- solve(Q, crossprod(A, z)); e <- z - A %*% b
  r$beta <- drop(b); r$se <- sqrt(diag(solve(Q)))
  r$ll <- -n / 2 * log(2 * pi) - sum(log(diag(R))) - sum(e^2) / 2
  p <- ncol(X)
  r$reml <- -(n - p) / 2 * log(2 * pi) - sum(log(diag(R))) - as.numeric(determinant(Q)$modulus) / 2 - sum(e^2) / 2
  if (!is.null(V0)) {
    W <- backsolve(R, t(V0), transpose = TRUE); G <- t(X0) - crossprod(A, W)
    r$mean <- drop(X0 %*% b + crossprod(W, e)); r$simple <- v00 - crossprod(W); r$cov <- r$simple + t(G) %*% solve(Q, G)
  }
  r
}
cross <- function(a, b) { a <- as.matrix(a); b <- as.matrix(b); s <- 0; for (j in seq_len(ncol(a))) s <- s + outer(a[, j], b[, j], "-")^2; sqrt(s) }

# The linear congruential generator of GPBoost's tests: x <- (22695477 x + 1) mod 2^32.
lcg <- function(n, start = 0.1) {
  m <- 4294967296; x <- numeric(n); x[1] <- floor(start * m)
  for (i in seq_len(n)[-1]) x[i] <- (22695477 * x[i - 1] + 1) %% m
  x / m
}
