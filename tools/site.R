# Builds the site of the package with pkgdown into _build/site, from the working tree and the neargp that R finds.
#
#   R_LIBS=_build/library Rscript tools/site.R            # everything
#   R_LIBS=_build/library Rscript tools/site.R no-examples faq space-time   # examples left out, only these articles
#
# README.md links to files of the sources: help pages and articles get the addresses of the site, and other files are
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
if (examples || !dir.exists(file.path(site, "reference"))) {
  build_reference(package, lazy = FALSE, examples = examples, devel = FALSE, preview = FALSE)
}
build_chosen_articles()
build_news(package, preview = FALSE)
build_sitemap(package)
build_search(package)

# The address on the site of a file of the sources, or NA where the site has none.
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
redirect_links <- function(page) {
  html <- xml2::read_html(page, encoding = "UTF-8")
  for (link in xml2::xml_find_all(html, "//a[@href]")) {
    path <- sub("[#?].*$", "", xml2::xml_attr(link, "href"))
    if (!nzchar(path) || grepl("^[a-z]+:", path) || file.exists(file.path(site, path))) next
    if (file.exists(path)) xml2::xml_attr(link, "href") <- on_site(path)
  }
  xml2::write_html(html, page)
}
for (page in list.files(site, "\\.html$", full.names = TRUE)) redirect_links(page)
