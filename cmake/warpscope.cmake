# Flags that every target of ours links: warnings, sanitizers, the include root.
add_library(warpscope_flags INTERFACE)
target_include_directories(warpscope_flags INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(warpscope_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wno-sign-conversion)
if(WARPSCOPE_WERROR)
  target_compile_options(warpscope_flags INTERFACE -Werror)
endif()
include(CheckCXXSourceCompiles)
check_cxx_source_compiles("#if !defined(__x86_64__) || !defined(__SSE2__)
#error
#endif
int main() { return 0; }" WARPSCOPE_HAS_SSE2)
option(WARPSCOPE_SIMD "Use SSE2 and AVX2 (traces/base/simd.h); OFF: portable code with the same results" ${WARPSCOPE_HAS_SSE2})
if(WARPSCOPE_SIMD AND NOT WARPSCOPE_HAS_SSE2)
  message(FATAL_ERROR "WARPSCOPE_SIMD=ON: the compiler targets no x86-64 with SSE2, expected WARPSCOPE_SIMD=OFF")
endif()
target_compile_definitions(warpscope_flags INTERFACE WARPSCOPE_SIMD=$<BOOL:${WARPSCOPE_SIMD}>)
# Tools run where they are built: newer instructions (counting bits, above all) make the simulators some 10 % faster.
set(WARPSCOPE_CPU detect CACHE STRING "Instruction set: detect (x86-64-v3 where this machine has it), none, or for -march=")
if(WARPSCOPE_CPU STREQUAL detect AND WARPSCOPE_HAS_SSE2 AND NOT WARPSCOPE_SANITIZE)
  include(CheckCXXSourceRuns)
  check_cxx_source_runs("int main() { return __builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"bmi2\") ? 0 : 1; }"
                        WARPSCOPE_HAS_X86_64_V3)
endif()
if(WARPSCOPE_CPU STREQUAL detect AND WARPSCOPE_HAS_X86_64_V3)
  set(instruction_set x86-64-v3)
elseif(NOT WARPSCOPE_CPU MATCHES "^(detect|none)$")
  set(instruction_set ${WARPSCOPE_CPU})
endif()
if(instruction_set)
  target_compile_options(warpscope_flags INTERFACE -march=${instruction_set})
endif()
if(instruction_set OR NOT WARPSCOPE_HAS_SSE2)
  # No fused multiply-add of our own: results are the same bytes on every machine. Plain x86-64 has none.
  target_compile_options(warpscope_flags INTERFACE -ffp-contract=off)
endif()
if(CMAKE_UNITY_BUILD)
  # GCC takes the .cpp files of a unity build for headers, where members of unnamed types would be suspicious.
  target_compile_options(warpscope_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()
add_library(warpscope_test_flags INTERFACE)  # a library, because it must come behind warpscope_flags
# Of code that runs once per command or launch, not once per access: optimised less, it takes half the time to compile.
add_library(warpscope_cold INTERFACE)
target_compile_options(warpscope_cold INTERFACE $<$<CONFIG:RelWithDebInfo>:-O1>)
if(WARPSCOPE_SANITIZE STREQUAL "thread")
  target_compile_options(warpscope_flags INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(warpscope_flags INTERFACE -fsanitize=thread)
elseif(WARPSCOPE_SANITIZE)
  # The libraries keep both sanitizers; in test code the second doubles the time to compile.
  target_compile_options(warpscope_test_flags INTERFACE -fno-sanitize=undefined)
  target_compile_options(warpscope_flags INTERFACE -fsanitize=address,undefined -fno-omit-frame-pointer
                                                   -fno-sanitize-recover=undefined)
  if(NOT WARPSCOPE_SANITIZE STREQUAL "all")
    # What follows from such a pointer, AddressSanitizer reports when it is used. These checks stand at every access and every step
    # of a pointer: with them the libraries take half as long again to compile.
    target_compile_options(warpscope_flags INTERFACE -fno-sanitize=null,object-size,pointer-overflow,vptr)
  endif()
  target_link_options(warpscope_flags INTERFACE -fsanitize=address,undefined)
endif()

# The commit goes into every report's context block.
execute_process(COMMAND git -C ${CMAKE_SOURCE_DIR} describe --always --dirty
                OUTPUT_VARIABLE WARPSCOPE_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT WARPSCOPE_COMMIT)
  set(WARPSCOPE_COMMIT unknown)
endif()
configure_file(${CMAKE_SOURCE_DIR}/cmake/version.cpp.in ${CMAKE_BINARY_DIR}/generated/version.cpp)

# warpscope_library(NAME [COLD] SOURCES ... DEPENDS ...): one static library per folder; COLD: see warpscope_cold.
function(warpscope_library name)
  cmake_parse_arguments(arg "COLD" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC warpscope_flags ${arg_DEPENDS})
  if(arg_COLD)
    target_link_libraries(${name} PRIVATE warpscope_cold)
  endif()
  set_target_properties(${name} PROPERTIES UNITY_BUILD_BATCH_SIZE 0)
  # The fuzzers see which branches of the readers an input reaches. The simulators behind them are left out: instrumented,
  # they take twice as long to compile, and more to run.
  if(WARPSCOPE_FUZZ AND NOT name MATCHES "_(cachesim|sweep|timed)$")
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# warpscope_tool(NAME SOURCES ... DEPENDS ...): a program in build/<preset>/bin, installed to bin/.
function(warpscope_tool name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE warpscope_flags warpscope_cold Boost::program_options ${arg_DEPENDS})
  install(TARGETS ${name} RUNTIME DESTINATION bin)
  set_property(GLOBAL APPEND PROPERTY WARPSCOPE_PROGRAMS ${name})
endfunction()

# warpscope_add_test(NAME LABEL label TIMEOUT seconds COMMAND ... [ENVIRONMENT ...]): one entry of ctest, whose CPU time
# scripts/test records.
function(warpscope_add_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "LABEL;COMMAND;ENVIRONMENT" ${ARGN})
  list(POP_FRONT arg_COMMAND program)
  if(TARGET ${program})
    set(program $<TARGET_FILE:${program}>)
  endif()
  add_test(NAME ${name} COMMAND ${CMAKE_SOURCE_DIR}/tests/timed.sh ${name} ${program} ${arg_COMMAND})
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABEL}" TIMEOUT ${arg_TIMEOUT}
                       ENVIRONMENT "WARPSCOPE_BIN=${WARPSCOPE_BIN};${arg_ENVIRONMENT}")
endfunction()

# warpscope_slow_tests(NAME...): begin first, so that none is left alone on one core at the end. A clean clone has no times of its own.
function(warpscope_slow_tests)
  foreach(name IN LISTS ARGN)
    set_property(TEST ${name} PROPERTY COST 100)
  endforeach()
endfunction()

set(test_headers <gmock/gmock.h> <map> <random> <string> <vector>)

# warpscope_share_headers(NAME): GoogleTest's headers, as long as many a test, are compiled once for all programs without optimisation.
function(warpscope_share_headers name)
  if(NOT TARGET test_headers)
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/test_headers.cpp CONTENT "int main() { return 0; }\n")
    add_executable(test_headers ${CMAKE_BINARY_DIR}/generated/test_headers.cpp)
    target_compile_options(test_headers PRIVATE $<$<CONFIG:RelWithDebInfo>:-O0>)
    target_precompile_headers(test_headers PRIVATE ${test_headers})
    target_link_libraries(test_headers PRIVATE warpscope_flags GTest::gtest GTest::gmock warpscope_test_flags)
  endif()
  target_precompile_headers(${name} REUSE_FROM test_headers)
endfunction()

# warpscope_test(NAME LABEL label [READERS] SOURCES ... DEPENDS ...): a GoogleTest program in build/<preset>/test-bin; the label
# is its folder in tests/. READERS: about reading and writing files, which CI tests under the sanitizers, too (target reader_tests);
# the others run there in scripts/test --long.
add_custom_target(reader_tests)
function(warpscope_test name)
  cmake_parse_arguments(arg "READERS" "LABEL;TIMEOUT" "SOURCES;DEPENDS" ${ARGN})
  if(arg_READERS)
    list(APPEND arg_LABEL readers)
    add_dependencies(reader_tests ${name})
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES UNITY_BUILD_BATCH_SIZE 0)
  # Tests are built more often than they run: what they test stays fast, they themselves need not be. Property tests run
  # naive models over long random streams.
  if(arg_LABEL STREQUAL property)
    target_compile_options(${name} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
  else()
    target_compile_options(${name} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O0>)
  endif()
  list(LENGTH arg_SOURCES sources)
  if(sources GREATER 2 AND NOT CMAKE_UNITY_BUILD)
    target_precompile_headers(${name} PRIVATE ${test_headers})
  elseif(CMAKE_UNITY_BUILD AND NOT WARPSCOPE_SANITIZE AND NOT arg_LABEL STREQUAL property)
    warpscope_share_headers(${name})
  endif()
  target_link_libraries(${name} PRIVATE warpscope_flags GTest::gtest GTest::gmock GTest::gtest_main ${arg_DEPENDS}
                                        warpscope_test_flags)
  target_compile_definitions(${name} PRIVATE WARPSCOPE_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                                             WARPSCOPE_BIN_DIR="${WARPSCOPE_BIN}")
  warpscope_add_test(${name} LABEL "${arg_LABEL}" TIMEOUT ${arg_TIMEOUT} COMMAND ${name})
endfunction()

# warpscope_python_tests(PREFIX LABEL label TIMEOUT seconds): every test_*.py of the folder (unittest) is one ctest entry.
function(warpscope_python_tests prefix)
  cmake_parse_arguments(arg "" "LABEL;TIMEOUT" "" ${ARGN})
  file(GLOB python_tests RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS test_*.py)
  foreach(python_test IN LISTS python_tests)
    get_filename_component(name ${python_test} NAME_WE)
    warpscope_add_test(${prefix}_${name} LABEL ${arg_LABEL} TIMEOUT ${arg_TIMEOUT}
                       COMMAND /usr/bin/python3 -B ${CMAKE_CURRENT_SOURCE_DIR}/${python_test})
  endforeach()
endfunction()
