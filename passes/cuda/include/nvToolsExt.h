#pragma once
// NVTX (NVIDIA Tools Extension, C API): the ranges that are open around a launch are its name in
// captures. Marks, categories and colours are taken and have no effect. Without the CUDA runtime in
// the program nothing happens.
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))
#define NVTX_NO_PUSH_POP_TRACKING (-2)
#define NVTX_COLOR_UNKNOWN 0
#define NVTX_COLOR_ARGB 1
#define NVTX_MESSAGE_UNKNOWN 0
#define NVTX_MESSAGE_TYPE_ASCII 1
#define NVTX_MESSAGE_TYPE_UNICODE 2
#define NVTX_MESSAGE_TYPE_REGISTERED 3
#define NVTX_PAYLOAD_UNKNOWN 0
#define NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 1
#define NVTX_PAYLOAD_TYPE_INT64 2
#define NVTX_PAYLOAD_TYPE_DOUBLE 3
#define NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 4
#define NVTX_PAYLOAD_TYPE_INT32 5
#define NVTX_PAYLOAD_TYPE_FLOAT 6

typedef uint64_t nvtxRangeId_t;
// Both are texts.
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st *nvtxStringHandle_t;
typedef union nvtxMessageValue_t {
  const char *ascii;
  const wchar_t *unicode;
  nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef struct nvtxEventAttributes_v2 {
  uint16_t version, size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType, reserved0;
  union payload_t {
    uint64_t ullValue;
    int64_t llValue;
    double dValue;
    uint32_t uiValue;
    int32_t iValue;
    float fValue;
  } payload;
  int32_t messageType;
  nvtxMessageValue_t message;
} nvtxEventAttributes_v2;
typedef nvtxEventAttributes_v2 nvtxEventAttributes_t;

#ifdef __cplusplus
extern "C" {
#endif
// The runtime's. `domain`: null is the one without a name.
int warpscopeRangePush(const char *domain, const char *name) __attribute__((weak));
int warpscopeRangePop(const char *domain) __attribute__((weak));
uint64_t warpscopeRangeStart(const char *domain, const char *name) __attribute__((weak));
void warpscopeRangeEnd(uint64_t range) __attribute__((weak));
#ifdef __cplusplus
}
#endif

// Letters beyond ASCII become question marks.
#define WARPSCOPE_NARROW(name, wide)                                                               \
  char name[128];                                                                                  \
  size_t name##_bytes = 0;                                                                         \
  for (; (wide) && (wide)[name##_bytes] && name##_bytes + 1 < sizeof(name); ++name##_bytes)        \
    name[name##_bytes] = (wide)[name##_bytes] < 128 ? (char)(wide)[name##_bytes] : '?';            \
  name[name##_bytes] = 0

static inline int warpscope_nvtx_push(const char *domain, const char *name) {
  return warpscopeRangePush ? warpscopeRangePush(domain, name) : NVTX_NO_PUSH_POP_TRACKING;
}
static inline nvtxRangeId_t warpscope_nvtx_start(const char *domain, const char *name) {
  return warpscopeRangeStart ? warpscopeRangeStart(domain, name) : 0;
}
static inline int warpscope_nvtx_push_event(const char *domain,
                                            const nvtxEventAttributes_t *attributes) {
  if (attributes->messageType == NVTX_MESSAGE_TYPE_UNICODE) {
    WARPSCOPE_NARROW(name, attributes->message.unicode);
    return warpscope_nvtx_push(domain, name);
  }
  return warpscope_nvtx_push(
      domain, attributes->messageType != NVTX_MESSAGE_UNKNOWN ? attributes->message.ascii : "");
}
static inline nvtxRangeId_t warpscope_nvtx_start_event(const char *domain,
                                                       const nvtxEventAttributes_t *attributes) {
  if (attributes->messageType == NVTX_MESSAGE_TYPE_UNICODE) {
    WARPSCOPE_NARROW(name, attributes->message.unicode);
    return warpscope_nvtx_start(domain, name);
  }
  return warpscope_nvtx_start(
      domain, attributes->messageType != NVTX_MESSAGE_UNKNOWN ? attributes->message.ascii : "");
}

static inline void nvtxInitialize(const void *reserved) { (void)reserved; }

static inline int nvtxRangePushA(const char *name) { return warpscope_nvtx_push(0, name); }
static inline int nvtxRangePushW(const wchar_t *wide) {
  WARPSCOPE_NARROW(name, wide);
  return warpscope_nvtx_push(0, name);
}
static inline int nvtxRangePushEx(const nvtxEventAttributes_t *attributes) {
  return warpscope_nvtx_push_event(0, attributes);
}
static inline int nvtxRangePop(void) {
  return warpscopeRangePop ? warpscopeRangePop(0) : NVTX_NO_PUSH_POP_TRACKING;
}
static inline nvtxRangeId_t nvtxRangeStartA(const char *name) {
  return warpscope_nvtx_start(0, name);
}
static inline nvtxRangeId_t nvtxRangeStartW(const wchar_t *wide) {
  WARPSCOPE_NARROW(name, wide);
  return warpscope_nvtx_start(0, name);
}
static inline nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *attributes) {
  return warpscope_nvtx_start_event(0, attributes);
}
static inline void nvtxRangeEnd(nvtxRangeId_t range) {
  if (warpscopeRangeEnd)
    warpscopeRangeEnd(range);
}

static inline nvtxDomainHandle_t nvtxDomainCreateA(const char *name) {
  return (nvtxDomainHandle_t)strdup(name);
}
static inline nvtxDomainHandle_t nvtxDomainCreateW(const wchar_t *wide) {
  WARPSCOPE_NARROW(name, wide);
  return nvtxDomainCreateA(name);
}
// Ranges of it may still be open.
static inline void nvtxDomainDestroy(nvtxDomainHandle_t domain) { (void)domain; }
static inline int nvtxDomainRangePushEx(nvtxDomainHandle_t domain,
                                        const nvtxEventAttributes_t *attributes) {
  return warpscope_nvtx_push_event((const char *)domain, attributes);
}
static inline int nvtxDomainRangePop(nvtxDomainHandle_t domain) {
  return warpscopeRangePop ? warpscopeRangePop((const char *)domain) : NVTX_NO_PUSH_POP_TRACKING;
}
static inline nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t domain,
                                                   const nvtxEventAttributes_t *attributes) {
  return warpscope_nvtx_start_event((const char *)domain, attributes);
}
static inline void nvtxDomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t range) {
  (void)domain;
  nvtxRangeEnd(range);
}
static inline nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t domain,
                                                           const char *text) {
  (void)domain;
  return (nvtxStringHandle_t)strdup(text);
}
static inline nvtxStringHandle_t nvtxDomainRegisterStringW(nvtxDomainHandle_t domain,
                                                           const wchar_t *wide) {
  WARPSCOPE_NARROW(text, wide);
  return nvtxDomainRegisterStringA(domain, text);
}

static inline void nvtxMarkA(const char *name) { (void)name; }
static inline void nvtxMarkW(const wchar_t *name) { (void)name; }
static inline void nvtxMarkEx(const nvtxEventAttributes_t *attributes) { (void)attributes; }
static inline void nvtxDomainMarkEx(nvtxDomainHandle_t domain,
                                    const nvtxEventAttributes_t *attributes) {
  (void)domain;
  (void)attributes;
}
static inline void nvtxNameOsThreadA(uint32_t thread, const char *name) {
  (void)thread;
  (void)name;
}
static inline void nvtxNameCategoryA(uint32_t category, const char *name) {
  (void)category;
  (void)name;
}
static inline void nvtxDomainNameCategoryA(nvtxDomainHandle_t domain, uint32_t category,
                                           const char *name) {
  (void)domain;
  (void)category;
  (void)name;
}
#undef WARPSCOPE_NARROW
#ifdef UNICODE
#define nvtxRangePush nvtxRangePushW
#define nvtxRangeStart nvtxRangeStartW
#define nvtxMark nvtxMarkW
#define nvtxDomainCreate nvtxDomainCreateW
#define nvtxDomainRegisterString nvtxDomainRegisterStringW
#else
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxMark nvtxMarkA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxDomainNameCategory nvtxDomainNameCategoryA
#endif
