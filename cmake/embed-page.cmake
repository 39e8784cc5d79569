# cmake -DHTML=page.html -DSTYLE=page.css -DSCRIPTS="a.js;b.js" -DOUTPUT=page.c -P embed-page.cmake
# Puts style and scripts into the page, together with their hashes for its content security policy: a
# browser then runs this script and no other. Writes what is before and behind the data as C.
cmake_minimum_required(VERSION 3.18)

# The SHA-256 of a text in base64, which CMake has in hexadecimal only.
function(hash_base64 text result)
  set(digits ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  string(SHA256 hex "${text}")
  set(coded "")
  # Six hexadecimal digits are four digits of base64. The last four are padded: 256 bits are 42
  # digits of base64 and four bits.
  foreach(start RANGE 0 54 6)
    string(SUBSTRING ${hex} ${start} 6 group)
    foreach(shift 18 12 6 0)
      math(EXPR digit "(0x${group} >> ${shift}) & 63")
      string(SUBSTRING ${digits} ${digit} 1 digit)
      string(APPEND coded ${digit})
    endforeach()
  endforeach()
  string(SUBSTRING ${hex} 60 4 group)
  foreach(shift 12 6 0)
    math(EXPR digit "((0x${group} << 2) >> ${shift}) & 63")
    string(SUBSTRING ${digits} ${digit} 1 digit)
    string(APPEND coded ${digit})
  endforeach()
  set(${result} "${coded}=" PARENT_SCOPE)
endfunction()

# A text as the definition of an array and its size.
function(append_array name text)
  set(part ${OUTPUT}.part)
  file(WRITE ${part} "${text}")
  file(READ ${part} bytes HEX)
  file(REMOVE ${part})
  string(LENGTH "${bytes}" size)
  math(EXPR size "${size} / 2")
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  file(APPEND ${OUTPUT} "const unsigned char ${name}[] = {${bytes}};\n"
       "const size_t ${name}_size = ${size};\n")
endfunction()

file(READ ${HTML} html)
file(READ ${STYLE} style)
set(script "")
foreach(path ${SCRIPTS})
  file(READ ${path} part)
  string(APPEND script "${part}\n")
endforeach()
if(script MATCHES "</script|<!--" OR style MATCHES "</style")
  message(FATAL_ERROR "scripts and style must not contain what ends their element")
endif()
hash_base64("${style}" style_hash)
hash_base64("${script}" script_hash)
foreach(mark STYLE_HASH SCRIPT_HASH STYLE SCRIPT DATA)
  if(NOT html MATCHES "@${mark}@")
    message(FATAL_ERROR "page.html has no place for @${mark}@")
  endif()
endforeach()
string(REPLACE "@STYLE_HASH@" "sha256-${style_hash}" html "${html}")
string(REPLACE "@SCRIPT_HASH@" "sha256-${script_hash}" html "${html}")
string(REPLACE "@STYLE@" "${style}" html "${html}")
string(FIND "${html}" "@DATA@" middle)
string(SUBSTRING "${html}" 0 ${middle} before)
math(EXPR middle "${middle} + 7") # and the newline behind it
string(SUBSTRING "${html}" ${middle} -1 behind)
# Last, so that nothing in the script is taken for a mark.
string(REPLACE "@SCRIPT@" "${script}" behind "${behind}")

file(WRITE ${OUTPUT} "/* Made by cmake/embed-page.cmake from src/report/html/page. */\n"
     "#include \"report/html/page.h\"\n\n")
append_array(st_page_before "${before}")
append_array(st_page_behind "${behind}")
