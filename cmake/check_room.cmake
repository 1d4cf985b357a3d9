cmake_minimum_required(VERSION 3.25)
# Fails when a file of a room includes a header of a room that it may not use.
# Run as: cmake -D FOLDER=src/NAME -D SOURCE=src -D USES=a;b -D TEST_USES=c -P check_room.cmake

file(RELATIVE_PATH own ${SOURCE} ${FOLDER})
# a target's name has no slash: child_inject is the room child/inject
string(REPLACE "child_" "child/" USES "${USES}")
string(REPLACE "child_" "child/" TEST_USES "${TEST_USES}")
file(GLOB files ${FOLDER}/*.cpp ${FOLDER}/*.hpp)
foreach(file ${files})
  set(allowed ${own} ${USES})
  if(file MATCHES "_test\\.cpp$")
    list(APPEND allowed ${TEST_USES})
  endif()
  file(STRINGS ${file} includes REGEX "^#include \".*/.*\"")
  foreach(include ${includes})
    string(REGEX REPLACE "^#include \"(.*)/[^/]*\".*" "\\1" room "${include}")
    if(NOT room IN_LIST allowed)
      message(SEND_ERROR "${file}: ${own} may not use ${room}: ${include}")
    endif()
  endforeach()
endforeach()
