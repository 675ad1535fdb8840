# SPDX-License-Identifier: Apache-2.0
# cmake --install: the program, its data (machines, examples), and the library a2a3sim::api for C++ users.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/a2a3sim")
set(data_dir "${CMAKE_INSTALL_DATADIR}/a2a3sim")

get_property(layers GLOBAL PROPERTY A2A3_LAYERS)
list(REMOVE_ITEM layers tools)
foreach(layer IN LISTS layers)
  get_property(folder GLOBAL PROPERTY A2A3_${layer}_FOLDER)
  get_property(include_as GLOBAL PROPERTY A2A3_${layer}_INCLUDE_AS)
  install(TARGETS a2a3_${layer} EXPORT a2a3sim ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT library)
  install(DIRECTORY ${folder}/ DESTINATION "${A2A3_INSTALL_INCLUDEDIR}/${include_as}" COMPONENT library
    FILES_MATCHING PATTERN "*.hpp")
endforeach()

configure_package_config_file(cmake/a2a3simConfig.cmake.in a2a3simConfig.cmake INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(a2a3simConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  "${CMAKE_CURRENT_BINARY_DIR}/a2a3simConfig.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/a2a3simConfigVersion.cmake"
  cmake/FindSystemC.cmake
  DESTINATION "${package_dir}" COMPONENT library)
install(EXPORT a2a3sim NAMESPACE a2a3sim:: FILE a2a3simTargets.cmake DESTINATION "${package_dir}" COMPONENT library)

if(TARGET a2a3sim)
  install(TARGETS a2a3sim RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)
endif()
install(DIRECTORY yaml examples DESTINATION "${data_dir}" COMPONENT program OPTIONAL
  PATTERN "__pycache__" EXCLUDE)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT program)
