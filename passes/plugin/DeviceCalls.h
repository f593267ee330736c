//===- DeviceCalls.h - what device code asks the host for ---------*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_DEVICECALLS_H
#define WARPSCOPE_PASSES_DEVICECALLS_H

#include "llvm/IR/Module.h"

namespace wspasses {

/// Replaces calls of the functions with DeviceCallPrefix by calls through the tables
/// __warpscope_device_v1 and __warpscope_stacks_v1. Last: they are nothing that a kernel accesses.
void callDeviceTable(llvm::Module &M);

} // namespace wspasses

#endif
