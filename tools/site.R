# Builds the site of the package with pkgdown into _build/site, from the working tree and the neargp that R finds.
#
#   R_LIBS=_build/library Rscript tools/site.R                              # everything
#   R_LIBS=_build/library Rscript tools/site.R no-examples faq space-time   # no examples, only these articles.
#
# README.md links to files of the sources. Help pages and articles get the addresses of the site, and other files are
# copied below source/.
options(pkgdown.internet = FALSE)
suppressPackageStartupMessages(library(pkgdown))

arguments <- commandArgs(TRUE)
examples <- !"no-examples" %in% arguments
articles <- setdiff(arguments, "no-examples")
site <- file.path(getwd(), "_build/site")
package <- as_pkgdown(".", override = list(destination = site))

build_chosen_articles <- function() {
  if (!length(articles)) return(build_articles(package, lazy = FALSE, preview = FALSE))
  for (name in package$vignettes$name[basename(package$vignettes$name) %in% articles]) {
    build_article(name, package, lazy = FALSE)
  }
}

init_site(package)
build_home(package, preview = FALSE)
if (examples || !file.exists(file.path(site, "reference/index.html"))) {
  build_reference(package, lazy = FALSE, examples = examples, devel = FALSE, preview = FALSE)
}
build_chosen_articles()
build_news(package, preview = FALSE)
for (name in c("build_sitemap", "build_search")) utils::getFromNamespace(name, "pkgdown")(package)

# The address on the site of a file of the sources, or NA where it is not on the site.
on_site <- function(path) {
  help <- grepl("^man/.*\\.Rd$", path)
  article <- grepl("^vignettes/.*\\.Rmd$", path)
  if (help) return(file.path("reference", sub("\\.Rd$", ".html", basename(path))))
  if (article) return(file.path("articles", sub("\\.Rmd$", ".html", basename(path))))
  if (!utils::file_test("-f", path)) return(NA_character_)
  copy <- file.path(site, "source", path)
  dir.create(dirname(copy), showWarnings = FALSE, recursive = TRUE)
  file.copy(path, copy, overwrite = TRUE)
  file.path("source", path)
}

# Pages made of README.md and its like stand at the top of the site.
redirect_links <- function(html) {
  for (link in xml2::xml_find_all(html, "//a[@href]")) {
    path <- sub("[#?].*$", "", xml2::xml_attr(link, "href"))
    if (!nzchar(path) || grepl("^[a-z]+:", path) || file.exists(file.path(site, path))) next
    markdown <- sub("\\.html$", ".md", path)   # pkgdown takes each of them for a page
    target <- on_site(if (file.exists(markdown)) markdown else path)
    xml2::xml_attr(link, "href") <- if (!is.na(target)) target
  }
}

# MathML for formulas in TeX: the pages then need no script of another site.
as_mathml <- function(tex, display) {
  source <- tempfile(fileext = ".md")
  on.exit(unlink(source))
  mark <- ifelse(display, "$$", "$")
  writeLines(paste0(mark, gsub("\n", " ", tex), mark, "\n"), source)
  rmarkdown::pandoc_convert(source, to = "html", from = "markdown", output = paste0(source, ".html"),
    options = "--mathml")
  converted <- xml2::read_html(paste0(source, ".html"), encoding = "UTF-8")
  xml2::xml_find_all(converted, "//math")
}

show_formulas <- function(html) {
  spans <- xml2::xml_find_all(html, "//span[contains(concat(' ', @class, ' '), ' math ')]")
  if (length(spans)) {
    tex <- gsub("^\\\\[(\\[]|\\\\[)\\]]$", "", trimws(xml2::xml_text(spans)), perl = TRUE)
    formulas <- as_mathml(tex, grepl("display", xml2::xml_attr(spans, "class")))
    stopifnot(length(formulas) == length(spans))
    for (i in seq_along(spans)) xml2::xml_replace(spans[[i]], formulas[[i]])
  }
  xml2::xml_remove(xml2::xml_find_all(html, "//img[@src = ''] | //script[contains(@src, 'athJax') or contains(@src, 'athjax')]"))
}

for (page in list.files(site, "\\.html$", full.names = TRUE, recursive = TRUE)) {
  if (startsWith(page, file.path(site, "deps")) || startsWith(page, file.path(site, "source"))) next
  html <- xml2::read_html(page, encoding = "UTF-8")
  if (dirname(page) == site) redirect_links(html)
  show_formulas(html)
  xml2::write_html(html, page)
}
