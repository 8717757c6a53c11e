#!/bin/sh
# Fails where one of these is found:
#
# - A source of the core that clang-format would change (.clang-format).
# - R code wider than 100 columns, or a name in it that is not in snake_case.
# - A line of any source that ends in a blank.
# - A finding of clang-tidy (.clang-tidy) or lintr in files that differ from the last commit.
# - More sentences that break a rule of plain English than tools/writing.txt allows (tools/check-writing.R).
#
# Tools that are missing are skipped.
#
#   `sh tools/check-style.sh`       Says which files differ.
#   `sh tools/check-style.sh fix`   Formats them.
#   `NEARGP_LINT_SINCE=main`        Looks into the files that differ from another commit: seconds for each.
set -eu

cd "$(dirname "$0")/.."

# RcppExports.cpp is generated.
sources() {
  git ls-files '*.cpp' '*.h' '*.cu' | grep -v '^src/RcppExports.cpp$'
}

# Versions differ in details.
version=14
status=0
if ! clang-format --version 2> /dev/null | grep -q " version $version\."; then
  echo "There is no clang-format $version: the core's format is not checked."
elif [ "${1:-check}" = fix ]; then
  sources | xargs clang-format -i
else
  sources | xargs clang-format --dry-run --Werror 2>&1 | sed -n 's/:.*error: code should be clang-formatted.*//p' | sort | uniq -c |
    awk '{ print $2 ": " $1 " places are not as clang-format has them" } END { exit NR > 0 }' || status=1
  [ "$status" -eq 0 ] || echo "Run sh tools/check-style.sh fix and commit what it changes."
fi

# A message of 60 characters and more, a row of a table and an address stand in one line. Bytes that continue a character do not count.
wide=$(git ls-files 'R/*.R' 'tests/testthat/*.R' | grep -v '^R/RcppExports.R$' | LC_ALL=C xargs awk '{
  gsub(/[\200-\277]/, "")
  bare = $0
  gsub(/"([^"\\]|\\.)*"/, "\"\"", bare)
  if (length($0) > 100 && length($0) - length(bare) < 60 && $0 !~ /^#\047 \|/ && $0 !~ /https?:/) print FILENAME ":" FNR
}')
if [ -n "$wide" ]; then
  echo "$wide"
  echo "The lines above are wider than 100 columns."
  status=1
fi

if git grep -nI '[[:blank:]]$' -- '*.R' '*.sh' '*.cpp' '*.h' '*.cu' '.ci/run'; then
  echo "The lines above end in blanks."
  status=1
fi
# Names of methods contain dots. Matrices may use the letter of their formulas, and hooks and generics of R the names
# that R gives them.
named=$(git ls-files 'R/*.R' 'tests/testthat/*.R' | xargs awk 'match($0, /^ *`?[A-Za-z.][A-Za-z0-9._]*`? <- /) {
  name = substr($0, 1, RLENGTH - 4)
  gsub(/[ `]/, "", name)
  if (name !~ /^\.?[a-z][a-z0-9_]*(\.[A-Za-z][A-Za-z0-9_.]*)*$/ && name !~ /^([A-Z]0?|\.on(Unl|L)oad|(logLik|AIC|BIC)\..*|[A-Za-z]+\.neargp[a-z_]*)$/)
    print FILENAME ":" FNR ": " name
}')
if [ -n "$named" ]; then
  echo "$named"
  echo "The names above are not in snake_case."
  status=1
fi

Rscript --vanilla tools/check-writing.R || status=1

since=${NEARGP_LINT_SINCE:-HEAD}
if ! git rev-parse --quiet --verify "$since^{commit}" > /dev/null; then
  echo "There is no commit $since: clang-tidy and lintr are not asked."
  exit "$status"
fi

changed() {
  git diff --name-only --diff-filter=d "$since" -- "$@"
}

eigen=$(for folder in /usr/include/eigen3 /usr/lib/R/site-library/RcppEigen/include; do [ ! -d "$folder" ] || echo "$folder"; done | head -n 1)
if ! clang-tidy --version 2> /dev/null | grep -q " version $version\."; then
  echo "There is no clang-tidy $version: the core is not linted."
elif ! changed 'src/core/*.cpp' | xargs -r -n 4 -P 2 sh -c 'eigen=$1; shift; clang-tidy --quiet "$@" -- -std=c++17 -Isrc/core \
    -isystem "$eigen" 2> /dev/null' sh "$eigen"; then
  status=1
fi

if ! Rscript --vanilla -e 'quit(status = !requireNamespace("lintr", quietly = TRUE))' 2> /dev/null; then
  echo "There is no lintr: R code is not linted."
elif ! changed 'R/*.R' | xargs -r -n 20 -P 2 Rscript --vanilla -e 'found <- lapply(commandArgs(TRUE), lintr::lint)
    for (of_file in Filter(length, found)) print(of_file)
    quit(status = any(lengths(found) > 0))' 2> /dev/null; then
  status=1
fi
exit "$status"
