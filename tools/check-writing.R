# Looks for sentences that break those rules of plain English that a machine can check. A subject comes before its verb,
# functions return and do not "have", and each thing is called by the field's word. A sentence contains at most 30 words
# and one pair of parentheses. The check reads the help pages, README.md, the articles, the notes of developers, the
# strings of R/ that are sentences, and the comments. It counts the sentences at fault by kind of text and by rule. The counts are kept in
# tools/writing.txt and may only fall.
#
#   Rscript tools/check-writing.R                 fails where the counts of tools/writing.txt do not hold.
#   Rscript tools/check-writing.R list neargp     lists the sentences at fault in files whose path contains "neargp".
#   Rscript tools/check-writing.R table           prints the rates of words that matter, and the longest pages.
#   Rscript tools/check-writing.R record          writes the counts of today where they are lower.

record_path <- "tools/writing.txt"

# ---- rules ------------------------------------------------------------------------------------------------

most_words <- 30L
page_words <- 350L
page_examples <- 0.2

# Code in a sentence stands for one word, `code`, before these are applied, and gaussian() is code.
patterns <- c(
  starts = "(^|[.:;] )(Of|Such|What|By|So) ",
  has = "\\b(has|have|had) (the|a|an|no|its|their|one|two|none|of)\\b",
  words = "\\b(tells?|told|anew|besides?|hardly|mend(s|ed)?)\\b|, (too|either)\\b",
  vocabulary = paste(sep = "|",
    "(?<!\\bin )(?<!\\bdecimal )(?<!\\btake )(?<!\\btakes )\\bplaces?\\b(?! of)",
    "\\b(several|many) (outputs|coordinates)\\b",
    "\\b(is|are|was|were) held\\b", "\\bheld (fixed|at)\\b", "\\bwhat is maximised\\b",
    "\\b(the|a|this) bound\\b", "\\bown scale\\b", "\\bapart\\b", "\\bgaussian\\b(?![(])", "\\bMatern\\b", "\\bJudge\\b"
  )
)

# The pages that are read most, and first.
main_pages <- c("neargp", "predict.neargp", "neargp_control", "vecchia", "vnngp", "svgp", "exact_gp",
  "covariance", "random_effects", "response_family", "loo_k", "cross_validate", "scores", "predict_areas",
  "plot.neargp")

count_words <- function(x) lengths(strsplit(trimws(x), "[[:space:]]+"))

# One row for each sentence, one column for each rule. The parentheses of f(x) belong to a formula.
find_faults <- function(sentences) {
  found <- vapply(patterns, function(p) grepl(p, sentences, perl = TRUE), logical(length(sentences)))
  found <- matrix(as.logical(found), length(sentences), length(patterns), dimnames = list(NULL, names(patterns)))
  cbind(found, long = count_words(sentences) > most_words,
    parentheses = lengths(regmatches(sentences, gregexpr(" [(]", sentences))) > 1L)
}

# ---- sentences of each kind of text -----------------------------------------------------------------------

split_sentences <- function(blocks) {
  blocks <- trimws(gsub("[[:space:]]+", " ", blocks))
  unlist(strsplit(blocks[nzchar(blocks)], "(?<=[.!?]|[.!?][)\"])\\s+(?=[(\"]*([A-Z]|(code|neargp)\\b))", perl = TRUE))
}

as_sentences <- function(kind, path, blocks) {
  text <- split_sentences(blocks)
  data.frame(kind = rep(kind, length(text)), path = rep(path, length(text)), text = text)
}

code_tags <- c("\\code", "\\verb", "\\eqn", "\\deqn", "\\preformatted")
silent_tags <- c("\\usage", "\\examples", "\\alias", "\\name", "\\keyword", "\\references", "COMMENT",
  "\\concept", "\\docType", "\\format", "\\source", "\\email", "\\url", "\\figure")

# The text of a part of a help page. Items and paragraphs are blocks, which an empty line divides.
flatten_rd <- function(part) {
  tag <- attr(part, "Rd_tag")
  if (is.null(tag)) tag <- ""
  if (tag %in% silent_tags) return("")
  if (tag %in% code_tags) return("code")
  if (tag %in% c("TEXT", "RCODE", "VERB")) return(as.character(part))
  if (tag == "\\item" && !length(part)) return("\n\n")
  if (tag %in% c("\\tab", "\\cr")) return("\n\n")
  if (tag %in% c("\\item", "\\section", "\\subsection")) {
    lead <- if (tag == "\\item") "" else flatten_rd(part[[1L]])
    return(paste0("\n\n", lead, "\n\n", flatten_rd(part[[2L]]), "\n\n"))
  }
  inner <- paste(vapply(part, flatten_rd, ""), collapse = "")
  if (tag %in% c("\\title", "\\description", "\\details", "\\value", "\\note", "\\seealso", "\\arguments")) {
    inner <- paste0("\n\n", inner, "\n\n")
  }
  inner
}

