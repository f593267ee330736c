#pragma once
// The GPU that the program sees, as NVML describes it (NVML API Reference Guide): names, sizes and
// clocks. What only a running GPU has (temperature, power, utilisation) is
// NVML_ERROR_NOT_SUPPORTED. All is made of the runtime's functions; libnvidia-ml is another name of
// the runtime's library. Usable from C.
#include "cuda_runtime_api.h"
#include <stdio.h>
#include <string.h>

#define NVML_API_VERSION 11
#define NVML_DEVICE_NAME_BUFFER_SIZE 64
#define NVML_DEVICE_NAME_V2_BUFFER_SIZE 96
#define NVML_DEVICE_UUID_BUFFER_SIZE 80
#define NVML_DEVICE_PCI_BUS_ID_BUFFER_SIZE 32
#define NVML_DEVICE_PCI_BUS_ID_BUFFER_V2_SIZE 16
#define NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE 80
#define NVML_SYSTEM_NVML_VERSION_BUFFER_SIZE 80

typedef enum nvmlReturn_enum {
  NVML_SUCCESS = 0,
  NVML_ERROR_UNINITIALIZED = 1,
  NVML_ERROR_INVALID_ARGUMENT = 2,
  NVML_ERROR_NOT_SUPPORTED = 3,
  NVML_ERROR_NO_PERMISSION = 4,
  NVML_ERROR_ALREADY_INITIALIZED = 5,
  NVML_ERROR_NOT_FOUND = 6,
  NVML_ERROR_INSUFFICIENT_SIZE = 7,
  NVML_ERROR_INSUFFICIENT_POWER = 8,
  NVML_ERROR_DRIVER_NOT_LOADED = 9,
  NVML_ERROR_TIMEOUT = 10,
  NVML_ERROR_IRQ_ISSUE = 11,
  NVML_ERROR_LIBRARY_NOT_FOUND = 12,
  NVML_ERROR_FUNCTION_NOT_FOUND = 13,
  NVML_ERROR_CORRUPTED_INFOROM = 14,
  NVML_ERROR_GPU_IS_LOST = 15,
  NVML_ERROR_RESET_REQUIRED = 16,
  NVML_ERROR_OPERATING_SYSTEM = 17,
  NVML_ERROR_LIB_RM_VERSION_MISMATCH = 18,
  NVML_ERROR_IN_USE = 19,
  NVML_ERROR_MEMORY = 20,
  NVML_ERROR_NO_DATA = 21,
  NVML_ERROR_UNKNOWN = 999
} nvmlReturn_t;
typedef enum nvmlClockType_enum {
  NVML_CLOCK_GRAPHICS = 0,
  NVML_CLOCK_SM = 1,
  NVML_CLOCK_MEM = 2,
  NVML_CLOCK_VIDEO = 3
} nvmlClockType_t;
typedef enum nvmlEnableState_enum {
  NVML_FEATURE_DISABLED = 0,
  NVML_FEATURE_ENABLED = 1
} nvmlEnableState_t;
typedef enum nvmlRestrictedAPI_enum {
  NVML_RESTRICTED_API_SET_APPLICATION_CLOCKS = 0,
  NVML_RESTRICTED_API_SET_AUTO_BOOSTED_CLOCKS = 1
} nvmlRestrictedAPI_t;
typedef enum nvmlTemperatureSensors_enum { NVML_TEMPERATURE_GPU = 0 } nvmlTemperatureSensors_t;

typedef struct nvmlDevice_st *nvmlDevice_t;
typedef struct nvmlMemory_st {
  unsigned long long total, free, used;
} nvmlMemory_t;
typedef struct nvmlUtilization_st {
  unsigned int gpu, memory;
} nvmlUtilization_t;
typedef struct nvmlPciInfo_st {
  char busIdLegacy[NVML_DEVICE_PCI_BUS_ID_BUFFER_V2_SIZE];
  unsigned int domain, bus, device, pciDeviceId, pciSubSystemId;
  char busId[NVML_DEVICE_PCI_BUS_ID_BUFFER_SIZE];
} nvmlPciInfo_t;

#define WARPSCOPE_NVML static inline nvmlReturn_t
#define WARPSCOPE_NVML_DEVICE ((nvmlDevice_t)1)

