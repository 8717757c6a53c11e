# A table of neighbours as searches of the core return it: an external pointer, handed on to other
# functions of the core without a copy. R sees it by as.matrix(): k x n, a column for each target,
# NA where there are fewer. Functions of the core take such matrices as well, where R has made one.

#' @export
as.matrix.neargp_neighbor_table <- function(x, ...) core_neighbor_matrix(x)

#' @export
dim.neargp_neighbor_table <- function(x) core_neighbor_dim(x)
