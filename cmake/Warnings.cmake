# hiptune_warnings: what every target of the project compiles with.
add_library(hiptune_warnings INTERFACE)
target_compile_options(hiptune_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow
                                                  "$<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor;-Wold-style-cast;-Woverloaded-virtual>")
if(HIPTUNE_WARNINGS_AS_ERRORS)
  target_compile_options(hiptune_warnings INTERFACE -Werror)
endif()
