# SPDX-License-Identifier: Apache-2.0
# A layer is a top-level folder built as one library. It can include only the layers it SEES: each
# folder has an include directory of its own in the build tree, holding nothing but a link to that
# folder, and a layer's include path consists of the directories of the layers it sees. Linking a
# layer adds nothing to the include path, so `sim` links `models`, which links `ir`, without seeing
# a header of `ir`.
set(A2A3_INCLUDE_ROOT "${CMAKE_BINARY_DIR}/include")
set(A2A3_INSTALL_INCLUDEDIR "${CMAKE_INSTALL_INCLUDEDIR}/a2a3sim")

# a2a3_see(<target> <layer>...): the target may include the headers of these layers.
function(a2a3_see target)
  foreach(layer IN LISTS ARGN)
    target_include_directories(${target} PRIVATE "${A2A3_INCLUDE_ROOT}/${layer}")
  endforeach()
endfunction()

# a2a3_compile_by_folder(<target> <source>...): the sources of one folder are compiled together, which
# reads the headers once and builds in a third of the time. Switched on by CMAKE_UNITY_BUILD (preset
# release); names in unnamed namespaces are unique in their folder for its sake.
function(a2a3_compile_by_folder target)
  foreach(source IN LISTS ARGN)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
    string(REPLACE "/" "_" folder "${folder}")
    set_property(SOURCE "${source}" PROPERTY UNITY_GROUP "${folder}")
  endforeach()
  set_property(TARGET ${target} PROPERTY UNITY_BUILD_MODE GROUP)
endfunction()

# a2a3_layer(<name> [FOLDER dir] [INCLUDE_AS name] [SUBFOLDERS dir...] SEES layer... [LINKS target...])
# defines the library a2a3_<name> from all sources below FOLDER; with SUBFOLDERS, from those that lie
# directly in FOLDER and in the named folders under it. INCLUDE_AS starts its include paths.
function(a2a3_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 LAYER "" "FOLDER;INCLUDE_AS" "SUBFOLDERS;SEES;LINKS")
  if(NOT LAYER_FOLDER)
    set(LAYER_FOLDER ${name})
  endif()
  if(NOT LAYER_INCLUDE_AS)
    set(LAYER_INCLUDE_AS ${name})
  endif()
  file(MAKE_DIRECTORY "${A2A3_INCLUDE_ROOT}/${name}")
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${LAYER_FOLDER}"
    "${A2A3_INCLUDE_ROOT}/${name}/${LAYER_INCLUDE_AS}" SYMBOLIC)
  set_property(GLOBAL APPEND PROPERTY A2A3_LAYERS ${name})
  set_property(GLOBAL PROPERTY A2A3_${name}_SEES ${LAYER_SEES})
  set_property(GLOBAL PROPERTY A2A3_${name}_INCLUDE_AS ${LAYER_INCLUDE_AS})
  set_property(GLOBAL PROPERTY A2A3_${name}_FOLDER ${LAYER_FOLDER})

  set(root "${PROJECT_SOURCE_DIR}/${LAYER_FOLDER}")
  if(LAYER_SUBFOLDERS)
    list(TRANSFORM LAYER_SUBFOLDERS REPLACE "(.+)" "${root}/\\1/*.cpp")
    file(GLOB sources CONFIGURE_DEPENDS "${root}/*.cpp" ${LAYER_SUBFOLDERS})
  else()
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${root}/*.cpp")
  endif()
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  set(target a2a3_${name})
  if(NOT sources)
    message(STATUS "${LAYER_FOLDER}/ has no sources: ${target} is empty")
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${LAYER_LINKS})
    return()
  endif()

  add_library(${target} STATIC ${sources})
  a2a3_compile_by_folder(${target} ${sources})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PUBLIC ${LAYER_LINKS} PRIVATE $<BUILD_INTERFACE:a2a3_build_flags>)
  a2a3_see(${target} ${LAYER_SEES})
  target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:${A2A3_INSTALL_INCLUDEDIR}>)
endfunction()

# The layers a test of <layer> may include: what the layer itself sees.
function(a2a3_layer_sees layer result)
  get_property(sees GLOBAL PROPERTY A2A3_${layer}_SEES)
  set(${result} ${sees} PARENT_SCOPE)
endfunction()