static inline nvmlReturn_t warpscope_nvml(cudaError_t error) {
  return error == cudaSuccess ? NVML_SUCCESS : NVML_ERROR_UNKNOWN;
}
// A text that must fit with its end.
static inline nvmlReturn_t warpscope_nvml_text(const char *text, char *place, unsigned int length) {
  if (place == NULL)
    return NVML_ERROR_INVALID_ARGUMENT;
  if (strlen(text) >= length)
    return NVML_ERROR_INSUFFICIENT_SIZE;
  strcpy(place, text);
  return NVML_SUCCESS;
}
static inline nvmlReturn_t warpscope_nvml_number(nvmlDevice_t device, enum cudaDeviceAttr attribute,
                                                 int *value) {
  if (device != WARPSCOPE_NVML_DEVICE || value == NULL)
    return NVML_ERROR_INVALID_ARGUMENT;
  return warpscope_nvml(cudaDeviceGetAttribute(value, attribute, 0));
}

WARPSCOPE_NVML nvmlInit(void) {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? NVML_SUCCESS : NVML_ERROR_DRIVER_NOT_LOADED;
}
WARPSCOPE_NVML nvmlInit_v2(void) { return nvmlInit(); }
WARPSCOPE_NVML nvmlShutdown(void) { return NVML_SUCCESS; }
static inline const char *nvmlErrorString(nvmlReturn_t result) {
  switch (result) {
  case NVML_SUCCESS:
    return "Success";
  case NVML_ERROR_INVALID_ARGUMENT:
    return "Invalid Argument";
  case NVML_ERROR_NOT_SUPPORTED:
    return "Not Supported";
  case NVML_ERROR_INSUFFICIENT_SIZE:
    return "Insufficient Size";
  case NVML_ERROR_DRIVER_NOT_LOADED:
    return "Driver Not Loaded";
  default:
    return "Unknown Error";
  }
}
WARPSCOPE_NVML nvmlSystemGetDriverVersion(char *version, unsigned int length) {
  return warpscope_nvml_text("495.29.05", version, length); // came with release 11.5
}
WARPSCOPE_NVML nvmlSystemGetNVMLVersion(char *version, unsigned int length) {
  return warpscope_nvml_text("11.495.29.05", version, length);
}
WARPSCOPE_NVML nvmlSystemGetCudaDriverVersion(int *version) {
  return version == NULL ? NVML_ERROR_INVALID_ARGUMENT
                         : warpscope_nvml(cudaDriverGetVersion(version));
}

