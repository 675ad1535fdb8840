# SPDX-License-Identifier: Apache-2.0
# How every target of ours is compiled: the language, the warnings, the sanitizers, ccache.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

option(A2A3_BUILD_TESTS "Build the tests" ON)
option(A2A3_BUILD_BENCH "Build the benchmarks" ON)
set(A2A3_SANITIZE "" CACHE STRING "Sanitizers for all of our code, comma separated (address,undefined)")

find_program(A2A3_CCACHE ccache)
mark_as_advanced(A2A3_CCACHE)
if(A2A3_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${A2A3_CCACHE})
endif()

# What a target of ours is built with; linked PRIVATE, so that users of an installed library keep their own flags.
add_library(a2a3_build_flags INTERFACE)
# -Wsign-conversion stays off: Eigen and the standard library mix signed and unsigned indices.
target_compile_options(a2a3_build_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror)
if(A2A3_SANITIZE)
  # GCC 12 takes the checks that a sanitizer adds for reads of uninitialised memory; builds without them keep the warning.
  target_compile_options(a2a3_build_flags INTERFACE -Wno-maybe-uninitialized
    -fsanitize=${A2A3_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(a2a3_build_flags INTERFACE -fsanitize=${A2A3_SANITIZE})
endif()
