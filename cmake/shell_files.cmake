# The manual pages of all commands and the completions for shells, as kjoule itself prints them, in the folders below
# `prefix` in which man and the shells look for them.

function(kjoule_print program file)
  cmake_path(GET file PARENT_PATH folder)
  file(MAKE_DIRECTORY ${folder})
  execute_process(COMMAND ${program} ${ARGN} OUTPUT_FILE ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(kjoule_install_shell_files program prefix)
  set(share "${prefix}/share")
  kjoule_print(${program} "${share}/bash-completion/completions/kjoule" completion bash)
  kjoule_print(${program} "${share}/zsh/site-functions/_kjoule" completion zsh)
  kjoule_print(${program} "${share}/fish/vendor_completions.d/kjoule.fish" completion fish)
  kjoule_print(${program} "${share}/man/man1/kjoule.1" manual)
  execute_process(COMMAND ${program} manual --list OUTPUT_VARIABLE commands COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" commands "${commands}")
  foreach(command ${commands})
    string(REPLACE " " ";" words "${command}")
    string(REPLACE " " "-" name "${command}")
    kjoule_print(${program} "${share}/man/man1/kjoule-${name}.1" manual ${words})
  endforeach()
endfunction()
