#!/bin/sh
# Fails where a source of the core is not as clang-format has it by .clang-format, where R code is wider than 100 columns, or
# where a line of any source ends in a blank.
#
#   sh tools/check-style.sh          says which files differ
#   sh tools/check-style.sh fix      formats them
set -eu

cd "$(dirname "$0")/.."

# Generated is RcppExports.cpp.
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
exit "$status"
