# cmake -DINPUT=file -DNAME=variable -DHEADER=header -DOUTPUT=file.c -P embed-text.cmake
# Writes a file as a C text, which the header declares.
cmake_minimum_required(VERSION 3.18)
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT} "/* Made by cmake/embed-text.cmake from ${INPUT}. */\n"
     "#include \"${HEADER}\"\n\nconst char ${NAME}[] = {${bytes}0};\n")
