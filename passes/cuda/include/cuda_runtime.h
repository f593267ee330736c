#pragma once
// CUDA as far as trace-kernel needs it: included in front of every .cu file, as nvcc includes its
// own. Written from the CUDA C++ Programming Guide and the runtime's documentation; no part of
// NVIDIA's toolkit is used or needed. Each needs those before it.
// clang-format off
#include "warpscope/attributes.h"
#include "warpscope/vector_types.h"
#include "warpscope/indices.h"
#include "warpscope/math.h"
#include "warpscope/integers.h"
#include "warpscope/memory.h"
#include "warpscope/warp.h"
#include "warpscope/host.h"
// clang-format on
