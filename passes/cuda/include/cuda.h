#pragma once
#include "cuda_runtime.h"
#include "warpscope/driver.h"
