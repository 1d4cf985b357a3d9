# One module of src/ is one folder and one target kjoule_NAME, so that a call into a module that NAME may not use does
# not link.

# The unit tests, which the address sanitizer checks; those in which threads run, which the thread sanitizer checks; and
# those that make test runs in the optimised build.
add_custom_target(unit-tests)
add_custom_target(threaded-tests)
add_custom_target(optimised-tests)
# What the Python tests run: the programs, the stand-ins for libraries, and what uses those.
add_custom_target(tested-programs)
add_dependencies(tested-programs programs)
# Of these, what tools/test_races runs if no tests are named.
add_custom_target(raced-programs)

# kjoule_folder(MODULE FOLDER [USES folder...] [SOURCES file...] [TESTS file...])
#
# Adds the files of a folder to MODULE, which lists the folder with FOLDERS. The folder may use the other folders of the
# module that USES names, which must come before it; "." is the module's own folder. A test checks its includes.
function(kjoule_folder name folder)
  cmake_parse_arguments(PARSE_ARGV 2 folder "" "" "USES;SOURCES;TESTS")
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR PARENT_PATH module_folder)
  foreach(used ${folder_USES})
    get_property(is_before GLOBAL PROPERTY kjoule_folder_${module_folder}/${used})
    if(NOT used STREQUAL "." AND NOT is_before)
      message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR}: the folder ${used}, which it uses, does not come before it")
    endif()
  endforeach()
  get_property(is_checked GLOBAL PROPERTY kjoule_folder_${CMAKE_CURRENT_SOURCE_DIR})  # of another target's call
  set_property(GLOBAL PROPERTY kjoule_folder_${CMAKE_CURRENT_SOURCE_DIR} TRUE)
  foreach(kind SOURCES TESTS)
    list(TRANSFORM folder_${kind} PREPEND ${folder}/)
    set_property(GLOBAL APPEND PROPERTY kjoule_${kind}_of_${name} ${folder_${kind}})
  endforeach()
  if(KJOULE_TESTS AND NOT KJOULE_SANITIZE AND NOT is_checked)
    cmake_path(GET module_folder FILENAME module)
    add_test(NAME ${name}:${folder}_uses_only_its_folders
             COMMAND ${CMAKE_COMMAND} -D MODULE=${module} -D FOLDER=${CMAKE_CURRENT_SOURCE_DIR} -D NAME=${folder}
                     "-DUSES=${folder_USES}" -P ${PROJECT_SOURCE_DIR}/cmake/check_folder.cmake)
    set_tests_properties(${name}:${folder}_uses_only_its_folders PROPERTIES LABELS "${name};structure")
  endif()
endfunction()

