#pragma once
// CUDA as far as source needs it: included in front of every .cu file, as nvcc includes its own,
// and by host code of any compiler. Written from the CUDA C++ Programming Guide and the runtime's
// documentation; no part of NVIDIA's toolkit is used or needed. Each needs those before it.
// Included by its path it would count as the user's: no warnings of what older dialects lack.
#pragma GCC system_header
// clang-format off
#include "warpscope/letters_away.h"

#include "warpscope/attributes.h"
#include "warpscope/vector_types.h"
#ifdef __CUDA__
#include <assert.h> // Thrust uses it and leaves it to nvcc
#include <stdlib.h> // these three come with nvcc's own, and programs use what they declare
#include <string.h>
#include <time.h>
#include <utility>  // programs use std::forward and std::initializer_list, which nvcc brings
#include "warpscope/indices.h"
#include "warpscope/math.h"
#include "warpscope/rounding.h"
#include "warpscope/integers.h"
#include "warpscope/math/conversions.h"
#include <math.h> // nvcc brings it, too; behind what calls functions of the device alone
#include "warpscope/math/host_functions.h"
#include "warpscope/math/numbers.h"
#include "warpscope/math/error_functions.h"
#include "warpscope/math/bessel.h"
#include "warpscope/math/video.h"
#include "warpscope/memory.h"
#include "warpscope/warp.h"
#include "warpscope/addresses.h"
#endif
#include "warpscope/host.h"
#include "warpscope/host_graphs.h"
#include "warpscope/host_pools.h"
#include "warpscope/host_templates.h"
#include "warpscope/texture_host.h"
#ifdef __CUDA__
#include "warpscope/texture_fetch.h"
#include "warpscope/device_runtime.h"
#if defined(__CUDA_ARCH__) && !defined(__NVPTX__)
#include "warpscope/ptx/values.h"
#include "warpscope/ptx/halves.h"
#include "warpscope/ptx/arithmetic.h"
#include "warpscope/ptx/bits.h"
#include "warpscope/ptx/memory.h"
#include "warpscope/ptx/matrix.h"
#endif
#endif

#include "warpscope/letters_back.h"
// clang-format on
