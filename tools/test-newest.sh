#!/bin/sh
# Builds the package, and runs its tests and R CMD check with the newest R, compilers and packages of Debian. They are
# those of its unstable distribution, in a system of its own below _build/newest. Needs root and debootstrap, some GB of
# disk, and a network the first time. The last line says "N passed, N failed, N skipped".
#
# NEARGP_NEWEST=/srv/sid names another folder, whose system is made where there is none. NEARGP_NEWEST_TESTS=no leaves
# the tests out.
set -eu

cd "$(dirname "$0")/.."
system=${NEARGP_NEWEST:-$PWD/_build/newest}
if [ ! -e "$system/etc/debian_version" ]; then
  mkdir -p "$system"
  debootstrap --variant=minbase --include=ca-certificates,git sid "$system"
fi
rm -rf "$system/neargp"
mkdir -p "$system/proc" "$system/neargp"
mountpoint -q "$system/proc" || mount -t proc proc "$system/proc"
failed=0
trap 'umount "$system/proc"' EXIT
git ls-files -z | xargs -0 cp --parents -t "$system/neargp"
chroot "$system" sh -c 'cd neargp && sh tools/setup.sh check && g++ --version | head -n 1 && R --version | head -n 1 &&
  Rscript -e "print(packageVersion(\"RcppEigen\"))" && sh tools/install.sh check && sh tools/check-package.sh' || failed=1
[ "${NEARGP_NEWEST_TESTS:-yes}" = no ] || chroot "$system" sh -c 'cd neargp && sh tools/test.sh' || failed=1
exit "$failed"
