#!/bin/sh
# Installs what is missing on Debian or Ubuntu. It touches nothing, and needs no network, where all is there. On other
# systems it says what is needed.
#
#   `sh tools/setup.sh run`     For building and running the package (the default).
#   `sh tools/setup.sh test`    For running the tests as well.
#   `sh tools/setup.sh check`   For R CMD check and rebuilding the help pages as well.
#
# NEARGP_SKIP_SETUP=1 leaves the machine as it is.
set -eu

purpose=${1:-run}
needed="r-base-dev r-cran-rcpp r-cran-rcppeigen r-cran-cli r-cran-rlang r-cran-generics r-cran-nlme r-cran-parallelly"
useful=libfaiss-dev
case $purpose in
  run) ;;
  test | check)
    needed="$needed r-cran-testthat doctest-dev"
    useful="$useful r-cran-withr r-cran-callr r-cran-sf r-cran-terra r-cran-stars r-cran-ggplot2
      r-cran-future.apply r-cran-performance r-cran-lme4 r-cran-mgcv r-cran-emmeans r-cran-igraph
      r-cran-glmmtmb r-cran-mass r-cran-pscl r-cran-randomforest r-cran-ranger
      r-cran-survival" ;;
  *) echo "setup: '$purpose' is none of run, test, check." >&2; exit 2 ;;
esac
if [ "$purpose" = check ]; then
  needed="$needed r-cran-knitr r-cran-rmarkdown pandoc qpdf devscripts"
  useful="$useful r-cran-roxygen2 r-cran-bayestestr r-cran-broom r-cran-car r-cran-data.table
    r-cran-effects r-cran-emmeans r-cran-ggeffects r-cran-insight r-cran-loo r-cran-parameters
    r-cran-posterior r-cran-rsample r-cran-tibble r-cran-distributional r-cran-dbi r-cran-rsqlite
    r-cran-raster"
fi

if [ -n "${NEARGP_SKIP_SETUP:-}" ]; then
  echo "setup: skipped, since NEARGP_SKIP_SETUP is set."
  exit 0
fi

if ! command -v apt-get > /dev/null || ! command -v dpkg-query > /dev/null; then
  echo "setup: this is neither Debian nor Ubuntu. Needed is what these packages hold:"
  echo "setup: $needed"
  exit 0
fi

missing_of() {
  for package in "$@"; do
    dpkg-query --show --showformat '${db:Status-Status}' "$package" 2> /dev/null |
      grep -qx installed || printf ' %s' "$package"
  done
}

# The lists are split at blanks on purpose, here and below.
# shellcheck disable=SC2086
missing_needed=$(missing_of $needed) missing_useful=$(missing_of $useful)
if [ -z "$missing_needed$missing_useful" ]; then
  echo "setup: all that is needed is installed."
  exit 0
fi

as_root=
if [ "$(id -u)" -ne 0 ]; then
  as_root=sudo
  if ! command -v sudo > /dev/null; then
    echo "setup: an administrator has to install:$missing_needed$missing_useful" >&2
    [ -z "$missing_needed" ]
    exit
  fi
fi

install() {
  echo "setup: installing $*"
  $as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "$@"
}

$as_root apt-get update -qq ||
  echo "setup: the lists of packages could not be refreshed; going on with those at hand."
# shellcheck disable=SC2086
if [ -n "$missing_needed" ]; then
  install $missing_needed
fi
# shellcheck disable=SC2086
if [ -n "$missing_useful" ]; then
  install $missing_useful || for package in $missing_useful; do
    install "$package" || echo "setup: that failed; what needs $package is left out."
  done
fi
