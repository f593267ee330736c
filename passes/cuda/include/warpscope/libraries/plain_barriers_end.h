// See plain_barriers_begin.h.
#pragma pop_macro("__isShared")
#pragma pop_macro("__isGlobal")
#pragma pop_macro("__CUDA_ARCH__")
