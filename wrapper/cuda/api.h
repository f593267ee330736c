#pragma once
// The runtime's functions as programs see them, and what clang calls for kernels and variables.
// clang-format off
#include "passes/cuda/include/warpscope/attributes.h"
#include "passes/cuda/include/warpscope/vector_types.h"
#include "passes/cuda/include/warpscope/host.h"
#include "passes/cuda/include/warpscope/host_graphs.h"
#include "passes/cuda/include/warpscope/host_pools.h"
#include "passes/cuda/include/warpscope/driver.h"
#include "passes/cuda/include/warpscope/api/tensors.h"
// clang-format on
