# Looks for calls of R/ that run up. The files of R/ stand on the floors of tools/floors.txt, and a function
# calls those of its own floor and of lower ones. It reaches a higher one through a generic or a function that
# it was handed: a call of a generic goes to the file that has UseMethod(). The check reads names, so a column
# that is named as a function counts as a call of it.
# It also looks for functions with more than 12 arguments that users do not call.
#
#   Rscript tools/check-floors.R          fails where the counts of tools/floors.txt do not hold
#   Rscript tools/check-floors.R circles  lists the files of each floor's largest circle of calls as well

# ---- the table --------------------------------------------------------------------------------------------

# The first record lists the files of each floor, the second the counts.
read_table <- function(path) {
  lines <- grep("^#", readLines(path), value = TRUE, invert = TRUE)
  connection <- textConnection(lines)
  on.exit(close(connection))
  records <- read.dcf(connection)
  stopifnot(nrow(records) == 2L)
  counts <- records[2L, !is.na(records[2L, ])]
  list(floors = strsplit(records[1L, !is.na(records[1L, ])], "[[:space:]]+"),
    counts = stats::setNames(as.integer(counts), names(counts)))
}

# The number of each file's floor. Each file stands on one.
number_floors <- function(floors, stems) {
  listed <- unlist(floors, use.names = FALSE)
  wrong <- c(
    sprintf("R/%s.R is on no floor of tools/floors.txt", setdiff(stems, listed)),
    sprintf("R/%s.R is on two floors of tools/floors.txt", unique(listed[duplicated(listed)])),
    sprintf("R/%s.R of tools/floors.txt does not exist", setdiff(listed, stems))
  )
  if (length(wrong)) {
    writeLines(wrong)
    quit(status = 1L)
  }
  stats::setNames(rep(seq_along(floors), lengths(floors)), listed)
}

# ---- calls ------------------------------------------------------------------------------------------------

# The assignments at top level, each with its file.
read_definitions <- function(stems) {
  home <- character()
  body <- list()
  for (stem in stems) {
    for (e in as.list(parse(file.path("R", paste0(stem, ".R")), keep.source = FALSE))) {
      if (!is_assignment(e)) next
      name <- as.character(e[[2L]])
      home[[name]] <- stem
      body[[name]] <- e[[3L]]
    }
  }
  list(home = home, body = body)
}

is_assignment <- function(e) {
  is.call(e) && identical(e[[1L]], quote(`<-`)) && (is.name(e[[2L]]) || is.character(e[[2L]]))
}

# Parts of an expression without empty arguments.
parts_of <- function(e) {
  if (head_of(e) == "function") e <- c(as.list(e[[2L]]), e[[3L]])
  Filter(function(part) !identical(part, quote(expr = )), as.list(e))
}

head_of <- function(e) if (is.name(e[[1L]])) as.character(e[[1L]]) else ""

# Names that an expression uses, but for fields and functions of other packages.
used_names <- function(e) {
  if (is.name(e)) return(as.character(e))
  if (!is.call(e) || head_of(e) %in% c("::", ":::")) return(character())
  parts <- if (head_of(e) %in% c("$", "@")) as.list(e)[2L] else parts_of(e)
  unlist(lapply(parts, used_names))
}

# Names that it gives to values of its own: arguments, variables and those of loops.
bound_names <- function(e) {
  if (!is.call(e)) return(character())
  head <- head_of(e)
  binds <- head == "for" || head %in% c("<-", "<<-", "=") && is.name(e[[2L]])
  own <- if (head == "function") names(e[[2L]]) else if (binds) as.character(e[[2L]])
  c(own, unlist(lapply(parts_of(e), bound_names)))
}

# Calls between files, with the files and floors at both ends.
list_calls <- function(definitions, floor_of) {
  home <- definitions$home
  called <- lapply(definitions$body, function(body) {
    setdiff(intersect(used_names(body), names(home)), bound_names(body))
  })
  calls <- data.frame(from = rep(names(called), lengths(called)),
    to = unlist(called, use.names = FALSE))
  calls$from_file <- unname(home[calls$from])
  calls$to_file <- unname(home[calls$to])
  calls$from_floor <- unname(floor_of[calls$from_file])
  calls$to_floor <- unname(floor_of[calls$to_file])
  calls[calls$from_file != calls$to_file, ]
}

