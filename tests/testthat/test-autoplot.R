test_that("ggplot2 draws map and variogram", {
  skip_unless_extended()
  skip_if_not_installed("ggplot2")
  withr::local_pdf(NULL)
  fit <- plotted_fit()
  for (plot in list(ggplot2::autoplot(fit, cells = 100),
    ggplot2::autoplot(fit, which = "variogram"),
                    ggplot2::autoplot(fit, what = "sd", cells = 100))) {
    expect_s3_class(plot, "ggplot")
    expect_no_error(ggplot2::ggplot_build(plot))
  }
})
