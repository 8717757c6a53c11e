library(testthat)
library(neargp)

test_check("neargp")
