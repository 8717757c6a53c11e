test_that("a session writes and releases its checkpoint however its fit ends", {
  file <- withr::local_tempfile()
  session <- new_session()
  for (work in list(function() 7, function() stop("no"), rlang::interrupt)) {
    length <- write_checkpoint(file, list(), list())
    tryCatch(run_in_session(session, function() {
      session$restore <- list(lock = locked_checkpoint(file), instruction_set = core_simd())
      begin_journal(session, list(path = file, length = length, known = list(), states = list(),
        cost = 0))
      journaled(session, 1, function() 2)
      expect_false(is.null(session$journal))
      work()
    }), error = identity, interrupt = identity)
    expect_null(session$journal)
    expect_null(session$restore)
    expect_false(file.exists(lock_name(file)))
    expect_length(merged_records(read_checkpoint(file)$records)$known, 1)
  }
})

# Notes in `seen()` when a function of a session is called, in place of what it does.
local_seen_calls <- function(names, env = parent.frame()) {
  force(env)
  seen <- character(0)
  for (name in names) local({
    called <- name
    original <- get(called, asNamespace("neargp"))
    withr::defer(utils::assignInNamespace(called, original, "neargp"), env)
    utils::assignInNamespace(called, function(session) seen <<- c(seen, called), "neargp")
  })
  function() seen
}

test_that("the line of progress goes when the checkpoint is released, both after the fit", {
  seen <- local_seen_calls(c("end_checkpoint", "end_progress"))
  expect_identical(run_in_session(new_session(), function() length(seen())), 0L)
  expect_identical(seen(), c("end_checkpoint", "end_progress"))
})

test_that("a fit within a fit leaves the session of the outer one alone", {
  data <- last_data()
  fixed <- cov_exponential(variance = 1, range = 1)
  source <- row_source(function(number) {
    if (number > 2) return(NULL)
    neargp(z ~ 1, data[1:20, ], coords = ~ x + y, method = vecchia(3), covariance = fixed,
      nugget = 0.1)
    data[if (number == 1) 1:100 else 101:200, ]
  })
  local_interrupt(after = 2)
  expect_message(outcome <- tryCatch(neargp(z ~ 1, source, coords = ~ x + y, method = svgp(15),
    covariance = cov_exponential(), threads = 1), interrupt = function(e) "stopped"),
    class = "neargp_message_last")
  expect_identical(outcome, "stopped")
  reached <- neargp_last()
  expect_identical(reached$accepted, 2L)
  expect_identical(reached$call$method, quote(svgp(15)))
})

test_that("nothing that belongs to a call is at package level", {
  environments <- Filter(function(name) is.environment(get(name, asNamespace("neargp"))),
    setdiff(ls(asNamespace("neargp"), all.names = TRUE), c(".__NAMESPACE__.", ".packageName")))
  expect_identical(setdiff(environments, ".__S3MethodsTable__."), "process_state")
  fit <- last_fits()$vecchia()
  expect_null(process_state$last)
  expect_length(process_state$shards, 0)
})
