#pragma once
// Libraries include it. What it has in NVIDIA's toolkit, a calculator for any device, is not here:
// the runtime's functions are (cudaOccupancyMaxActiveBlocksPerMultiprocessor).
#include "cuda_runtime.h"
