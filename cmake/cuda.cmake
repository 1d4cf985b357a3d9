# What the injected library is built with: cuda.h, cupti.h and NVRTC, which come with .venv's torch (tools/setup) and with
# every CUDA toolkit, and a library to link against: a toolkit's stub of the driver, else our stand-in (tests/fakes/driver).
# Where one is missing kjoule is built without it and says so (kjoule doctor).

option(KJOULE_CUDA "Build libkjoule_inject.so where the headers of CUDA are found" ON)
set(KJOULE_CUDA_FOUND OFF)

# Folders that may hold include/ and a folder of libraries, best first: beside torch, then toolkits.
function(kjoule_cuda_places result)
  set(packages ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages)
  if(KJOULE_TORCH_FOLDER)
    set(packages ${KJOULE_TORCH_FOLDER}/.. ${packages})
  endif()
  list(TRANSFORM packages APPEND /nvidia/cu1*)
  file(GLOB beside ${packages})
  find_program(KJOULE_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin /usr/local/cuda/bin)
  if(KJOULE_NVCC)
    get_filename_component(nvcc ${KJOULE_NVCC} REALPATH)
    get_filename_component(toolkit ${nvcc}/../.. ABSOLUTE)
    set(toolkits ${toolkit} ${toolkit}/targets/x86_64-linux ${toolkit}/extras/CUPTI)
  endif()
  set(${result} ${beside} ${toolkits} PARENT_SCOPE)
endfunction()

function(kjoule_find_cuda)
  kjoule_cuda_places(places)
  find_path(KJOULE_CUDA_FOLDER cuda.h HINTS ${places} PATH_SUFFIXES include)
  find_path(KJOULE_CUPTI_FOLDER cupti.h HINTS ${places} PATH_SUFFIXES include)
  find_path(KJOULE_NVRTC_FOLDER nvrtc.h HINTS ${places} PATH_SUFFIXES include)
  # cupti.h needs this header of the compiler nvcc. Torch does not bring it, but Triton, which comes with torch, does.
  set(triton ${places})
  list(TRANSFORM triton APPEND /../../triton/backends/nvidia)
  find_path(KJOULE_CRT_FOLDER crt/host_defines.h HINTS ${places} ${triton} PATH_SUFFIXES include)
  find_library(KJOULE_NVRTC NAMES nvrtc libnvrtc.so.13 NAMES_PER_DIR HINTS ${places} PATH_SUFFIXES lib lib64)
  find_library(KJOULE_CUDA_DRIVER cuda HINTS ${places} PATH_SUFFIXES lib/stubs lib64/stubs)
endfunction()

# It is loaded into programs that the address sanitizer has not instrumented. With the thread sanitizer, the stand-in
# driver and its programs are instrumented, too.
if(KJOULE_CUDA AND (NOT KJOULE_SANITIZE OR KJOULE_SANITIZE STREQUAL "thread"))
  kjoule_find_cuda()
  if(KJOULE_CUDA_FOLDER)
    file(STRINGS ${KJOULE_CUDA_FOLDER}/cuda.h version REGEX "^#define CUDA_VERSION ")
    string(REGEX REPLACE "[^0-9]*([0-9]+)[0-9][0-9][0-9]$" "\\1" KJOULE_CUDA_MAJOR "${version}")
  endif()
  if(KJOULE_CUDA_FOLDER AND KJOULE_CUDA_MAJOR LESS 13)
    message(NOTICE "${KJOULE_CUDA_FOLDER}/cuda.h is of CUDA ${KJOULE_CUDA_MAJOR}, but libkjoule_inject.so needs the headers of CUDA 13: "
                   "built without it")
  elseif(KJOULE_CUDA_FOLDER AND KJOULE_CUPTI_FOLDER AND KJOULE_CRT_FOLDER AND KJOULE_NVRTC_FOLDER AND KJOULE_NVRTC)
    set(KJOULE_CUDA_FOUND ON)
    add_library(kjoule_cuda_headers INTERFACE)
    target_include_directories(kjoule_cuda_headers SYSTEM INTERFACE ${KJOULE_CUDA_FOLDER} ${KJOULE_CUPTI_FOLDER} ${KJOULE_CRT_FOLDER})
    add_library(kjoule_cuda_driver INTERFACE)
    target_link_libraries(kjoule_cuda_driver INTERFACE kjoule_cuda_headers ${CMAKE_DL_LIBS})
    if(KJOULE_CUDA_DRIVER)
      target_link_libraries(kjoule_cuda_driver INTERFACE ${KJOULE_CUDA_DRIVER})
    else()
      target_link_libraries(kjoule_cuda_driver INTERFACE stand_in_cuda)
    endif()
    add_executable(make_ptx ${PROJECT_SOURCE_DIR}/cmake/make_ptx.cpp)
    set_target_properties(make_ptx PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tools EXCLUDE_FROM_ALL ON)
    target_include_directories(make_ptx SYSTEM PRIVATE ${KJOULE_NVRTC_FOLDER})
    target_link_libraries(make_ptx PRIVATE ${KJOULE_NVRTC} kjoule_flags)
  else()
    message(STATUS "no cuda.h, cupti.h, crt/host_defines.h and NVRTC (of .venv or a CUDA toolkit): built without libkjoule_inject.so")
  endif()
endif()

# kjoule_ptx(TARGET SOURCE.cu VARIABLE): makes SOURCE_ptx.hpp with the PTX as a string in `VARIABLE`, for TARGET. The
# driver compiles it for the GPU at hand.
function(kjoule_ptx target source variable)
  get_filename_component(name ${source} NAME_WE)
  set(folder ${PROJECT_BINARY_DIR}/generated/${target})
  set(header ${folder}/${name}_ptx.hpp)
  get_filename_component(nvrtc_folder ${KJOULE_NVRTC} DIRECTORY)  # NVRTC itself loads another library of this folder
  add_custom_command(
    OUTPUT ${header}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${nvrtc_folder}
            $<TARGET_FILE:make_ptx> ${CMAKE_CURRENT_SOURCE_DIR}/${source} ${folder}/${name}.ptx
    COMMAND ${CMAKE_COMMAND} -D TEXT=${folder}/${name}.ptx -D HEADER=${header} -D VARIABLE=${variable}
            -D NAMESPACE=kjoule -P ${PROJECT_SOURCE_DIR}/cmake/embed_text.cmake
    DEPENDS make_ptx ${CMAKE_CURRENT_SOURCE_DIR}/${source} ${PROJECT_SOURCE_DIR}/cmake/embed_text.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${header})
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