WARPSCOPE_NVML nvmlDeviceGetCount(unsigned int *count) {
  int found = 0;
  if (count == NULL)
    return NVML_ERROR_INVALID_ARGUMENT;
  const cudaError_t error = cudaGetDeviceCount(&found);
  *count = (unsigned int)found;
  return warpscope_nvml(error);
}
WARPSCOPE_NVML nvmlDeviceGetCount_v2(unsigned int *count) { return nvmlDeviceGetCount(count); }
WARPSCOPE_NVML nvmlDeviceGetHandleByIndex(unsigned int index, nvmlDevice_t *device) {
  if (device == NULL || index != 0)
    return NVML_ERROR_INVALID_ARGUMENT;
  *device = WARPSCOPE_NVML_DEVICE;
  return NVML_SUCCESS;
}
WARPSCOPE_NVML nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device) {
  return nvmlDeviceGetHandleByIndex(index, device);
}
WARPSCOPE_NVML nvmlDeviceGetHandleByPciBusId(const char *id, nvmlDevice_t *device) {
  int found = 0;
  if (id == NULL || device == NULL)
    return NVML_ERROR_INVALID_ARGUMENT;
  return cudaDeviceGetByPCIBusId(&found, id) == cudaSuccess ? nvmlDeviceGetHandleByIndex(0, device)
                                                            : NVML_ERROR_NOT_FOUND;
}
// "GPU-" and the 16 bytes of cuDeviceGetUuid(): 4, 2, 2, 2 and 6 of them.
WARPSCOPE_NVML nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned int length) {
  char text[NVML_DEVICE_UUID_BUFFER_SIZE] = "GPU";
  struct cudaDeviceProp properties;
  if (device != WARPSCOPE_NVML_DEVICE)
    return NVML_ERROR_INVALID_ARGUMENT;
  if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess)
    return NVML_ERROR_UNKNOWN;
  for (int i = 0; i < 16; ++i)
    snprintf(text + strlen(text), 4, "%s%02x",
             i == 0 || i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
             (unsigned char)properties.uuid.bytes[i]);
  return warpscope_nvml_text(text, uuid, length);
}
WARPSCOPE_NVML nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device) {
  char own[NVML_DEVICE_UUID_BUFFER_SIZE];
  if (uuid == NULL || device == NULL)
    return NVML_ERROR_INVALID_ARGUMENT;
  const nvmlReturn_t result = nvmlDeviceGetUUID(WARPSCOPE_NVML_DEVICE, own, sizeof(own));
  if (result != NVML_SUCCESS)
    return result;
  return strcmp(uuid, own) == 0 ? nvmlDeviceGetHandleByIndex(0, device) : NVML_ERROR_NOT_FOUND;
}
// No processor of the host is closer to it than others.
WARPSCOPE_NVML nvmlDeviceSetCpuAffinity(nvmlDevice_t device) {
  return device != WARPSCOPE_NVML_DEVICE ? NVML_ERROR_INVALID_ARGUMENT : NVML_ERROR_NOT_SUPPORTED;
}
WARPSCOPE_NVML nvmlDeviceClearCpuAffinity(nvmlDevice_t device) {
  return nvmlDeviceSetCpuAffinity(device);
}
WARPSCOPE_NVML nvmlDeviceGetIndex(nvmlDevice_t device, unsigned int *index) {
  if (device != WARPSCOPE_NVML_DEVICE || index == NULL)
    return NVML_ERROR_INVALID_ARGUMENT;
  *index = 0;
  return NVML_SUCCESS;
}
WARPSCOPE_NVML nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned int length) {
  struct cudaDeviceProp properties;
  if (device != WARPSCOPE_NVML_DEVICE)
    return NVML_ERROR_INVALID_ARGUMENT;
  const cudaError_t error = cudaGetDeviceProperties(&properties, 0);
  return error == cudaSuccess ? warpscope_nvml_text(properties.name, name, length)
                              : NVML_ERROR_UNKNOWN;
}
WARPSCOPE_NVML nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory) {
  size_t available = 0, total = 0;
  if (device != WARPSCOPE_NVML_DEVICE || memory == NULL)
    return NVML_ERROR_INVALID_ARGUMENT;
  const cudaError_t error = cudaMemGetInfo(&available, &total);
  memory->total = total;
  memory->free = available;
  memory->used = total - available;
  return warpscope_nvml(error);
}
WARPSCOPE_NVML nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor) {
  const nvmlReturn_t result =
      warpscope_nvml_number(device, cudaDevAttrComputeCapabilityMajor, major);
  return result != NVML_SUCCESS
             ? result
             : warpscope_nvml_number(device, cudaDevAttrComputeCapabilityMinor, minor);
}
WARPSCOPE_NVML nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, nvmlClockType_t type,
                                         unsigned int *mhz) {
  int khz = 0;
  const nvmlReturn_t result = warpscope_nvml_number(
      device, type == NVML_CLOCK_MEM ? cudaDevAttrMemoryClockRate : cudaDevAttrClockRate, &khz);
  if (mhz == NULL)
    return NVML_ERROR_INVALID_ARGUMENT;
  *mhz = (unsigned int)khz / 1000;
  return result;
}
WARPSCOPE_NVML nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type,
                                      unsigned int *mhz) {
  return nvmlDeviceGetMaxClockInfo(device, type, mhz);
}

// Where the runtime's properties say it is; whose board it is nobody knows.
WARPSCOPE_NVML nvmlDeviceGetPciInfo(nvmlDevice_t device, nvmlPciInfo_t *pci) {
  int domain = 0, bus = 0, number = 0;
  if (device != WARPSCOPE_NVML_DEVICE || pci == NULL)
    return NVML_ERROR_INVALID_ARGUMENT;
  memset(pci, 0, sizeof(*pci));
  if (cudaDeviceGetAttribute(&domain, cudaDevAttrPciDomainId, 0) != cudaSuccess ||
      cudaDeviceGetAttribute(&bus, cudaDevAttrPciBusId, 0) != cudaSuccess ||
      cudaDeviceGetAttribute(&number, cudaDevAttrPciDeviceId, 0) != cudaSuccess)
    return NVML_ERROR_UNKNOWN;
  pci->domain = (unsigned int)domain;
  pci->bus = (unsigned int)bus;
  pci->device = (unsigned int)number;
  const unsigned int legacy = sizeof(pci->busIdLegacy), whole = sizeof(pci->busId);
  snprintf(pci->busIdLegacy, legacy, "%04X:%02X:%02X.0", domain & 0xffff, bus & 0xff,
           number & 0xff);
  snprintf(pci->busId, whole, "%08X:%02X:%02X.0", (unsigned int)domain, bus & 0xff, number & 0xff);
  return NVML_SUCCESS;
}
WARPSCOPE_NVML nvmlDeviceGetPciInfo_v2(nvmlDevice_t device, nvmlPciInfo_t *pci) {
  return nvmlDeviceGetPciInfo(device, pci);
}
WARPSCOPE_NVML nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci) {
  return nvmlDeviceGetPciInfo(device, pci);
}

