cmake_minimum_required(VERSION 3.25)
# Fails when a file of a module's folder includes a header of the same module from a folder that it may not use. Tests
# may include any.
# Run as: cmake -D MODULE=cuda -D FOLDER=src/cuda/calls -D NAME=calls -D USES=driver -P check_folder.cmake

file(GLOB files RELATIVE ${FOLDER} ${FOLDER}/*.cpp ${FOLDER}/*.hpp)
foreach(file ${files})
  if(file MATCHES "_test\\.cpp$")
    continue()
  endif()
  file(STRINGS ${FOLDER}/${file} includes REGEX "^#include \"${MODULE}/.*\"")
  foreach(include ${includes})
    if(include MATCHES "^#include \"${MODULE}/([^/]*)/")
      set(used ${CMAKE_MATCH_1})
    else()
      set(used ".")
    endif()
    if(NOT used STREQUAL NAME AND NOT used IN_LIST USES)
      message(SEND_ERROR "${FOLDER}/${file}: ${NAME} may not use ${used}: ${include}")
    endif()
  endforeach()
endforeach()
