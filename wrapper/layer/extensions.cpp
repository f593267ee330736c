#include "wrapper/layer/extensions.h"

#include <cstring>

#include "wrapper/layer/layer_state.h"

namespace warpscope::layer {
namespace {

void CL_API_CALL describe_program(cl_program program, const CompiledTwin* twin) {
  own_work([&](Layer& self) { self.programs.describe(program, *twin); });
}

void CL_API_CALL name_memory(cl_context context, const void* address, std::size_t bytes, const char* name,
                             const void* room, std::size_t room_bytes, MemoryUse use) {
  own_work([&](Layer& self) { self.memory.name_svm(context, address, bytes, name, room, room_bytes, use); });
}

void CL_API_CALL name_launch(const char* call_site, const char* range) {
  own_work([&](Layer&) { Launches::name_next(call_site, range); });
}

void CL_API_CALL note_stop(const char* why) {
  own_work([&](Layer& self) { self.launches.stop(why); });
}

void CL_API_CALL note_failure(const char* why) {
  own_work([&](Layer& self) { self.launches.note_failure(why); });
}

void CL_API_CALL check_addresses(StopKernel stop) {
  own_work([&](Layer& self) { self.launches.check_addresses(stop); });
}

void CL_API_CALL run_machine(cl_context context, MachineTask* task) {
  Layer* const current = layer.load(std::memory_order_acquire);
  if (current == nullptr) return task->execute();
  current->machine_launches.run(context, *task);
}

}  // namespace

void* cuda_extension(const char* name) {
  const auto is = [&](const char* other) { return std::strcmp(name, other) == 0; };
  if (is(kDescribeProgram)) return reinterpret_cast<void*>(&describe_program);
  if (is(kNameMemory)) return reinterpret_cast<void*>(&name_memory);
  if (is(kNameLaunch)) return reinterpret_cast<void*>(&name_launch);
  if (is(kNoteStop)) return reinterpret_cast<void*>(&note_stop);
  if (is(kNoteFailure)) return reinterpret_cast<void*>(&note_failure);
  if (is(kRunMachine)) return reinterpret_cast<void*>(&run_machine);
  if (is(kCheckAddresses)) return reinterpret_cast<void*>(&check_addresses);
  return nullptr;
}

}  // namespace warpscope::layer
