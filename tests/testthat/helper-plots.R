built <- function(plot) {
  withr::local_pdf(NULL)
  expect_s3_class(plot, "ggplot")
  ggplot2::ggplot_build(plot)
}

drawn_panels <- function(plot) nrow(built(plot)$layout$layout)

# The plot is drawn without a word and returned, on a page those of these names. Without ggplot2
# there is nothing to expect.
expect_drawn <- function(plot, names = NULL) {
  if (!has_ggplot2()) return(invisible(succeed()))
  withr::local_pdf(NULL)
  expect_silent(shown <- withVisible(plot))
  expect_false(shown$visible)
  if (is.null(names)) expect_true(inherits(shown$value, c("ggplot", "neargp_plots"))) else
    expect_named(shown$value, names)
  invisible(shown$value)
}

# As in a session where ggplot2 is not installed, on a device that is written to nowhere.
local_plain_plots <- function(env = parent.frame()) {
  withr::local_pdf(NULL, .local_envir = env)
  namespace <- asNamespace("neargp")
  bind <- function(value) {
    unlockBinding("has_ggplot2", namespace)
    assign("has_ggplot2", value, namespace)
    lockBinding("has_ggplot2", namespace)
  }
  real <- has_ggplot2
  withr::defer(bind(real), env)
  bind(function() FALSE)
}

# Layers by their geoms.
geoms <- function(plot) {
  vapply(plot$layers, function(layer) class(layer$geom)[1L], "", USE.NAMES = FALSE)
}

# The colours that fill something in the legends of a plot, without their alpha.
legend_fills <- function(plot) {
  fills <- function(grob) c(grob$gp$fill, unlist(lapply(c(grob$grobs, grob$children), fills)))
  withr::local_pdf(NULL)
  drawn <- ggplot2::ggplotGrob(plot)
  legends <- drawn$grobs[grepl("guide-box", drawn$layout$name)]
  unique(substr(unlist(lapply(legends, fills)), 1L, 7L))
}
