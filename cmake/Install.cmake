include(CMakePackageConfigHelpers)

install(TARGETS hiptune EXPORT hiptune-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS hiptune_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY tuner/include/hiptune DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY kernel_templates search_spaces cache DESTINATION share/hiptune)

set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/hiptune)
install(EXPORT hiptune-targets NAMESPACE hiptune:: FILE hiptune-config.cmake DESTINATION ${config_folder})
write_basic_package_version_file(hiptune-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/hiptune-config-version.cmake DESTINATION ${config_folder})
