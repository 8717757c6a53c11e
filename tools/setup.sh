#!/bin/sh
# Installs what is missing on Debian or Ubuntu; touches nothing, and needs no
# network, where all is there. On other systems it says what is needed.
#
#   sh tools/setup.sh run     to build and run the package (the default)
#   sh tools/setup.sh test    ... and to run the tests
#   sh tools/setup.sh check   ... and to run R CMD check and rebuild the help pages
#
# NEARGP_SKIP_SETUP=1 leaves the machine as it is.
set -eu

purpose=${1:-run}
run="r-base-dev r-cran-rcpp r-cran-rcppeigen r-cran-cli r-cran-rlang r-cran-generics"
test="$run r-cran-testthat r-cran-withr r-cran-callr r-cran-sf r-cran-terra
  r-cran-stars r-cran-ggplot2 r-cran-statmod r-cran-fnn r-cran-future.apply
  doctest-dev"
check="$test r-cran-knitr r-cran-rmarkdown r-cran-roxygen2 pandoc qpdf devscripts"

case $purpose in
  run) wanted=$run ;;
  test) wanted=$test ;;
  check) wanted=$check ;;
  *) echo "setup: '$purpose' is none of run, test, check." >&2; exit 2 ;;
esac

if [ -n "${NEARGP_SKIP_SETUP:-}" ]; then
  echo "setup: skipped, since NEARGP_SKIP_SETUP is set."
  exit 0
fi

if ! command -v apt-get > /dev/null || ! command -v dpkg-query > /dev/null; then
  echo "setup: this is neither Debian nor Ubuntu. Needed are R with its build tools,"
  echo "setup: and what these packages hold:"
  echo "$wanted"
  exit 0
fi

is_installed() {
  dpkg-query --show --showformat '${db:Status-Status}' "$1" 2> /dev/null | grep -qx installed
}

missing=
for package in $wanted; do
  is_installed "$package" || missing="$missing $package"
done

if [ -z "$missing" ]; then
  echo "setup: all that is needed is installed."
  exit 0
fi

as_root=
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo > /dev/null; then
    echo "setup: to be installed by an administrator: apt-get install$missing" >&2
    exit 1
  fi
  as_root=sudo
fi

echo "setup: installing$missing"
$as_root apt-get update -qq || echo "setup: the package lists could not all be refreshed; trying with what is known."
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends $missing
