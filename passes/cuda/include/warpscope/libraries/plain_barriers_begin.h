// No #pragma once: libcu++'s barriers and pipelines between this and plain_barriers_end.h are the
// ones that it has for any memory and every GPU, made of atomics. From sm_80 on those in shared
// memory are instructions of their own on a GPU.
#include <nv/target>
#pragma push_macro("__isShared")
#pragma push_macro("__isGlobal")
#pragma push_macro("__CUDA_ARCH__")
#undef __isShared
#undef __isGlobal
#define __isShared(address) false
#define __isGlobal(address) false
#if __CUDA_ARCH__ >= 800
#undef __CUDA_ARCH__
#define __CUDA_ARCH__ 750
#endif
