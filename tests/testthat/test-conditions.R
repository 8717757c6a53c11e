test_that("every error is of its own class and of the common one", {
  expect_error(abort_neargp("thing", "Wrong."), class = "neargp_error_thing")
  expect_error(abort_neargp("thing", "Wrong."), class = "neargp_error")
  expect_warning(warn_neargp("thing", "Odd."), class = "neargp_warning_thing")
})

test_that("rows are named, but never by the thousand", {
  expect_identical(format_rows(3), "row 3")
  expect_identical(format_rows(c(3, 5)), "rows 3 and 5")
  expect_identical(format_rows(1:8), "rows 1, 2, 3, 4, 5 and 3 more")
})

# Texts of the messages in a function's body.
message_texts <- function(body) {
  raise <- c("abort_neargp", "warn_neargp", "inform_neargp", "abort_argument")
  texts_of <- function(e) {
    if (is.character(e)) e else if (is.call(e)) unlist(lapply(present_parts(e), texts_of))
  }
  if (!is.call(body)) return(NULL)
  inner <- unlist(lapply(present_parts(body), message_texts))
  if (is.name(body[[1L]]) && as.character(body[[1L]]) %in% raise) c(texts_of(body), inner) else
    inner
}

present_parts <- function(call) {
  Filter(function(part) !identical(part, quote(expr = )), as.list(call))
}

test_extended("arguments that messages name are arguments that there are", {
  namespace <- asNamespace("neargp")
  functions <- Filter(is.function, mget(ls(namespace), namespace))
  texts <- unique(unlist(lapply(functions, function(f) message_texts(body(f)))))
  expect_gt(length(texts), 300L)
  after_name <- "(?= = ?($|NULL|TRUE|FALSE|[0-9]|~|\\)|\"|c\\(|[a-z_]+\\())"
  named <- unlist(regmatches(texts, gregexpr(paste0("\\b[a-z][a-z_.]*", after_name), texts,
    perl = TRUE)))
  named <- c(named,
    unlist(regmatches(texts, gregexpr("(?<=`)[a-z][a-z_.]*(?= ?=`)", texts, perl = TRUE))))
  users <- functions[intersect(names(functions),
    c(getNamespaceExports("neargp"), getNamespaceInfo("neargp", "S3methods")[, 3L]))]
  # options, elements of `anisotropy`, names in an example of a list, a function of a transform,
  # and a parameter with a prior. The others are arguments of terra, sf, mgcv, ranger and
  # data.frame(), and names of a window.
  others <- c("neargp.device", "neargp.blas", "angle", "ratio", "few", "many", "inverse",
    "range_time", "xy", "as_points", "long", "names", "bs", "xmin", "xmax", "ymin", "ymax",
    "num.trees")
  expect_identical(setdiff(named, c(unlist(lapply(users, function(f) names(formals(f)))), others)),
    character(0))
  expect_gt(length(unique(named)), 25L)
})

test_that("no name, number or warning depends on options of printing", {
  data <- data.frame(x = (1:30 * 0.618) %% 1, y = (1:30 * 0.414) %% 1)
  data$z <- sin(6 * data$x)
  data$class <- factor(ifelse(data$z > 0.5, "a", ifelse(data$y > 0.5, "b", "c")))
  fixed <- cov_exponential(variance = 1, range = 0.3)
  fit <- neargp(z ~ x, data, coords = ~ x + y, method = vecchia(3), covariance = fixed,
    nugget = 0.1)
  classes <- neargp(class ~ 1, data, coords = ~ x + y, method = loo_k(3), covariance = fixed,
    family = categorical())
  found <- function() {
    list(names(predict(fit, data[1:2, ], type = "quantile", probs = c(0.05, 1e-5, 1 / 3))),
      names(predict(fit, data[1:2, ], threshold = c(0.5, 1e5, 123456.7))), dimnames(confint(fit)),
      data.matrix(loo_predict(classes)), format_count(1234567), plain_labels(c(1000, 2500.5)))
  }
  plain <- found()
  expect_identical(plain[[1]], c("q0.05", "q1e-05", "q0.333333"))
  # R takes no scipen below -9.
  for (option in list(list(OutDec = ","), list(scipen = -9), list(scipen = 100),
    list(digits = 3, OutDec = ",", scipen = -5))) {
    withr::with_options(option, {
      expect_silent(now <- found())
      expect_silent(capture.output(print(fit), print(summary(fit)), print(scores(fit))))
    })
    # labels of axes are printed
    expect_identical(now[1:5], plain[1:5])
  }
  withr::with_options(list(OutDec = ","), expect_identical(found(), plain))
})

test_extended("?neargp_conditions lists every condition", {
  raise <- c("abort_neargp", "warn_neargp", "inform_neargp")
  found <- character()
  collect <- function(e) {
    if (!is.call(e)) return(invisible())
    raised <- if (is.name(e[[1L]])) as.character(e[[1L]]) else ""
    if (raised %in% raise && is.character(e[[2L]])) found <<- c(found, paste(raised, e[[2L]]))
    for (part in present_parts(e)) collect(part)
  }
  namespace <- asNamespace("neargp")
  for (name in ls(namespace, all.names = TRUE)) {
    if (is.function(namespace[[name]])) collect(body(namespace[[name]]))
  }
  page <- tools::Rd_db("neargp")[["neargp_conditions.Rd"]]
  tables <- Filter(function(part) identical(attr(part, "Rd_tag"), "\\section"), page)
  listed <- lapply(tables, function(part) trimws(unlist(part)))
  expect_length(tables, 3L)
  for (i in 1:3) {
    names <- sub("^[a-z_]+ ", "", grep(paste0("^", raise[i], " "), unique(found), value = TRUE))
    expect_gt(length(names), 10L)
    expect_identical(setdiff(names, listed[[i]]), character())
  }
})
