# Copies what CMakeLists.txt of this folder describes to CMAKE_INSTALL_PREFIX. `source`, `build`, `torch_builds`, `xgboost` and
# `strip` are set by it.

# Copies a file under another name, without symbols, and without the folders on this machine in which it would search libraries.
function(copy_stripped file to)
  file(COPY_FILE ${file} ${to})
  execute_process(COMMAND ${strip} ${to} COMMAND_ERROR_IS_FATAL ANY)
  file(RPATH_REMOVE FILE ${to})
endfunction()

set(programs ${CMAKE_INSTALL_PREFIX}/bin)
set(libraries ${CMAKE_INSTALL_PREFIX}/lib)
file(MAKE_DIRECTORY ${programs} ${libraries})
copy_stripped(${build}/bin/kjoule ${programs}/kjoule)
foreach(program kjoule-blas kjoule-nccl)
  if(EXISTS ${build}/bin/${program})
    copy_stripped(${build}/bin/${program} ${programs}/${program})
  endif()
endforeach()
if(EXISTS ${build}/bin/libkjoule_inject.so)
  copy_stripped(${build}/bin/libkjoule_inject.so ${libraries}/libkjoule_inject.so)
endif()
copy_stripped(${xgboost} ${libraries}/libxgboost.so.0)

foreach(folder ${build} ${torch_builds})
  if(NOT EXISTS ${folder}/bin/kjoule-torch)
    message(WARNING "${folder} has no kjoule-torch, so this wheel does not support the torch of this build")
    continue()
  endif()
  file(STRINGS ${folder}/CMakeCache.txt version REGEX "^KJOULE_TORCH_VERSION:")
  string(REGEX REPLACE ".*=([0-9]+\\.[0-9]+).*" "\\1" version "${version}")
  copy_stripped(${folder}/bin/kjoule-torch ${programs}/kjoule-torch-${version})
endforeach()

file(INSTALL ${source}/python DESTINATION ${CMAKE_INSTALL_PREFIX}/share/kjoule
     FILES_MATCHING PATTERN *.py PATTERN py.typed PATTERN __pycache__ EXCLUDE)

include(${source}/cmake/licences.cmake)
include(${source}/cmake/shell_files.cmake)
kjoule_install_licences(${source} ${CMAKE_INSTALL_PREFIX}/share/doc/kjoule/licenses)
kjoule_install_shell_files(${build}/bin/kjoule ${CMAKE_INSTALL_PREFIX})
