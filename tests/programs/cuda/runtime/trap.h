#pragma once
// In a file of its own: tests name lines of traps.cu.
#include <cstring>

#ifdef __clang__
#define TRAP_OF_THE_COMPILER() __builtin_trap()
#else
#define TRAP_OF_THE_COMPILER() __trap()  // nvcc has the other one for the host only
#endif
