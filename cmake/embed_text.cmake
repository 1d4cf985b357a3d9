# cmake -D TEXT=file -D HEADER=file -D VARIABLE=name -D NAMESPACE=name -P embed_text.cmake: a header that holds the text.
file(READ ${TEXT} text)
file(WRITE ${HEADER} "#pragma once\nnamespace ${NAMESPACE} {\ninline constexpr const char* ${VARIABLE} = R\"text(${text})text\";\n}\n")
