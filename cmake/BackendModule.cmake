# What both GPU backends compile, each against its own vendor's runtime.
set(gpu_device_sources)
foreach(file check device device_module module queue_hold stopwatch)
  list(APPEND gpu_device_sources ${PROJECT_SOURCE_DIR}/tuner/device/gpu/${file}.cpp)
endforeach()

# hiptune_backend_module(TARGET SOURCES FILE...): a shared library that libhiptune loads by its plain name. Symbols are
# hidden: two backends in one process have classes of the same names.
function(hiptune_backend_module target)
  cmake_parse_arguments(PARSE_ARGV 1 module "" "" "SOURCES")
  add_library(${target} MODULE ${module_SOURCES})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/tuner/device)
  target_link_libraries(${target} PRIVATE hiptune hiptune_headers)
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                                             INSTALL_RPATH "$ORIGIN" INSTALL_RPATH_USE_LINK_PATH ON)
  target_link_options(${target} PRIVATE -Wl,-z,defs)
  set_property(GLOBAL APPEND PROPERTY hiptune_backend_modules ${target})
  install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()
