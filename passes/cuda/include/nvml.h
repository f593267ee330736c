#pragma once
// In a folder of its own, which a toolkit without this header gets, too (warpscope-nvcc
// --with-nvcc).
#include "nvml/nvml.h"
