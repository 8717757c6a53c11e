test_that("figures of a page are about as wide as high, and few are empty", {
  expect_equal(page_layout(4, c(7, 7)), c(2, 2))
  expect_equal(page_layout(4, c(9, 4)), c(2, 2))
  expect_equal(page_layout(2, c(7, 5)), c(1, 2))
  expect_equal(page_layout(2, c(4, 7)), c(2, 1))
  expect_equal(page_layout(6, c(7, 5)), c(2, 3))
  expect_equal(page_layout(1, c(7, 5)), c(1, 1))
})

test_that("several plots are a page, nested pages one page, and one plot is itself", {
  expect_identical(plots_of("a", toupper), "A")
  page <- plots_of(c("a", "b"), function(one) {
    if (one == "a") "plot" else plots_of(c("u", "v"), toupper)
  })
  expect_s3_class(page, "neargp_plots")
  expect_identical(unclass(page), list(a = "plot", b.u = "U", b.v = "V"))
  expect_null(plots_of(c("a", "b"), function(one) NULL))
})

test_that("a page that was divided stays so, and one that was not is whole again", {
  skip_if_not_installed("ggplot2")
  fit <- plotted_fit()
  withr::local_pdf(NULL)
  before <- graphics::par("mar", "mfrow")
  page <- plot(fit, which = c("qq", "loo"))
  expect_equal(graphics::par("mar", "mfrow"), before)
  expect_identical(expect_invisible(print(page)), page)
  graphics::par(mfrow = c(2, 2))
  plot(fit, which = c("qq", "loo"))
  plot(fit, which = "qq")
  expect_equal(graphics::par("mfrow"), c(2, 2))
  expect_equal(graphics::par("mfg")[1:2], c(2, 1))
})

test_that("titles end within the figure", {
  skip_if_not_installed("ggplot2")
  plot <- new_plot(data.frame(), ggplot2::aes(), strrep("probability ", 9), subtitle = quote(mu))
  labels <- wrap_titles(plot, 3)$labels
  expect_lte(max(nchar(strsplit(labels$title, "\n")[[1L]])), 36)
  expect_identical(gsub("\n", " ", labels$title), trimws(plot$labels$title))
  expect_identical(labels$subtitle, quote(mu))
})
