# Libraries from the distribution. All but GoogleTest and rapidcheck are headers only, so that the programs
# run on machines where none of them is installed.

set(KJOULE_INSTALL_HINT "run tools/setup, which installs it")

function(kjoule_find_headers target file package)
  find_path(${target}_FOLDER ${file})
  if(NOT ${target}_FOLDER)
    message(FATAL_ERROR "${file} not found (Debian: ${package}): ${KJOULE_INSTALL_HINT}")
  endif()
  add_library(${target} INTERFACE)
  if(NOT ${target}_FOLDER STREQUAL "/usr/include")
    target_include_directories(${target} SYSTEM INTERFACE ${${target}_FOLDER})
  endif()
endfunction()

find_package(Threads REQUIRED)
kjoule_find_headers(kjoule_json nlohmann/json.hpp nlohmann-json3-dev)
kjoule_find_headers(kjoule_fmt fmt/format.h libfmt-dev)
target_compile_definitions(kjoule_fmt INTERFACE FMT_HEADER_ONLY)
kjoule_find_headers(kjoule_xxhash xxhash.h libxxhash-dev)
target_compile_definitions(kjoule_xxhash INTERFACE XXH_INLINE_ALL)
kjoule_find_headers(kjoule_cli11 CLI/CLI.hpp libcli11-dev)
kjoule_find_headers(kjoule_boost_math boost/math/distributions/students_t.hpp libboost-math-dev)

if(KJOULE_TESTS)
  find_package(GTest QUIET)
  find_library(KJOULE_RAPIDCHECK rapidcheck)
  if(NOT GTest_FOUND OR NOT KJOULE_RAPIDCHECK)
    message(FATAL_ERROR "GoogleTest or rapidcheck not found (Debian: libgtest-dev, librapidcheck-dev): "
                        "${KJOULE_INSTALL_HINT}, or configure with -DKJOULE_TESTS=OFF")
  endif()
  include(GoogleTest)
  add_library(kjoule_testing INTERFACE)
  target_link_libraries(kjoule_testing INTERFACE GTest::gtest_main ${KJOULE_RAPIDCHECK} Threads::Threads)
endif()
