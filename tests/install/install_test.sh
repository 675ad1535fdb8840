#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs a build into a fresh directory, then uses it as a stranger would: the program from another directory
# with the installed data, and the library from another CMake project.
#   usage: install_test.sh CMAKE BUILD_DIR SOURCE_DIR COMPILER
set -eu
cmake=$1 build=$2 source=$3 compiler=$4
prefix="$build/install-test/prefix"
rm -rf "$build/install-test"
mkdir -p "$prefix"

"$cmake" --install "$build" --prefix "$prefix" >"$build/install-test/install.log"
cd "$build/install-test"
unset A2A3_DATA_DIR
# The source tree has the same files: it must be the installed one that is read.
sed -i 's/^description:.*/description: the installed one/' "$prefix/share/a2a3sim/yaml/machines/a2.yaml"
"$prefix/bin/a2a3sim" machine show a2 | grep -q 'the installed one'
"$prefix/bin/a2a3sim" run "$prefix/share/a2a3sim/examples/13_allgather.py" -d 0,1 | tail -n 1 | grep -x OK

"$prefix/bin/a2a3sim" compare broadcast --ranks 2 --bytes 1KiB | grep -q '^2 ranks:'

"$cmake" -S "$source/tests/install" -B user -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$compiler" >configure.log
"$cmake" --build user >build.log
./user/user
