test_that("plots of a fit to classes are drawn and leave the page as it was", {
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  fit <- fixed_class_fit(class_data(80), k = 10L)
  before <- graphics::par("mar")
  expect_identical(expect_invisible(plot(fit)), fit)
  expect_identical(graphics::par("mar"), before)
  two <- class_data(80, c("a", "b"))
  expect_no_error(plot(fixed_class_fit(two[1:60, ], k = 10L), "calibration",
    newdata = two[61:80, ]))
  expect_error(plot(fit, "qq"), class = "neargp_error_argument")
})

test_that("the confusion table names every class beside it and below, on a page of its own, too", {
  classes <- c("spruce", "lodgepole", "ponderosa", "willow", "aspen", "douglas", "krummholz")
  observed <- factor(classes, classes)
  page <- withr::local_tempfile(fileext = ".pdf")
  grDevices::pdf(page, compress = FALSE, useKerning = FALSE)
  before <- graphics::par("mar")
  plot_confusion(table(observed, predicted = observed), "leave one out")
  after <- graphics::par("mar")
  grDevices::dev.off()
  expect_identical(after, before)
  drawn <- readLines(page, warn = FALSE)
  for (class in classes) expect_length(grep(sprintf("(%s) Tj", class), drawn, fixed = TRUE,
    useBytes = TRUE), 2L)
})
