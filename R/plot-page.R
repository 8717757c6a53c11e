# Plots by ggplot2: the start of each, and several of them on a page.

has_ggplot2 <- function() rlang::is_installed("ggplot2", version = "3.4.1")

require_ggplot2 <- function() {
  if (has_ggplot2()) return(invisible())
  abort_neargp("package", c("This plot needs the package ggplot2, version 3.4.1 or later.",
    i = "install.packages(\"ggplot2\")"))
}

# Each plot begins here. `mapping` is evaluated only where ggplot2 is installed; elsewhere there are
# no plots but those of plot-plain.R.
new_plot <- function(table, mapping, main = NULL, ...) {
  require_ggplot2()
  ggplot2::ggplot(table, mapping) + ggplot2::theme_bw() +
    ggplot2::theme(panel.grid.minor = ggplot2::element_blank(),
      strip.background = ggplot2::element_rect(fill = "grey95"),
      plot.title = ggplot2::element_text(size = ggplot2::rel(1.1)), plot.title.position = "plot",
      plot.subtitle = ggplot2::element_text(size = ggplot2::rel(0.8)),
      plot.caption.position = "plot", panel.spacing = ggplot2::unit(1.2, "lines")) +
    ggplot2::labs(title = main, ...)
}

# The plots that `draw` returns for each of `which`: a ggplot object, or a page of several. `draw`
# may return a page, and NULL where it has drawn without ggplot2.
plots_of <- function(which, draw, ...) {
  if (is.character(which)) which <- stats::setNames(nm = which)
  plots <- do.call(c, lapply(which, function(one) {
    plot <- draw(one, ...)
    if (inherits(plot, "neargp_plots")) unclass(plot) else if (!is.null(plot)) list(plot)
  }))
  if (length(plots) < 2L) return(if (length(plots)) plots[[1L]])
  structure(plots, class = "neargp_plots")
}

# All default plots, without ggplot2 the first that can be drawn.
drawable_plots <- function(which) {
  plain <- intersect(which, plain_plots)
  if (has_ggplot2() || length(which) < 2L || !length(plain)) return(which)
  inform_neargp("plot", c(
    sprintf("plot() draws \"%s\" alone, without the package ggplot2.", plain[1L]),
    i = "install.packages(\"ggplot2\") for the other plots."))
  plain[1L]
}

# `...` of a plot method may contain the arguments of its autoplot method, and of others.
check_plot_arguments <- function(..., frame = parent.frame(), called = sys.function(sys.parent()),
                                 call = sys.call(sys.parent())) {
  methods <- Filter(is.function, list(...))
  handed_on <- unlist(lapply(methods, function(method) names(formals(method))))
  check_no_more_arguments(frame, called, call,
    setdiff(handed_on, c("x", "object", "...", names(formals(called)))))
}

draw_plots <- function(plots) {
  if (inherits(plots, "neargp_plots")) print(plots) else if (!is.null(plots)) print_figure(plots)
  invisible(plots)
}

# Pages that were divided before (`par(mfrow = )`) stay so.
#' @export
print.neargp_plots <- function(x, ...) {
  if (!is_divided()) {
    old <- graphics::par(mfrow = page_layout(length(x), graphics::par("din")))
    on.exit(graphics::par(old))
  }
  for (plot in x) print_figure(plot)
  invisible(x)
}

# Rows and columns of figures that are about as wide as high on a page of this size.
page_layout <- function(n, size) {
  rows <- ceiling(n / max(1, min(n, round(sqrt(n * size[1L] / size[2L])))))
  c(rows, ceiling(n / rows))
}

is_divided <- function() any(graphics::par("mfrow") > 1L)

# In the next figure of a divided page, which grid does not know of, in smaller letters.
print_figure <- function(plot) {
  if (!is_divided()) return(print(plot))
  old <- graphics::par(mar = numeric(4L))
  on.exit(graphics::par(old))
  graphics::plot.new()
  corner <- graphics::par("fig")
  size <- c(diff(corner[1:2]), diff(corner[3:4]))
  print(wrap_titles(plot, size[1L] * graphics::par("din")[1L]) +
    ggplot2::theme(text = ggplot2::element_text(size = 9)), newpage = FALSE,
    vp = grid::viewport(corner[1L], corner[3L], size[1L], size[2L], just = c("left", "bottom")))
}

# Titles in lines of `width` inches: ggplot2 would cut them off. A character of the title is about
# 0.075 inches wide, one of the subtitle and the caption 0.055.
wrap_titles <- function(plot, width) {
  fitted <- function(text, each) {
    if (is.character(text)) paste(strwrap(text, (width - 0.3) / each), collapse = "\n") else text
  }
  given <- plot$labels
  plot + ggplot2::labs(title = fitted(given$title, 0.075),
    subtitle = fitted(given$subtitle, 0.055), caption = fitted(given$caption, 0.055))
}
