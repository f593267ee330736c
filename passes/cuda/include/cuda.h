#pragma once
#include "cuda_runtime.h"
#include "warpscope/api/tensors.h"
#include "warpscope/driver.h"
