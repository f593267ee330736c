# The Debian package, which scripts/package makes: cmake --preset package && cmake --build --preset package && cpack --preset package
# (build/package/warpscope_VERSION_ARCHITECTURE.deb). What it depends on: libraries by dpkg-shlibdeps, of the package dpkg-dev;
# everything else from scripts/setup, which is the only list of packages.
execute_process(COMMAND bash ${CMAKE_SOURCE_DIR}/scripts/setup --names run
                OUTPUT_VARIABLE run_packages OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND bash ${CMAKE_SOURCE_DIR}/scripts/setup --names libraries
                OUTPUT_VARIABLE library_packages OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS scripts/setup)
string(REPLACE "\n" ", " CPACK_DEBIAN_PACKAGE_DEPENDS "${run_packages}")
string(REPLACE "\n" ", " CPACK_DEBIAN_PACKAGE_RECOMMENDS "${library_packages}")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME warpscope)
set(CPACK_PACKAGE_CONTACT "Warpscope developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "how OpenCL and CUDA kernels use a GPU's L1 cache, without a GPU")
set(CPACK_PACKAGE_DESCRIPTION "Warpscope runs an OpenCL or CUDA kernel on the CPU with its memory accesses recorded,
rebuilds the order in which a GPU's warps would have made them, and simulates
coalescing and the L1 cache. It tells which source line and which buffer misses,
and why.")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# Python's byte code is compiled when the package is installed and goes with it, so that nothing stays behind.
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/cmake/deb/postinst ${CMAKE_SOURCE_DIR}/cmake/deb/prerm)
include(CPack)
