test_that("citation() covers every method", {
  entries <- utils::readCitationFile(system.file("CITATION", package = "neargp"),
    meta = utils::packageDescription("neargp"))
  headers <- paste(vapply(unclass(entries), function(entry) attr(entry, "header"), ""),
    collapse = " ")
  methods <- c("vecchia", "exact_gp", "loo_k", "mll_k", "vnngp", "svgp", "odvgp", "ppgpr", "swsgp",
    "dspp", "dgp")
  for (method in methods) expect_match(headers, paste0(method, "("), fixed = TRUE)
})
