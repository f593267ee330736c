#pragma once
// What the layer has, and how its entry points use it.
#include <atomic>
#include <exception>
#include <string>

#include "wrapper/layer/guarded_buffers.h"
#include "wrapper/layer/kernels.h"
#include "wrapper/layer/launches.h"
#include "wrapper/layer/machine_launches.h"
#include "wrapper/layer/memory.h"
#include "wrapper/layer/programs.h"
#include "wrapper/session/allocations.h"
#include "wrapper/session/session.h"

namespace warpscope::layer {

/// Everything the layer has. Never destroyed: threads of PoCL and of the application run until the end.
struct Layer {
  explicit Layer(const std::string& directory)
      : session(directory),
        programs(session),
        kernels(programs),
        host_writes(session.settings().host_writes),
        allocations(session.settings().finds_unwritten, host_writes),
        memory(session, allocations),
        guarded_buffers(allocations),
        launches(session, kernels, memory, allocations),
        machine_launches(session, memory, launches, allocations) {}
  Session session;
  Programs programs;
  Kernels kernels;
  HostWrites host_writes;
  Allocations allocations;
  Memory memory;
  GuardedBuffers guarded_buffers;
  Launches launches;
  MachineLaunches machine_launches;
};

inline std::atomic<Layer*> layer = nullptr;  // null: nothing is traced

/// Runs our own work around a call. Nothing may be thrown into the application.
template <class Work>
void own_work(const Work& work) noexcept {
  Layer* const current = layer.load(std::memory_order_acquire);
  if (current == nullptr) return;
  try {
    work(*current);
  } catch (const std::exception& error) {
    try {
      current->session.report_untraced(error.what());
    } catch (const std::exception&) {  // not even the session's folder can be written: the parent sees that
    }
  }
}

}  // namespace warpscope::layer
