# Geometric anisotropy: rotations of the plane of the first two coordinates, and of the space of the
# first three. Users type ratios of ranges and angles in degrees. The core uses the coordinates of a
# symmetric matrix B of trace 0 (src/core/covariance/rotation.h). Its eigenvectors are the axes. The
# range along an axis with the eigenvalue l is range_core exp(l).
#
# In the plane B = [u, v; v, -u] and h = |(u, v)|. The eigenvalues are h and -h, and ratio =
# exp(-2h). The major axis points in the direction atan2(v, u) / 2, counter-clockwise from the first
# axis.

# `kinds` are those of the rows in the layout, and `names` what users type, in the same order with
# the `ratios` first. `coordinates` is the number of coordinates that are rotated. `to_core` and
# `to_natural` convert values. `longest` is the eigenvalue of the major axis. `slopes` returns the
# derivatives of `longest`, log ratios and angles in the numbers of the core, a row for each.
rotations <- list(
  plane = list(kinds = c("u", "v"), names = c("ratio", "angle"), ratios = 1L, coordinates = 2L,
    to_core = function(natural) {
      h <- -log(natural[["ratio"]]) / 2
      phi <- (90 - natural[["angle"]]) * pi / 180
      h * c(cos(2 * phi), sin(2 * phi))
    },
    to_natural = function(axes) c(exp(-2 * sqrt(sum(axes^2))), axis_angle(axes)),
    longest = function(axes) sqrt(sum(axes^2)),
    slopes = function(axes) plane_slopes(axes[1L], axes[2L])),
  space = list(kinds = paste0("b", 1:5), ratios = 2L, coordinates = 3L,
    names = c("ratio", "ratio_third", "angle", "dip", "plunge"),
    to_core = function(natural) space_to_core(natural),
    to_natural = function(axes) space_to_natural(axes),
    longest = function(axes) max(space_axes(axes)$values),
    slopes = function(axes) space_slopes(axes)))

axes_kinds <- unlist(lapply(rotations, `[[`, "kinds"), use.names = FALSE)

# The rotation that a component's `anisotropy` asks for: NULL without one.
rotation_of <- function(anisotropy) {
  if (is.null(anisotropy) || isFALSE(anisotropy)) return(NULL)
  if (is.character(anisotropy) || length(anisotropy) == 5L) rotations$space else rotations$plane
}

# The ratios among the numbers that users type; none without a rotation.
ratio_names <- function(rotation) utils::head(rotation$names, rotation$ratios %||% 0L)

rotation_of_axes <- function(axes) {
  Find(function(rotation) length(rotation$kinds) == length(axes), rotations)
}

estimates_axes <- function(component) {
  isTRUE(component$anisotropy) || is.character(component$anisotropy)
}

# Whether rows of the layout are ratios for users, and logarithms on the interval scale.
is_ratio <- function(layout) {
  layout$kind %in% unlist(lapply(rotations, function(x) utils::head(x$kinds, x$ratios)))
}

is_angle <- function(layout) layout$kind %in% axes_kinds & !is_ratio(layout)

anisotropy_to_core <- function(anisotropy) rotation_of(anisotropy)$to_core(anisotropy)

# From the range along the major axis to that of the core. Ranges of other coordinates stay.
core_range <- function(range, axes) {
  if (is.null(range) || is.null(axes)) return(range)
  range * c(exp(-rotation_of_axes(axes)$longest(axes)), rep(1, length(range) - 1L))
}

# The least range along an axis in units of the core's range.
shortest_factor <- function(axes) {
  exp(if (length(axes) == 2L) -sqrt(sum(axes^2)) else min(space_axes(axes)$values))
}

axis_angle <- function(axes) (90 - atan2(axes[2L], axes[1L]) / 2 * 180 / pi) %% 180

# Here log ratio = -2h with dh/du = u/h and dh/dv = v/h. Angle = 90 - atan2(v, u) 90/pi with d atan2
# = (u dv - v du)/h^2. At isotropy there is no angle: the least h makes its standard error huge and
# not NaN.
plane_slopes <- function(u, v) {
  h <- max(sqrt(u^2 + v^2), 1e-8)
  rbind(c(u, v) / h, -2 * c(u, v) / h, -90 / pi * c(-v, u) / h^2)
}

# ---- three coordinates ---------------------------------------------------------------------------

# The matrices whose sum with the weights b is B.
space_basis <- list(diag(c(1, -1, 0)), diag(0, 3), diag(0, 3), diag(0, 3),
  diag(c(1, 1, -2)) / sqrt(3))
space_basis[[2L]][cbind(1:2, 2:1)] <- 1
space_basis[[3L]][cbind(c(1, 3), c(3, 1))] <- 1
space_basis[[4L]][cbind(2:3, 3:2)] <- 1

space_matrix <- function(axes) Reduce(`+`, Map(`*`, space_basis, axes))

space_axes <- function(axes) eigen(space_matrix(axes), symmetric = TRUE)

