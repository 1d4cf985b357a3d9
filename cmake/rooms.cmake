# One room of src/ is one target kjoule_NAME, so that a call into a room that NAME may not use does not link.

# The unit tests, which are what the address sanitizer looks at, and those in which threads run, the thread sanitizer's.
add_custom_target(unit-tests)
add_custom_target(threaded-tests)

# kjoule_room(NAME [THREADED] [INJECTED] [USES room...] [LIBRARIES target...] [TEST_USES room...])
#
# Makes kjoule_NAME from the *.cpp beside the calling CMakeLists.txt (main.cpp is left to the program that it
# belongs to), and kjoule_NAME_test from the *_test.cpp there, when there are any. THREADED says that threads run in
# these tests, INJECTED that the room becomes a part of the injected library, too.
function(kjoule_room name)
  cmake_parse_arguments(PARSE_ARGV 1 room "THREADED;INJECTED" "" "USES;LIBRARIES;TEST_USES")
  set(target kjoule_${name})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(TRANSFORM room_USES PREPEND kjoule_ OUTPUT_VARIABLE uses)
  list(TRANSFORM room_TEST_USES PREPEND kjoule_ OUTPUT_VARIABLE test_uses)

  if(sources)
    add_library(${target} STATIC ${sources})
    set(reach PUBLIC)
    if(room_INJECTED)
      set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
      # So that the library is linked with what it calls only, though a batch of files has more: no zlib, say, whose code
      # is not position independent.
      target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
      target_link_options(${target} INTERFACE LINKER:--gc-sections)
    endif()
    target_link_libraries(${target} PRIVATE kjoule_flags)
  else()
    add_library(${target} INTERFACE)
    set(reach INTERFACE)
  endif()
  target_include_directories(${target} ${reach} ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} ${reach} ${uses} ${room_LIBRARIES})

  if(KJOULE_TESTS)
    if(NOT KJOULE_SANITIZE)
      kjoule_check_room(${name} "${room_USES}" "${room_TEST_USES}")
    endif()
    if(tests)
      kjoule_test(${name} "${tests}" "${room_THREADED}" ${target} ${test_uses})
    endif()
  endif()
endfunction()

# One test program; each of its cases is a test of its own, labelled with the room and with `unit`.
function(kjoule_test name sources threaded)
  set(program kjoule_${name}_test)
  add_executable(${program} ${sources})
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_link_libraries(${program} PRIVATE ${ARGN} kjoule_flags kjoule_testing)
  # What they test is optimised fully; they themselves need not be, and compile in two thirds of the time.
  target_compile_options(${program} PRIVATE $<$<CONFIG:Release>:-O1>)
  add_dependencies(unit-tests ${program})
  set(labels "${name} unit")  # one label of several words: gtest_discover_tests would cut a list apart
  if(threaded)
    string(APPEND labels " threaded")
    add_dependencies(threaded-tests ${program})
  endif()
  gtest_discover_tests(${program} DISCOVERY_MODE PRE_TEST TEST_PREFIX ${name}:
                       PROPERTIES LABELS "${labels}" TIMEOUT 300)
endfunction()

# Linking cannot see a header of a forbidden room that is inline only; this test can.
function(kjoule_check_room name uses test_uses)
  add_test(NAME ${name}:uses_only_its_rooms
           COMMAND ${CMAKE_COMMAND} -D FOLDER=${CMAKE_CURRENT_SOURCE_DIR} -D SOURCE=${PROJECT_SOURCE_DIR}/src
                   "-DUSES=${uses}" "-DTEST_USES=${test_uses}" -P ${PROJECT_SOURCE_DIR}/cmake/check_room.cmake)
  set_tests_properties(${name}:uses_only_its_rooms PROPERTIES LABELS ${name})
endfunction()