read_help <- function(path) {
  rd <- tools::parse_Rd(path)
  kind <- if (sub("[.]Rd$", "", basename(path)) %in% main_pages) "main_help" else "other_help"
  parts <- Filter(function(part) attr(part, "Rd_tag") != "TEXT", rd)
  text <- paste(vapply(parts, flatten_rd, ""), collapse = "\n\n")
  as_sentences(kind, path, strsplit(text, "\n[[:space:]]*\n")[[1L]])
}

# Prose of Markdown: no header, no code, a block for each heading, item of a list and cell of a table.
read_markdown <- function(kind, path) {
  lines <- readLines(path, encoding = "UTF-8")
  if (length(lines) && lines[1L] == "---") lines <- lines[-seq_len(which(lines == "---")[2L])]
  fenced <- grepl("^ *```", lines)
  lines <- lines[cumsum(fenced) %% 2L == 0L & !fenced]
  text <- paste(lines, collapse = "\n")
  text <- gsub("(?s)\\$\\$.*?\\$\\$|<!--.*?-->|\\$[^$\n]+\\$", "code", text, perl = TRUE)
  text <- gsub("`[^`]+`", "code", text)
  text <- gsub("!?\\[([^]]*)\\]\\([^)]*\\)", "\\1", text)
  text <- gsub("\n *([-*#>]|[0-9]+[.])+ ", "\n\n", text)
  as_sentences(kind, path, strsplit(gsub("|", "\n\n", text, fixed = TRUE), "\n[[:space:]]*\n")[[1L]])
}

# Strings of the code that are sentences: four words or more.
read_strings <- function(path) {
  strings <- character()
  collect <- function(e) {
    if (is.character(e)) strings <<- c(strings, e)
    if (is.call(e) || is.pairlist(e) || is.expression(e)) {
      for (part in as.list(e)) if (!missing(part)) collect(part)
    }
  }
  collect(parse(path, keep.source = FALSE))
  as_sentences("messages", path, gsub("`[^`]*`", "code", strings[count_words(strings) > 3L]))
}

# Lines of comments that follow each other are one block.
read_comments <- function(path) {
  lines <- readLines(path, encoding = "UTF-8")
  mark <- if (grepl("[.](R|sh)$", path)) "^ *#+(?!['#!])[ -]*" else "^ *//+ ?"
  is_comment <- grepl(mark, lines, perl = TRUE) & !grepl("-----", lines)
  block <- cumsum(!is_comment)[is_comment]
  text <- gsub("`[^`]*`", "code", sub(mark, "", lines[is_comment], perl = TRUE))
  as_sentences("comments", path, unname(tapply(text, block, paste, collapse = " ")))
}

read_texts <- function() {
  tracked <- system2("git", "ls-files", stdout = TRUE)
  tracked <- setdiff(tracked[file.exists(tracked)], c("R/RcppExports.R", "src/RcppExports.cpp"))
  files <- function(pattern) grep(pattern, tracked, value = TRUE)
  do.call(rbind, c(
    list(read_markdown("readme", "README.md")),
    lapply(files("^(CONTRIBUTING|DEVELOPING|NEWS|(dev|paper|bench(/notes)?)/[^/]*)[.]md$"), read_markdown, kind = "notes"),
    lapply(files("^vignettes/.*[.]Rmd$"), read_markdown, kind = "articles"),
    lapply(list.files("man", "[.]Rd$", full.names = TRUE), read_help),
    lapply(files("^R/.*[.]R$"), read_strings),
    lapply(files("^(R|tests|tools|bench)/.*[.](R|sh)$|^(src|tests)/.*[.](h|cpp|cu)$"), read_comments)
  ))
}

# ---- pages ------------------------------------------------------------------------------------------------

