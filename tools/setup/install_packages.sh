#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that a2a3sim is built from. Touches nothing, and needs neither network nor root,
# when they are all present.
#   usage: install_packages.sh [build] [plots] [cluster] [style] [tidy]     (default: build)
# plots: what `compare --plot` and its tests draw with; cluster: the Slurm that tests/cluster starts.
set -eu

build="g++ cmake ninja-build make python3
  libsystemc-dev libeigen3-dev libyaml-cpp-dev libgtest-dev libbenchmark-dev libcli11-dev libfmt-dev
  nlohmann-json3-dev"
plots="gnuplot-nox"
cluster="slurm-wlm munge"
style="python3 clang-format"
tidy="clang-tidy"

wanted=""
for group in "${@:-build}"; do
  case "$group" in
    build) wanted="$wanted $build" ;;
    plots) wanted="$wanted $plots" ;;
    cluster) wanted="$wanted $cluster" ;;
    style) wanted="$wanted $style" ;;
    tidy) wanted="$wanted $tidy" ;;
    *) echo "install_packages.sh: unknown group '$group' (build, plots, cluster, style, tidy)" >&2; exit 1 ;;
  esac
done

if ! command -v dpkg-query >/dev/null; then
  echo "a2a3sim needs these packages, by the names Debian gives them; install them with your system's package manager:" >&2
  echo " " $wanted >&2
  exit 1
fi

missing=""
for package in $wanted; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing="$missing $package"
done
if [ -z "$missing" ]; then
  echo "packages: all present"
  exit 0
fi

if [ "$(id -u)" -eq 0 ]; then
  as_root=""
elif command -v sudo >/dev/null; then
  as_root="sudo"
else
  echo "These packages are missing, and installing them takes root. As root, run:" >&2
  echo "  apt-get update && apt-get install -y --no-install-recommends$missing" >&2
  exit 1
fi

echo "packages: installing$missing"
$as_root apt-get update -q
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
