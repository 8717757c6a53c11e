# Keeps a table that a shell script has made, from the root of the repository:
#
#   Rscript --vanilla bench/save-result.R TABLE.csv NAME
source("bench/results.R")
arguments <- commandArgs(TRUE)
save_lines(readLines(arguments[1L]), arguments[2L])
