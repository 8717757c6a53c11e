test_that("the heading of NEWS.md names the version, as utils::news() needs it", {
  heading <- readLines(system.file("NEWS.md", package = "neargp", mustWork = TRUE), 1L)
  version <- as.character(utils::packageVersion("neargp"))
  expect_match(heading, paste0("^# neargp ", gsub(".", "\\.", version, fixed = TRUE), "( |$)"))
})
