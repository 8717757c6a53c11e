# Areas of fits with groups, against the joint prediction of their points.

test_that("groups of areas are known, new or left out", {
  data <- area_data(60L)
  data$site <- rep(letters[1:6], 10L)
  fit <- neargp(z ~ height + (1 | site), data, coords = ~ x + y, method = exact_gp(), nugget = 0.1,
    covariance = cov_exponential(variance = 0.8, range = 0.2))
  points <- square_points()
  A <- averaging(points$area)
  polygons <- sf::st_sf(height = sin(1:9), site = c(letters[1:6], "new", "other", "a"),
    geometry = unit_squares())
  at_points <- cbind(points, sf::st_drop_geometry(polygons)[points$area, ])
  expect_error(predict(fit, polygons), "new", class = "neargp_error_levels")
  for (arguments in list(list(allow.new.levels = TRUE), list(re.form = NA))) {
    found <- do.call(predict, c(list(fit, polygons, spacing = 1 / 12, joint = TRUE), arguments))
    given <- do.call(predict, c(list(fit, at_points, type = "link", joint = TRUE), arguments))
    expect_equal(found$mean, drop(A %*% given$mean), tolerance = 1e-8)
    expect_equal(attr(found, "covariance"), A %*% attr(given, "covariance") %*% t(A),
      tolerance = 1e-8)
    alone <- do.call(predict_areas, c(list(fit, polygons, spacing = 1 / 12), arguments))
    expect_equal(alone$sd, found$sd, tolerance = 1e-8)
  }
  expect_no_error(predict(fit, polygons["height"], re.form = NA))
})