# ---- counts -----------------------------------------------------------------------------------------------

# The largest set of files each of which reaches all others of the set. Paths through one file after another
# are added to the matrix of calls.
largest_circle <- function(stems, calls) {
  reaches <- diag(length(stems)) > 0
  within <- calls$from_file %in% stems & calls$to_file %in% stems
  reaches[cbind(match(calls$from_file[within], stems), match(calls$to_file[within], stems))] <- TRUE
  for (i in seq_along(stems)) reaches <- reaches | outer(reaches[, i], reaches[i, ])
  mutual <- reaches & t(reaches)
  stems[mutual[which.max(rowSums(mutual)), ]]
}

# Counts may only fall, and what is recorded falls with them.
compare_counts <- function(found, recorded, what) {
  recorded <- recorded[names(found)]
  rose <- is.na(recorded) | found > recorded
  fell <- !rose & found < recorded
  compared <- sprintf("%s: %d, and tools/floors.txt allows %d", what, found, recorded)
  writeLines(compared[rose])
  writeLines(sprintf("%s: lower `%s` in tools/floors.txt to %d", compared, names(found), found)[fell])
  any(rose | fell)
}

# ---- arguments --------------------------------------------------------------------------------------------

# Functions with more arguments are called with a list of them. Users name the arguments of exported functions.
most_arguments <- 12L

# The functions with more, but those that are exported and methods of generics.
list_long_signatures <- function(definitions, namespace) {
  exported <- vapply(Filter(function(e) head_of(e) == "export", namespace),
    function(e) as.character(e[[2L]]), "")
  # a generic may be that of another package
  methods <- vapply(Filter(function(e) head_of(e) == "S3method", namespace), function(e) {
    paste(c(rev(as.character(e[[2L]]))[1L], as.character(e[[3L]])), collapse = ".")
  }, "")
  counts <- vapply(definitions$body, function(e) {
    if (is.call(e) && head_of(e) == "function") length(e[[2L]]) else 0L
  }, 0L)
  long <- setdiff(names(counts)[counts > most_arguments], c(exported, methods))
  sprintf("R/%s.R: %s() has %d arguments, and may have %d", definitions$home[long], long, counts[long],
    most_arguments)
}

describe_calls <- function(calls, floors) {
  sprintf("R/%s.R: %s() calls %s() of R/%s.R, from %s up to %s", calls$from_file, calls$from, calls$to,
    calls$to_file, names(floors)[calls$from_floor], names(floors)[calls$to_floor])
}

main <- function(arguments) {
  table <- read_table("tools/floors.txt")
  stems <- setdiff(sub("[.]R$", "", list.files("R", "[.]R$")), "RcppExports")
  floors <- table$floors
  definitions <- read_definitions(stems)
  calls <- list_calls(definitions, number_floors(floors, stems))
  long <- list_long_signatures(definitions, as.list(parse("NAMESPACE", keep.source = FALSE)))
  up <- calls[calls$from_floor < calls$to_floor, ]
  circles <- lapply(floors, largest_circle, calls = calls)
  if (identical(arguments, "circles")) {
    for (name in names(floors)) {
      writeLines(strwrap(paste(c(paste0(name, ":"), circles[[name]]), collapse = " "), 100, exdent = 2))
    }
  }
  what <- c("Calls of R/ that run up",
    sprintf("Files in the largest circle of calls on the floor %s", names(floors)))
  writeLines(c(describe_calls(up, floors), long))
  wrong <- compare_counts(c(up = nrow(up), lengths(circles)), table$counts, what) || length(long) > 0L
  cat(sprintf("floors of R/: %d calls between files, %d run up, the largest circle has %d files\n",
    nrow(calls), nrow(up), max(lengths(circles))))
  quit(status = as.integer(wrong))
}

if (sys.nframe() == 0L) main(commandArgs(TRUE))
