# Checks the site in _build/site, which tools/site.R builds. All links and images within it must lead somewhere, figures
# must carry a text for readers who do not see them, and the search index must be there. Headless Chromium, where it is
# installed, opens every page at 800 pixels. No image may be broken, and in articles no code may be wider than its box.
#
#   Rscript tools/check-site.R              # everything
#   Rscript tools/check-site.R links        # without Chromium
#   Rscript tools/check-site.R ^articles/   # Chromium opens the pages that match
site <- file.path(getwd(), "_build/site")
pages <- list.files(site, "\\.html$", recursive = TRUE)
pages <- pages[!grepl("^(deps|source)/", pages)]
if (!length(pages)) stop("There is no site in ", site, ": run tools/site.R.")
documents <- stats::setNames(lapply(file.path(site, pages), xml2::read_html, encoding = "UTF-8"), pages)
anchors <- lapply(documents, function(html) {
  c(xml2::xml_attr(xml2::xml_find_all(html, "//*[@id]"), "id"), xml2::xml_attr(xml2::xml_find_all(html, "//a[@name]"), "name"))
})

is_external <- function(address) grepl("^([a-z]+:|//)", address)

# The path of a file on the site, seen from a page.
path_from <- function(page, address) {
  parts <- strsplit(file.path(dirname(page), address), "/")[[1L]]
  kept <- character()
  for (part in parts) {
    kept <- if (part == "..") utils::head(kept, -1L) else if (part %in% c(".", "")) kept else c(kept, part)
  }
  paste(kept, collapse = "/")
}

leads_nowhere <- function(page, address) {
  address <- utils::URLdecode(address)
  if (!nzchar(address) || is_external(address)) return(FALSE)
  path <- sub("[#?].*$", "", address)
  target <- if (nzchar(path)) path_from(page, path) else page
  if (dir.exists(file.path(site, target))) target <- paste0(target, if (nzchar(target)) "/", "index.html")
  if (!file.exists(file.path(site, target))) return(TRUE)
  fragment <- if (grepl("#.", address)) sub("^[^#]*#", "", address) else ""
  nzchar(fragment) && target %in% pages && !fragment %in% anchors[[target]]
}

faults <- character()
fault <- function(page, text) faults <<- c(faults, paste0(page, ": ", text))

for (page in pages) {
  html <- documents[[page]]
  addresses <- c(xml2::xml_attr(xml2::xml_find_all(html, "//a[@href]"), "href"),
    xml2::xml_attr(xml2::xml_find_all(html, "//img[@src] | //script[@src]"), "src"))
  addresses <- addresses[!startsWith(addresses, "data:")]
  for (address in unique(addresses)) if (leads_nowhere(page, address)) fault(page, paste("nothing at", address))
  # A caption serves as the text.
  figures <- xml2::xml_find_all(html, "//main//img[not(ancestor::figure//figcaption or ../p[@class='caption'])]")
  alternative <- xml2::xml_attr(figures, "alt")
  silent <- figures[is.na(alternative) | !nzchar(trimws(alternative))]
  for (source in xml2::xml_attr(silent, "src")) {
    if (!startsWith(page, "reference/")) fault(page, paste("no alternative text of", substr(source, 1, 80)))
  }
}

index <- file.path(site, "search.json")
if (!file.exists(index) || file.size(index) < 1000) faults <- c(faults, "search.json: no search index")

# Opens a copy of a page with a script that writes what it measures to an attribute of the body.
measure <- "<script>window.addEventListener('load', function() {
  var wide = Array.from(document.querySelectorAll('main pre')).filter(function(e) { return e.scrollWidth > e.clientWidth + 1; });
  var broken = Array.from(document.images).filter(function(i) { return i.complete && i.naturalWidth === 0 && !/^https?:/.test(i.src); });
  document.body.setAttribute('data-measured', [wide.length, broken.length].join(' ') + '|' +
    wide.map(function(e) { return e.innerText.split('\\n').sort(function(a, b) { return b.length - a.length; })[0].slice(0, 90); }).join(' // '));
});</script></body>"

chromium <- Sys.which(c("chromium", "chromium-browser", "google-chrome"))
chromium <- chromium[nzchar(chromium) & !"links" %in% commandArgs(TRUE)]
look_at <- function(page) {
  copy <- file.path(site, dirname(page), paste0("measured-", basename(page)))
  on.exit(unlink(copy))
  text <- paste(readLines(file.path(site, page), encoding = "UTF-8", warn = FALSE), collapse = "\n")
  writeLines(sub("</body>", measure, text, fixed = TRUE), copy, useBytes = TRUE)
  output <- suppressWarnings(system2(chromium[[1L]], c("--headless", "--no-sandbox", "--disable-gpu", "--window-size=800,1200",
    shQuote("--host-resolver-rules=MAP * ~NOTFOUND"), "--virtual-time-budget=3000", "--dump-dom", shQuote(paste0("file://", copy))),
    stdout = TRUE, stderr = FALSE))
  found <- regmatches(output, regexpr("data-measured=\"[^\"]*\"", output))
  if (!length(found)) return(fault(page, "Chromium did not open it"))
  measured <- sub("^data-measured=\"(.*)\"$", "\\1", found[[1L]])
  counts <- as.integer(strsplit(sub("\\|.*", "", measured), " ")[[1L]])
  if (counts[[2L]] > 0L) fault(page, paste(counts[[2L]], "broken images"))
  is_text <- grepl("^(articles/|index)", page)
  if (is_text && counts[[1L]] > 0L) fault(page, paste(counts[[1L]], "blocks of code wider than their box:", sub("^[^|]*\\|", "", measured)))
}
chosen <- setdiff(commandArgs(TRUE), "links")
opened <- if (length(chosen)) grep(chosen[[1L]], pages, value = TRUE) else pages
if (length(chromium)) for (page in opened) look_at(page) else cat("There is no Chromium: widths and rendering are not checked.\n")

writeLines(faults)
cat(sprintf("%d pages, %d faults\n", length(pages), length(faults)))
quit(status = if (length(faults)) 1L else 0L)
