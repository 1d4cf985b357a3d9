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

# kjoule_embed_folder(TARGET FOLDER ENDING VARIABLE NAMESPACE [NAME]): makes NAME_text.hpp, by default after FOLDER's name, with
# an array `NAMESPACE::VARIABLE` of names and texts of the folder's files, for TARGET.
function(kjoule_embed_folder target folder ending variable namespace)
  get_filename_component(name ${folder} NAME)
  if(ARGC GREATER 5)
    set(name ${ARGV5})
  endif()
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*.${ending})
  set(to ${PROJECT_BINARY_DIR}/generated/${target})
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed_folder.cmake)
  add_custom_command(
    OUTPUT ${to}/${name}_text.hpp
    COMMAND ${CMAKE_COMMAND} -E make_directory ${to}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${files}" -D HEADER=${to}/${name}_text.hpp -D VARIABLE=${variable}
            -D NAMESPACE=${namespace} -P ${script}
    DEPENDS ${files} ${script}
    VERBATIM)
  target_sources(${target} PRIVATE ${to}/${name}_text.hpp)
  target_include_directories(${target} PRIVATE ${to})
endfunction()
