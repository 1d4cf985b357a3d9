# cmake -D PTX=file -D HEADER=file -D VARIABLE=name -P embed_ptx.cmake: a header that holds the text.
file(READ ${PTX} text)
file(WRITE ${HEADER} "#pragma once\nnamespace kjoule::driver {\ninline constexpr const char* ${VARIABLE} = R\"ptx(${text})ptx\";\n}\n")
