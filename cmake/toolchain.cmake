# Warnings, sanitizers, and the faster compiler cache and linker where they are installed.

add_library(kjoule_flags INTERFACE)
target_compile_options(kjoule_flags INTERFACE -Wall -Wextra -Wpedantic $<$<BOOL:${KJOULE_WERROR}>:-Werror>)

# clang checks that locks are held where src/base/process/mutex.hpp says that they must be.
target_compile_options(kjoule_flags INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>)

# clang: embedded files are longer than what every compiler takes
target_compile_options(kjoule_flags INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wno-overlength-strings>)

# GCC 12 finds overlaps in sums of texts that are none (its bug 105651).
target_compile_options(kjoule_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)

if(CMAKE_UNITY_BUILD)
  # It asks whether a type of an anonymous namespace is used in a header, and takes the files of a batch for headers.
  target_compile_options(kjoule_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()

if(KJOULE_SANITIZE)
  add_compile_options(-fsanitize=${KJOULE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${KJOULE_SANITIZE})
  # Costs a quarter of the time to compile; the address sanitizer sees null pointers as well.
  add_compile_options(-fno-sanitize=null,alignment,object-size,vptr)
  # g++ 12 sees it in the standard library's own instrumented code
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  set(KJOULE_TORCH_CHILD OFF)  # libtorch is not instrumented
endif()

find_program(KJOULE_CCACHE ccache)
if(KJOULE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The two sloppinesses are what ccache asks for to cache files that use a precompiled header (torch's). Paths in the source tree
  # are passed on as relative ones, so that all clones share what was compiled; files with a precompiled header are not shared.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      ${KJOULE_CCACHE})
endif()

find_program(KJOULE_MOLD mold)
if(KJOULE_MOLD)
  include(CheckLinkerFlag)
  check_linker_flag(CXX -fuse-ld=mold KJOULE_HAVE_MOLD)
  if(KJOULE_HAVE_MOLD)
    add_link_options(-fuse-ld=mold)
  endif()
endif()