// A GPU with one pair of clocks, which everybody may set.
WARPSCOPE_NVML nvmlDeviceGetApplicationsClock(nvmlDevice_t device, nvmlClockType_t type,
                                              unsigned int *mhz) {
  return nvmlDeviceGetMaxClockInfo(device, type, mhz);
}
WARPSCOPE_NVML nvmlDeviceGetDefaultApplicationsClock(nvmlDevice_t device, nvmlClockType_t type,
                                                     unsigned int *mhz) {
  return nvmlDeviceGetMaxClockInfo(device, type, mhz);
}
WARPSCOPE_NVML warpscope_nvml_clocks(nvmlDevice_t device, nvmlClockType_t type, unsigned int *count,
                                     unsigned int *mhz) {
  if (count == NULL)
    return NVML_ERROR_INVALID_ARGUMENT;
  const unsigned int room = *count;
  *count = 1;
  if (room == 0)
    return NVML_ERROR_INSUFFICIENT_SIZE;
  return nvmlDeviceGetMaxClockInfo(device, type, mhz);
}
WARPSCOPE_NVML nvmlDeviceGetSupportedMemoryClocks(nvmlDevice_t device, unsigned int *count,
                                                  unsigned int *mhz) {
  return warpscope_nvml_clocks(device, NVML_CLOCK_MEM, count, mhz);
}
WARPSCOPE_NVML nvmlDeviceGetSupportedGraphicsClocks(nvmlDevice_t device, unsigned int memory_mhz,
                                                    unsigned int *count, unsigned int *mhz) {
  unsigned int supported = 0;
  const nvmlReturn_t result = nvmlDeviceGetMaxClockInfo(device, NVML_CLOCK_MEM, &supported);
  if (result != NVML_SUCCESS)
    return result;
  return memory_mhz != supported ? NVML_ERROR_NOT_FOUND
                                 : warpscope_nvml_clocks(device, NVML_CLOCK_GRAPHICS, count, mhz);
}
WARPSCOPE_NVML nvmlDeviceSetApplicationsClocks(nvmlDevice_t device, unsigned int memory_mhz,
                                               unsigned int graphics_mhz) {
  unsigned int one = 1, supported = 0;
  const nvmlReturn_t result =
      nvmlDeviceGetSupportedGraphicsClocks(device, memory_mhz, &one, &supported);
  return result == NVML_SUCCESS && graphics_mhz == supported ? NVML_SUCCESS
                                                             : NVML_ERROR_INVALID_ARGUMENT;
}
WARPSCOPE_NVML nvmlDeviceResetApplicationsClocks(nvmlDevice_t device) {
  return device != WARPSCOPE_NVML_DEVICE ? NVML_ERROR_INVALID_ARGUMENT : NVML_SUCCESS;
}
WARPSCOPE_NVML nvmlDeviceGetAPIRestriction(nvmlDevice_t device, nvmlRestrictedAPI_t function,
                                           nvmlEnableState_t *is_restricted) {
  if (device != WARPSCOPE_NVML_DEVICE || is_restricted == NULL)
    return NVML_ERROR_INVALID_ARGUMENT;
  if (function != NVML_RESTRICTED_API_SET_APPLICATION_CLOCKS)
    return NVML_ERROR_NOT_SUPPORTED; // there is no boost
  *is_restricted = NVML_FEATURE_DISABLED;
  return NVML_SUCCESS;
}

// Only of a GPU that runs.
#define WARPSCOPE_NVML_NOT_HERE(name, ...)                                                         \
  WARPSCOPE_NVML name(nvmlDevice_t device, __VA_ARGS__) {                                          \
    return device != WARPSCOPE_NVML_DEVICE || value == NULL ? NVML_ERROR_INVALID_ARGUMENT          \
                                                            : NVML_ERROR_NOT_SUPPORTED;            \
  }
WARPSCOPE_NVML_NOT_HERE(nvmlDeviceGetPowerUsage, unsigned int *value)
WARPSCOPE_NVML_NOT_HERE(nvmlDeviceGetEnforcedPowerLimit, unsigned int *value)
WARPSCOPE_NVML_NOT_HERE(nvmlDeviceGetPowerManagementLimit, unsigned int *value)
WARPSCOPE_NVML_NOT_HERE(nvmlDeviceGetTotalEnergyConsumption, unsigned long long *value)
WARPSCOPE_NVML_NOT_HERE(nvmlDeviceGetFanSpeed, unsigned int *value)
WARPSCOPE_NVML_NOT_HERE(nvmlDeviceGetUtilizationRates, nvmlUtilization_t *value)
static inline nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device,
                                                    nvmlTemperatureSensors_t sensor,
                                                    unsigned int *value) {
  (void)sensor;
  return nvmlDeviceGetFanSpeed(device, value);
}
#undef WARPSCOPE_NVML
#undef WARPSCOPE_NVML_NOT_HERE