# The words of each help page as it is printed, and how many of them are its examples.
measure_pages <- function(paths = list.files("man", "[.]Rd$", full.names = TRUE)) {
  count <- function(draw, path) {
    file <- tempfile()
    on.exit(unlink(file))
    suppressWarnings(draw(path, file))
    if (file.exists(file)) sum(count_words(grep("[^[:space:]]", readLines(file), value = TRUE))) else 0L
  }
  words <- vapply(paths, function(path) count(tools::Rd2txt, path), 0L)
  examples <- vapply(paths, function(path) count(tools::Rd2ex, path), 0L)
  data.frame(path = paths, words = words, examples = examples, row.names = NULL)
}

count_pages <- function(pages) {
  c(over = sum(pages$words > page_words), few_examples = sum(pages$examples < page_examples * pages$words))
}

# ---- counts -----------------------------------------------------------------------------------------------

count_faults <- function(texts) {
  sums <- rowsum(find_faults(texts$text) + 0L, texts$kind)
  stats::setNames(as.vector(t(sums)), paste(rep(rownames(sums), each = ncol(sums)), colnames(sums), sep = "."))
}

read_record <- function() {
  if (!file.exists(record_path)) return(integer())
  table <- utils::read.table(record_path, row.names = 1L)
  stats::setNames(table[[1L]], row.names(table))
}

write_record <- function(counts) {
  head <- c("# Sentences at fault by kind of text and rule (tools/check-writing.R), and pages of help that are",
    "# over 350 words or show few examples. A count may only fall: Rscript tools/check-writing.R record")
  writeLines(c(head, paste(names(counts), counts)), record_path)
}

compare_counts <- function(found, recorded) {
  recorded <- recorded[names(found)]
  rose <- is.na(recorded) | found > recorded
  fell <- !rose & found < recorded
  writeLines(sprintf("%s: %d, and tools/writing.txt allows %d", names(found), found, recorded)[rose])
  if (any(rose)) writeLines("Rscript tools/check-writing.R list PATH lists the sentences at fault in a file.")
  if (any(fell)) writeLines("Counts fell. Run Rscript tools/check-writing.R record and commit what it changes.")
  any(rose | fell)
}

# ---- what is printed --------------------------------------------------------------------------------------

measured <- c(`Of ...` = "(^|[.:;] )Of ", `has/have/had` = "\\b(has|have|had)\\b", rows = "\\brows?\\b",
  `you, your` = "\\b[Yy]ours?\\b|\\b[Yy]ou\\b", can = "\\b[Cc]an\\b", should = "\\b[Ss]hould\\b",
  `for example, e.g.` = "\\b[Ff]or example\\b|\\be[.]g[.]")

# Rates per 10,000 words of each kind of text.
print_table <- function(texts, pages) {
  count <- function(text, p) sum(lengths(regmatches(text, gregexpr(p, text, perl = TRUE))))
  rates <- vapply(split(texts$text, sub("^(main|other)_", "", texts$kind)), function(text) {
    1e4 * vapply(measured, count, 0, text = text) / sum(count_words(text))
  }, numeric(length(measured)))
  print(round(rates, 1))
  cat(sprintf("\n%d pages of help: median %g words, examples %.0f%% of the words\n", nrow(pages),
    stats::median(pages$words), 100 * sum(pages$examples) / sum(pages$words)))
  long <- pages[order(-pages$words), ][seq_len(15L), ]
  share <- 100 * long$examples / long$words
  writeLines(sprintf("  %5d words, examples %2.0f%%  %s", long$words, share, long$path))
}

list_faults <- function(texts, part) {
  texts <- texts[grepl(part, texts$path, fixed = TRUE), ]
  found <- find_faults(texts$text)
  at_fault <- rowSums(found) > 0L
  rules <- apply(found[at_fault, , drop = FALSE], 1L, function(f) paste(colnames(found)[f], collapse = ", "))
  writeLines(sprintf("%s [%s] %s", texts$path[at_fault], rules, texts$text[at_fault]))
}

main <- function(arguments) {
  task <- if (length(arguments)) arguments[1L] else "check"
  texts <- read_texts()
  if (task == "list") return(list_faults(texts, if (length(arguments) > 1L) arguments[2L] else ""))
  pages <- measure_pages()
  if (task == "table") return(print_table(texts, pages))
  counts <- c(count_faults(texts), pages = count_pages(pages))
  recorded <- read_record()
  if (task == "record") return(write_record(pmin(counts, recorded[names(counts)], na.rm = TRUE)))
  wrong <- compare_counts(counts, recorded)
  cat(sprintf("writing: %d sentences, %d faults\n", nrow(texts), sum(count_faults(texts))))
  quit(status = as.integer(wrong))
}

if (sys.nframe() == 0L) main(commandArgs(TRUE))
