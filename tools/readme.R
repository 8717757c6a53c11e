# Runs the chunks of README.md in order, and puts their output below each call as lines that begin with "#>". Empty
# lines and the greetings of packages are left out. Also draws the pictures: a comment
# `<!-- draws FILE WIDTH HEIGHT -->` above a chunk names the picture that the chunk draws. Stops where a chunk fails.
#
#   R_LIBS=_build/library Rscript tools/readme.R         # renews README.md and man/figures/
#   R_LIBS=_build/library Rscript tools/readme.R check   # only compares; times may differ

library(neargp)
options(neargp.threads = 2, width = 80, cli.num_colors = 1L, cli.unicode = TRUE)

output_of <- function(expression, envir) {
  messages <- character()
  printed <- utils::capture.output(withCallingHandlers({
    result <- withVisible(eval(expression, envir))
    if (result$visible) print(result$value)
  }, message = function(condition) {
    if (!inherits(condition, "packageStartupMessage")) {
      messages <<- c(messages, strsplit(conditionMessage(condition), "\n")[[1L]])
    }
    invokeRestart("muffleMessage")
  }))
  lines <- trimws(c(messages, printed), "right")
  sprintf("#> %s", lines[nzchar(lines)])
}

# The lines of a chunk with the output of each call below its last line.
run_chunk <- function(lines, envir) {
  lines <- lines[!startsWith(lines, "#>")]
  calls <- parse(text = lines, keep.source = TRUE)
  ends <- vapply(attr(calls, "srcref"), function(where) where[[3L]], 1L)
  starts <- c(0L, ends)
  unlist(lapply(seq_along(calls), function(call) {
    c(lines[seq(starts[[call]] + 1L, ends[[call]])], output_of(calls[[call]], envir))
  }))
}

# Where no picture is named, a chunk draws onto a device that keeps nothing.
open_device <- function(comment, check) {
  if (check || !startsWith(comment, "<!-- draws ")) return(grDevices::pdf(NULL))
  words <- strsplit(comment, " ")[[1L]]
  grDevices::png(words[[3L]], as.numeric(words[[4L]]), as.numeric(words[[5L]]), res = 150)
}

comparable <- function(lines) sub("; [0-9.]+ s on .*", "", lines)

main <- function(check) {
  old <- readLines("README.md", encoding = "UTF-8")
  begins <- which(old == "```r")
  envir <- new.env(parent = globalenv())
  new <- old[seq_len(begins[[1L]])]
  for (chunk in seq_along(begins)) {
    begin <- begins[[chunk]]
    end <- begin + match("```", old[-seq_len(begin)])
    open_device(old[[begin - 1L]], check)
    body <- run_chunk(old[seq(begin + 1L, end - 1L)], envir)
    grDevices::dev.off()
    last <- if (chunk < length(begins)) begins[[chunk + 1L]] else length(old)
    new <- c(new, body, old[seq(end, last)])
  }
  if (!check) return(writeLines(new, "README.md", useBytes = TRUE))
  if (!identical(comparable(new), comparable(old))) stop("README.md differs from what its code prints.")
}

main(identical(commandArgs(TRUE), "check"))
