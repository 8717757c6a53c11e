#!/bin/sh
# R CMD check as CRAN does it, except for checks that need a network, of the package in _build/library, without its
# tests and articles. Also checks whether methods take the arguments of their generics, which R asks from 4.6 on. Exit
# status 1 for an error, a warning or a note that is not among those below.
set -eu

cd "$(dirname "$0")/.."
root=$PWD
copy=$root/_build/as-cran

# Each with its reason.
# - The library holds the same vector code for several instruction sets.
# - Without a network nothing is known of other packages.
# - The owner must name the maintainer.
allowed='checking installed package size|checking package dependencies|checking CRAN incoming feasibility|checking for future file timestamps'

rm -rf "$copy"
mkdir -p "$copy"
git ls-files -z 2> /dev/null | xargs -0 cp --parents -t "$copy" 2> /dev/null || true
[ -f "$copy/DESCRIPTION" ] || tar cf - --exclude=./_build . | tar xf - -C "$copy"
cd "$copy"
export _R_CHECK_FORCE_SUGGESTS_=false _R_CHECK_CRAN_INCOMING_=false _R_CHECK_CRAN_INCOMING_REMOTE_=false
export _R_CHECK_SYSTEM_CLOCK_=false _R_CHECK_XREFS_USE_ALIASES_FROM_CRAN_=false
R CMD build --no-build-vignettes . > "$copy.log" 2>&1 || { cat "$copy.log"; exit 1; }
R CMD check --as-cran --no-manual --no-tests --ignore-vignettes --install=check:"$root/_build/install.log" \
  --library="$root/_build/library" neargp_*.tar.gz || true
grep '^Status: ' neargp.Rcheck/00check.log
if grep -Eq '^Status: .*(ERROR|WARNING)' neargp.Rcheck/00check.log; then exit 1; fi
if grep -E '^\* .*NOTE$' neargp.Rcheck/00check.log | grep -vE "$allowed"; then exit 1; fi
R_LIBS=$root/_build/library Rscript --vanilla -e 'found <- tools::checkS3methods("neargp")' -e 'print(found)' \
  -e 'quit(status = length(found) > 0)'
