many_dimensions <- function(n = 300L) {
  set.seed(5)
  x <- matrix(stats::rnorm(n * 9), n, dimnames = list(NULL, paste0("x", 1:9)))
  data.frame(x, z = rowSums(x[, 1:3]) + stats::rnorm(n))
}

fit_with <- function(search) {
  neargp(z ~ 1, many_dimensions(), coords = ~ ., method = loo_k(k = 10),
    control = neargp_control(neighbor_search = search), device = "cpu")
}

test_extended("every search gives the same fit and predictions", {
  skip_if_not(nzchar(module_file("faiss")), paste("no FAISS:", why_not_built("faiss")))
  tree <- fit_with("kd-tree")
  faiss <- fit_with("faiss")
  expect_identical(coef(faiss, "covariance"), coef(tree, "covariance"))
  new <- many_dimensions()[1:7, ] + 0.1
  expect_identical(predict(faiss, new), predict(tree, new))
})

test_that("FAISS agrees with the tree for all kinds of search, with ties and duplicates", {
  skip_if_not(nzchar(module_file("faiss")), paste("no FAISS:", why_not_built("faiss")))
  lattice <- as.matrix(expand.grid(0:9, 0:9, 0:9)) / 10
  points <- rbind(lattice, lattice[1:200, ])
  set.seed(6)
  order <- sample(nrow(points))
  new <- points[1:50, ] + 0.05
  for (search in list(function(context) core_neighbors_others(points, 12L, context),
    function(context) core_neighbors_before(points, order, 12L, context),
    function(context) core_neighbors_to(points, new, 12L, context),
    function(context) core_neighbors_joint(points, new, 50:1, 12L, context))) {
    by <- function(name) as.matrix(search(new_context(2L, search = name)))
    expect_identical(by("faiss"), by("kd-tree"))
  }
})

test_that("on a GPU FAISS searches there, if it was built for that", {
  local_fake_cuda()
  local_plain_faiss()
  points <- as.matrix(many_dimensions()[1:9])
  searches_on_gpu <- function() {
    loaded <- dyn.load(module_file("faiss"))
    .C(getNativeSymbolInfo("plain_searches_on_gpu", loaded), 0L)[[1L]]
  }
  others <- function(device, search) {
    as.matrix(core_neighbors_others(points, 12L, new_context(1L, device, search)))
  }
  tree <- others("cpu", "kd-tree")
  expect_identical(others("cpu", "faiss"), tree)
  expect_identical(searches_on_gpu(), 0L)
  expect_identical(others("cuda", "faiss"), tree)
  expect_gt(searches_on_gpu(), 0L)
  expect_output(report <- neargp_sitrep(), "a plain loop, with GPUs")
  expect_true(report$faiss$with_gpu)
})

test_that("FAISS that is asked for is had or is an error with the remedy", {
  withr::local_envvar(NEARGP_FAISS_MODULE = tempfile(fileext = ".so"))
  expect_error(neargp_control(neighbor_search = "faiss"), "cannot be loaded.*libfaiss",
    class = "neargp_error_neighbor_search")
  expect_error(neargp_control(neighbor_search = "ball tree"), "neighbor_search",
    class = "neargp_error_argument")
  withr::local_envvar(NEARGP_FAISS_MODULE = "")
  if (!nzchar(module_file("faiss"))) {
    expect_error(neargp_control(neighbor_search = "faiss"), "without FAISS",
      class = "neargp_error_neighbor_search")
  }
})

test_that("a fit of an installation with FAISS is of use without", {
  withr::local_envvar(NEARGP_FAISS_MODULE = "")
  skip_if(nzchar(module_file("faiss")), "this installation has FAISS")
  expect_identical(search_of(list(control = list(neighbor_search = "faiss"))), "auto")
  expect_identical(search_of(list(control = list())), "auto")
})
