# SPDX-License-Identifier: Apache-2.0
# Finds Accellera SystemC as Debian ships it (libsystemc-dev has a pkg-config file but no CMake package)
# and defines SystemC::systemc. The standard's version is pinned to that of the compiled library:
# Debian builds it as C++17, and a C++20 program links only when every file that includes SystemC agrees.
find_path(SystemC_INCLUDE_DIR NAMES systemc tlm)
find_library(SystemC_LIBRARY NAMES systemc)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SystemC REQUIRED_VARS SystemC_LIBRARY SystemC_INCLUDE_DIR)
mark_as_advanced(SystemC_INCLUDE_DIR SystemC_LIBRARY)

if(SystemC_FOUND AND NOT TARGET SystemC::systemc)
  find_package(Threads REQUIRED)
  add_library(SystemC::systemc UNKNOWN IMPORTED)
  set_target_properties(SystemC::systemc PROPERTIES
    IMPORTED_LOCATION "${SystemC_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${SystemC_INCLUDE_DIR}"
    INTERFACE_COMPILE_DEFINITIONS "SC_CPLUSPLUS=201703L;SC_INCLUDE_DYNAMIC_PROCESSES"
    INTERFACE_LINK_LIBRARIES Threads::Threads)
endif()
