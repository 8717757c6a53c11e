#!/bin/sh
# Builds the package and runs its tests with the newest R, compilers and packages that Debian has, those of its unstable
# distribution, in a system of its own below _build/newest. Needs root and debootstrap, some GB of disk, and a network the first
# time. The last line says "N passed, N failed, N skipped".
#
# NEARGP_NEWEST=/srv/sid names another folder, whose system is made where there is none.
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
trap 'umount "$system/proc"' EXIT
git ls-files -z | xargs -0 cp --parents -t "$system/neargp"
chroot "$system" sh -c 'cd neargp && sh tools/setup.sh check && g++ --version | head -n 1 && R --version | head -n 1 &&
  Rscript -e "print(packageVersion(\"RcppEigen\"))" && sh tools/test.sh'
