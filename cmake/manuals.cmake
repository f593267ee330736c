# Man pages and completions for bash and zsh, made from what the built programs say with --help.
if(WARPSCOPE_SANITIZE)
  return()
endif()
get_property(programs GLOBAL PROPERTY WARPSCOPE_PROGRAMS)
set(stamp ${CMAKE_BINARY_DIR}/manuals.stamp)
add_custom_command(
  OUTPUT ${stamp}
  COMMAND /usr/bin/python3 -B ${CMAKE_SOURCE_DIR}/cmake/manuals.py ${WARPSCOPE_BIN} ${CMAKE_BINARY_DIR}/share --version ${PROJECT_VERSION}
  COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
  DEPENDS ${programs} warpscope_scripts ${CMAKE_SOURCE_DIR}/cmake/manuals.py
  COMMENT "Man pages and completions" VERBATIM)
add_custom_target(manuals ALL DEPENDS ${stamp})
add_dependencies(tools manuals)
install(DIRECTORY ${CMAKE_BINARY_DIR}/share/man ${CMAKE_BINARY_DIR}/share/bash-completion ${CMAKE_BINARY_DIR}/share/zsh DESTINATION share)
