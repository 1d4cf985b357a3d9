# The licences of what the programs contain and of what is next to them, as docs/reference/licences.md lists them.

# Copies the licence of each library of the table (that of its Debian package) and of each table of data to a folder. A library
# that was installed by other means than its package has no copy.
function(kjoule_install_licences source folder)
  file(MAKE_DIRECTORY "${folder}")
  file(STRINGS ${source}/docs/reference/licences.md rows REGEX "^\\| `[a-z0-9.+-]+` \\|")
  foreach(row ${rows})
    string(REGEX REPLACE "^\\| `([^`]+)` .*" "\\1" package "${row}")
    if(EXISTS /usr/share/doc/${package}/copyright)
      file(COPY_FILE /usr/share/doc/${package}/copyright "${folder}/${package}.txt")
    endif()
  endforeach()
  file(COPY_FILE ${source}/src/page/files/dygraphs/LICENSE "${folder}/dygraphs.txt")
  file(COPY_FILE ${source}/data/regressors/Perlmutter/LICENSE "${folder}/regressors-Perlmutter.txt")
endfunction()
