#pragma once
// cuBLAS as it was before handles: scalars by value, results as values, characters as in Fortran.
// Errors are what cublasGetError() returns. Not together with cublas_v2.h.
#define CUBLAS_H_

#include "cublas_api.h"
#include "warpscope/letters_away.h"

typedef cublasStatus_t cublasStatus;

#ifdef __cplusplus
extern "C" {
#endif

cublasStatus cublasInit(void);
cublasStatus cublasShutdown(void);
cublasStatus cublasGetError(void);
cublasStatus cublasAlloc(int n, int element_bytes, void **device_pointer);
cublasStatus cublasFree(void *device_pointer);
cublasStatus cublasSetKernelStream(cudaStream_t stream);

#define WARPSCOPE_REAL float
#define WARPSCOPE_VOID(name, parameters, arguments) void cublasS##name parameters;
#define WARPSCOPE_VALUE(name, parameters, arguments) float cublasS##name parameters;
#define WARPSCOPE_INDEX(name, parameters, arguments) int cublasIs##name parameters;
#include "warpscope/libraries/cublas_legacy_functions.h"

#define WARPSCOPE_REAL double
#define WARPSCOPE_VOID(name, parameters, arguments) void cublasD##name parameters;
#define WARPSCOPE_VALUE(name, parameters, arguments) double cublasD##name parameters;
#define WARPSCOPE_INDEX(name, parameters, arguments) int cublasId##name parameters;
#include "warpscope/libraries/cublas_legacy_functions.h"

#ifdef __cplusplus
} // extern "C"
#endif
#include "warpscope/letters_back.h"