# The directions of the three axes, one a row, at angles in degrees. This is the matrix of GSLIB
# (Deutsch and Journel 1998, setrot) and of gstat. `angle` is clockwise from the second coordinate
# to the first, and `dip` is upwards from the horizontal. `plunge` turns the other axes about the
# major one, counter-clockwise as seen along it.
axis_directions <- function(angle, dip, plunge) {
  a <- (90 - angle) * pi / 180
  b <- -dip * pi / 180
  level <- rbind(c(cos(b) * cos(a), cos(b) * sin(a), -sin(b)), c(-sin(a), cos(a), 0),
    c(sin(b) * cos(a), sin(b) * sin(a), cos(b)))
  t <- plunge * pi / 180
  rbind(c(1, 0, 0), c(0, cos(t), sin(t)), c(0, -sin(t), cos(t))) %*% level
}

space_to_core <- function(natural) {
  R <- axis_directions(natural[["angle"]], natural[["dip"]], natural[["plunge"]])
  l <- c(0, log(natural[["ratio"]]), log(natural[["ratio_third"]]))
  B <- crossprod(R, (l - mean(l)) * R)
  c((B[1L, 1L] - B[2L, 2L]) / 2, B[1L, 2L], B[1L, 3L], B[2L, 3L], -B[3L, 3L] * sqrt(3) / 2)
}

# Ranges fall from the first axis to the third. The major axis points to an angle from 0 to below
# 180 degrees, or upwards. Where ranges are equal, their axes are not unique. Plunge is then 0, or
# the first axis is horizontal.
space_to_natural <- function(axes) {
  parts <- space_axes(axes)
  l <- parts$values
  equal <- l[1:2] - l[2:3] < 1e-7
  angles <- if (all(equal)) c(0, 0, 0) else if (equal[1L]) angles_of_plane(parts$vectors[, 3L]) else
    angles_of_axes(parts$vectors[, 1L], parts$vectors[, 2L])
  if (!equal[1L] && equal[2L]) angles[3L] <- 0
  c(exp(l[2L] - l[1L]), exp(l[3L] - l[1L]), angles)
}

# Signs of axes are arbitrary, so plunge is reduced to above -90 and up to 90 degrees.
angles_of_axes <- function(major, second) {
  flat <- sqrt(sum(major[1:2]^2))
  angle <- if (flat < 1e-8) 0 else atan2(major[1L], major[2L]) * 180 / pi
  if (angle < 0 || angle >= 180 || flat < 1e-8 && major[3L] < 0) {
    major <- -major
    angle <- angle %% 180
  }
  dip <- atan2(major[3L], flat) * 180 / pi
  level <- axis_directions(angle, dip, 0)
  plunge <- atan2(sum(second * level[3L, ]), sum(second * level[2L, ])) * 180 / pi
  c(angle, dip, 90 - (90 - plunge) %% 180)
}

# Two equal ranges, and a third axis in the direction `normal`: the horizontal line of their plane.
angles_of_plane <- function(normal) {
  strike <- c(normal[2L], -normal[1L], 0)
  if (sqrt(sum(strike^2)) < 1e-8) return(c(0, 0, 0))
  strike <- strike / sqrt(sum(strike^2))
  angles_of_axes(strike, c(normal[2L] * strike[3L] - normal[3L] * strike[2L],
    normal[3L] * strike[1L] - normal[1L] * strike[3L],
    normal[1L] * strike[2L] - normal[2L] * strike[1L]))
}

# B has eigenvalues l and eigenvectors q. With dB = E and T = q'E q, dl_i = T_ii, and dq_i is the
# sum of q_j T_ji / (l_i - l_j) over other j. The major axis is q_1 = (x, y, z). Then angle =
# atan2(x, y) and dip = asin(z). The heights of the other axes are sin(plunge) cos(dip) and
# cos(plunge) cos(dip). Without a unique axis the least difference makes standard errors huge and
# not NaN.
space_slopes <- function(axes) {
  natural <- space_to_natural(axes)
  l <- space_axes(axes)$values
  q <- t(axis_directions(natural[3L], natural[4L], natural[5L]))
  vapply(space_basis, function(E) {
    turned <- crossprod(q, E %*% q)
    apart <- outer(l, l, function(a, b) a - b)
    apart <- ifelse(abs(apart) < 1e-8, ifelse(apart < 0, -1e-8, 1e-8), apart)
    dl <- diag(turned)
    dq <- q %*% (turned / t(apart) * (1 - diag(3)))
    major <- q[, 1L]
    flat <- max(sum(major[1:2]^2), 1e-16)
    c(dl[1L], dl[2L] - dl[1L], dl[3L] - dl[1L], 180 / pi * c(
      (major[2L] * dq[1L, 1L] - major[1L] * dq[2L, 1L]) / flat, dq[3L, 1L] / sqrt(flat),
      (q[3L, 3L] * dq[3L, 2L] - q[3L, 2L] * dq[3L, 3L]) / flat))
  }, double(6L))
}

# The range in a direction of the plane of the first two coordinates, in degrees clockwise from the
# second one. NULL is the major axis.
range_in_space <- function(component, direction) {
  parts <- space_axes(component$anisotropy)
  if (is.null(direction)) return(component$range[1L] * exp(parts$values[1L]))
  phi <- check_number(direction, "direction") * pi / 180
  along <- crossprod(parts$vectors, c(sin(phi), cos(phi), 0))
  component$range[1L] / sqrt(sum((exp(-parts$values) * along)^2))
}