# kjoule_module(NAME [THREADED] [OPTIMISED] [INJECTED] [COLD] [USES module...] [LIBRARIES target...]
#               [TEST_USES module...] [FOLDERS folder...] [SOURCES file...] [TESTS file...])
#
# Makes kjoule_NAME from SOURCES and kjoule_NAME_test from TESTS, with those of its FOLDERS, ground floor first
# (kjoule_folder). THREADED: threads run in these tests. OPTIMISED: the tests cannot be built with a sanitizer, or some
# repeat a computation for hundreds of seeds, which takes minutes with one. INJECTED: the module is compiled so that it can be a part of a
# library that is injected: the real one, or the tests' stand-in. COLD: the module's code takes a negligible part of any
# run, so that a quarter of its compile time is saved by optimising less.
function(kjoule_module name)
  cmake_parse_arguments(PARSE_ARGV 1 module "THREADED;OPTIMISED;INJECTED;COLD" "" "USES;LIBRARIES;TEST_USES;FOLDERS;SOURCES;TESTS")
  foreach(folder ${module_FOLDERS})
    add_subdirectory(${folder})
  endforeach()
  foreach(kind SOURCES TESTS)
    get_property(of_folders GLOBAL PROPERTY kjoule_${kind}_of_${name})
    list(APPEND module_${kind} ${of_folders})
  endforeach()
  set(target kjoule_${name})
  list(TRANSFORM module_USES PREPEND kjoule_ OUTPUT_VARIABLE uses)
  list(TRANSFORM module_TEST_USES PREPEND kjoule_ OUTPUT_VARIABLE test_uses)

  add_library(${target} STATIC ${module_SOURCES})
  if(module_INJECTED)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    # The library is linked with only what it calls, although a batch of files has more: zlib, for example, whose code
    # is not position independent.
    target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
    target_link_options(${target} INTERFACE LINKER:--gc-sections)
  endif()
  if(module_COLD)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  if(KJOULE_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)  # tests compile faster without it
  endif()
  target_link_libraries(${target} PRIVATE kjoule_flags PUBLIC ${uses} ${module_LIBRARIES})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/src)

  if(KJOULE_TESTS)
    if(NOT KJOULE_SANITIZE)
      kjoule_check_module(${name} "${module_USES}" "${module_TEST_USES}")
    endif()
    if(module_TESTS)
      set(kinds)
      foreach(kind THREADED OPTIMISED)
        if(module_${kind})
          string(TOLOWER ${kind} kind)
          list(APPEND kinds ${kind})
        endif()
      endforeach()
      kjoule_test(${name} "${module_TESTS}" "${kinds}" ${target} ${test_uses})
    endif()
  endif()
endfunction()

# kjoule_test_program(NAME SOURCES KINDS target...): makes kjoule_NAME_test, which uses the targets. For each of KINDS, there
# is a target with all programs of this kind (threaded-tests, optimised-tests).
function(kjoule_test_program name sources kinds)
  set(program kjoule_${name}_test)
  add_executable(${program} ${sources})
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_link_libraries(${program} PRIVATE ${ARGN} kjoule_flags kjoule_testing)
  # What they test is optimised fully; they themselves need not be, and compile in two thirds of the time.
  target_compile_options(${program} PRIVATE $<$<CONFIG:Release>:-O1>)
  foreach(kind unit ${kinds})
    add_dependencies(${kind}-tests ${program})
  endforeach()
endfunction()

# The program, as one test: most cases take less time than a start of the program. Its labels are the module, `unit` and KINDS.
function(kjoule_test name sources kinds)
  kjoule_test_program(${name} "${sources}" "${kinds}" ${ARGN})
  add_test(NAME ${name} COMMAND kjoule_${name}_test)
  set_tests_properties(${name} PROPERTIES LABELS "${name};unit;${kinds}" TIMEOUT 1500 ENVIRONMENT GTEST_BRIEF=1)
  if("optimised" IN_LIST kinds)
    set_tests_properties(${name} PROPERTIES COST 100)  # They take longest, so that they begin first.
  endif()
endfunction()

# The program, each of whose cases is a test, because a case may leave the process in a state in which others fail.
function(kjoule_test_by_case name sources kinds)
  kjoule_test_program(${name} "${sources}" "${kinds}" ${ARGN})
  string(REPLACE ";" " " labels "${name} unit ${kinds}")  # one label of several words: gtest_discover_tests would cut a list apart
  gtest_discover_tests(kjoule_${name}_test DISCOVERY_MODE PRE_TEST TEST_PREFIX ${name}:
                       PROPERTIES LABELS "${labels}" TIMEOUT 300)
endfunction()

# Linking cannot see an inline header of a forbidden module, nor a source that no list names; this test can.
function(kjoule_check_module name uses test_uses)
  add_test(NAME ${name}:uses_only_its_modules
           COMMAND ${CMAKE_COMMAND} -D FOLDER=${CMAKE_CURRENT_SOURCE_DIR} -D SOURCE=${PROJECT_SOURCE_DIR}/src
                   "-DUSES=${uses}" "-DTEST_USES=${test_uses}" -P ${PROJECT_SOURCE_DIR}/cmake/check_module.cmake)
  set_tests_properties(${name}:uses_only_its_modules PROPERTIES LABELS "${name};structure")
endfunction()
