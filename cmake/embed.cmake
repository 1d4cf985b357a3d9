# kjoule_embed(TARGET FILE VARIABLE NAMESPACE): makes NAME_text.hpp, after FILE's name, with FILE's text as
# a string in `NAMESPACE::VARIABLE`, for TARGET.
function(kjoule_embed target file variable namespace)
  get_filename_component(name ${file} NAME_WE)
  set(folder ${PROJECT_BINARY_DIR}/generated/${target})
  set(header ${folder}/${name}_text.hpp)
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed_text.cmake)
  add_custom_command(
    OUTPUT ${header}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${CMAKE_COMMAND} -D TEXT=${file} -D HEADER=${header} -D VARIABLE=${variable} -D NAMESPACE=${namespace} -P ${script}
    DEPENDS ${file} ${script}
    VERBATIM)
  target_sources(${target} PRIVATE ${header})
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
