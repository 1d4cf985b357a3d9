# cmake -D FILES=a.yaml;b.yaml -D HEADER=file -D VARIABLE=name -D NAMESPACE=name -P embed_folder.cmake: a header that
# holds the text of each file under its name without ending.
set(entries)
foreach(file ${FILES})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(APPEND entries "    {\"${name}\", R\"text(${text})text\"},\n")
endforeach()
file(WRITE ${HEADER} "#pragma once\n#include <array>\n#include <utility>\nnamespace ${NAMESPACE} {\n"
     "inline constexpr std::pair<const char*, const char*> ${VARIABLE}[] = {\n${entries}};\n}\n")
