# What the injected library is built with: nvcc, cuda.h, cupti.h and the driver's stub, all of the CUDA toolkit. Where
# one is missing kjoule is built without it and says so (kjoule doctor).

option(KJOULE_CUDA "Build libkjoule_inject.so where a CUDA toolkit is found" ON)
set(KJOULE_CUDA_FOUND OFF)
if(KJOULE_CUDA AND NOT KJOULE_SANITIZE)  # it is loaded into programs that no sanitizer has instrumented
  find_program(KJOULE_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin /usr/local/cuda/bin)
  if(KJOULE_NVCC)
    get_filename_component(toolkit ${KJOULE_NVCC} REALPATH)
    get_filename_component(toolkit ${toolkit}/../.. ABSOLUTE)
    find_path(KJOULE_CUDA_FOLDER cuda.h HINTS ${toolkit}/include ${toolkit}/targets/x86_64-linux/include)
    find_path(KJOULE_CUPTI_FOLDER cupti.h HINTS ${toolkit}/include ${toolkit}/extras/CUPTI/include
                                                ${toolkit}/targets/x86_64-linux/include)
    find_library(KJOULE_CUDA_DRIVER cuda HINTS ${toolkit}/lib64/stubs ${toolkit}/targets/x86_64-linux/lib/stubs)
  endif()
  if(KJOULE_NVCC AND KJOULE_CUDA_FOLDER AND KJOULE_CUPTI_FOLDER AND KJOULE_CUDA_DRIVER)
    set(KJOULE_CUDA_FOUND ON)
    add_library(kjoule_cuda_driver INTERFACE)
    target_include_directories(kjoule_cuda_driver SYSTEM INTERFACE ${KJOULE_CUDA_FOLDER} ${KJOULE_CUPTI_FOLDER})
    target_link_libraries(kjoule_cuda_driver INTERFACE ${KJOULE_CUDA_DRIVER} ${CMAKE_DL_LIBS})
  else()
    message(STATUS "no CUDA toolkit (nvcc, cuda.h, cupti.h, libcuda): built without libkjoule_inject.so")
  endif()
endif()

# kjoule_ptx(TARGET SOURCE.cu VARIABLE): makes SOURCE_ptx.hpp with the PTX as a string in `VARIABLE`, for TARGET. The
# driver compiles it for the GPU at hand; 7.5 is the oldest that CUDA 13 knows.
function(kjoule_ptx target source variable)
  get_filename_component(name ${source} NAME_WE)
  set(folder ${PROJECT_BINARY_DIR}/generated/${target})
  set(header ${folder}/${name}_ptx.hpp)
  add_custom_command(
    OUTPUT ${header}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${KJOULE_NVCC} -ptx -O3 -arch=compute_75 -o ${folder}/${name}.ptx ${CMAKE_CURRENT_SOURCE_DIR}/${source}
    COMMAND ${CMAKE_COMMAND} -D PTX=${folder}/${name}.ptx -D HEADER=${header} -D VARIABLE=${variable}
            -P ${PROJECT_SOURCE_DIR}/cmake/embed_ptx.cmake
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${source} ${PROJECT_SOURCE_DIR}/cmake/embed_ptx.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${header})
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
