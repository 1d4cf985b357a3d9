# What `cmake --install build --prefix DIR` copies. DIR can be moved afterwards: kjoule looks for kjoule-torch,
# libkjoule_inject.so and its Python packages in folders relative to its own, so the folders here are fixed. Torch is not
# copied: kjoule-torch keeps an absolute RPATH to the package that it was built with, and KJOULE_TORCH names another.

install(TARGETS kjoule RUNTIME DESTINATION bin)
if(TARGET kjoule-torch)
  set_target_properties(kjoule-torch PROPERTIES INSTALL_RPATH "${KJOULE_TORCH_RUN_FOLDERS}")
  install(TARGETS kjoule-torch RUNTIME DESTINATION bin)
endif()
if(TARGET kjoule-blas)
  set_target_properties(kjoule-blas PROPERTIES INSTALL_RPATH "${KJOULE_TORCH_RUN_FOLDERS}")
  install(TARGETS kjoule-blas RUNTIME DESTINATION bin)
endif()
if(TARGET kjoule-nccl)
  set_target_properties(kjoule-nccl PROPERTIES INSTALL_RPATH "${KJOULE_TORCH_RUN_FOLDERS}")
  install(TARGETS kjoule-nccl RUNTIME DESTINATION bin)
endif()
if(TARGET kjoule_inject)
  install(TARGETS kjoule_inject LIBRARY DESTINATION lib)
endif()
install(DIRECTORY python/ DESTINATION share/kjoule/python FILES_MATCHING PATTERN *.py PATTERN py.typed PATTERN requirements.txt PATTERN __pycache__ EXCLUDE)
install(FILES ${PROJECT_BINARY_DIR}/share/kjoule/torch_folder DESTINATION share/kjoule)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION share/doc/kjoule)
install(CODE "
  include(${PROJECT_SOURCE_DIR}/cmake/licences.cmake)
  include(${PROJECT_SOURCE_DIR}/cmake/shell_files.cmake)
  kjoule_install_licences(${PROJECT_SOURCE_DIR} \"\${CMAKE_INSTALL_PREFIX}/share/doc/kjoule/licenses\")
  kjoule_install_shell_files($<TARGET_FILE:kjoule> \"\${CMAKE_INSTALL_PREFIX}\")")
install(DIRECTORY docs examples DESTINATION share/doc/kjoule)
