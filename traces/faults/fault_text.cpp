// Faults in words and as JSON.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "traces/faults/faults.h"

namespace warpscope {
namespace {

using nlohmann::json;

std::string object_text(const Fault& fault) {
  return fault.object.empty() ? "" : fmt::format(" {}", fault.object);
}

const char* memory_text(const Fault& fault) {
  if (!fault.is_local) return "global";
  return fault.is_cuda ? "shared" : "local";
}

std::string race_text_of(const Fault& fault) {
  const bool same_group = fault.first.group == fault.second->group;
  const char* who = fault.is_cuda ? "threads" : "work-items";
  const std::string whose = !same_group
                                ? fmt::format("{} of two {}", who, fault.is_cuda ? "blocks" : "work-groups")
                            : fault.code == FaultCode::RaceWarp || fault.code == FaultCode::RaceInStep
                                ? fmt::format("{} of one warp", who)
                                : std::string(who);
  if (fault.code == FaultCode::SameValue)
    return fmt::format("several {} store one value to{}", who, object_text(fault));
  if (fault.code == FaultCode::StoreTogether)
    return fmt::format("{} of one warp store to one place of{} at once; if their values differ, any may stay",
                       who, object_text(fault));
  return fmt::format("{} and {} of{} by {}, in no order", name_of(fault.first.access.kind),
                     name_of(fault.second->access.kind), object_text(fault), whose);
}

json side_json(const FaultSide& side) {
  const RaceAccess& access = side.access;
  return {{"kind", name_of(access.kind)},
          {"file", access.at.file},
          {"line", access.at.line},
          {"column", access.at.column},
          {"function", access.function},
          {"work_group", triple_json(side.group)},
          {"work_item", triple_json(side.item)}};
}

json fault_json(const Fault& fault) {
  const FaultClass its = class_of(fault.code);
  json sides = json::array();
  if (fault.code != FaultCode::Leak) sides.push_back(side_json(fault.first));
  if (fault.second) sides.push_back(side_json(*fault.second));
  return {{"code", its.code},
          {"tool", its.tool},
          {"level", name_of(its.level)},
          {"kernel", fault.kernel},
          {"accesses", sides},
          {"object", fault.object},
          {"offset", fault.offset},
          {"launch", fault.launch.value()},
          {"count", fault.count},
          {"cuda", fault.is_cuda},
          {"text", fault_text(fault)},
          {"remedy", fault_remedy(fault)}};
}

}  // namespace

std::string fault_text(const Fault& fault) {
  const char* who = fault.is_cuda ? "threads" : "work-items";
  switch (fault.code) {
    case FaultCode::OutOfBounds:
      return fault.object.empty()
                 ? fmt::format("{} outside of every buffer", name_of(fault.first.access.kind))
                 : fmt::format("{} outside of {}", name_of(fault.first.access.kind), fault.object);
    case FaultCode::Misaligned:
      return fmt::format("{} of{} at byte {}, which is no multiple of what its type needs",
                         name_of(fault.first.access.kind), object_text(fault), fault.offset);
    case FaultCode::Uninitialised:
      return fmt::format("{} of{}, {} memory that nobody has written", name_of(fault.first.access.kind),
                         object_text(fault), memory_text(fault));
    case FaultCode::UninitialisedPart:
      return fmt::format("{} of{}, {} memory of which nobody has written a part, which may be padding",
                         name_of(fault.first.access.kind), object_text(fault), memory_text(fault));
    case FaultCode::Leak:
      return fmt::format("{} of {} bytes is never freed{}", fault.object.empty() ? "memory" : fault.object,
                         fault.offset,
                         fault.kernel.empty() ? "" : fmt::format("; kernel {} was given it", fault.kernel));
    case FaultCode::DivergentBarrier:
      return fmt::format("{} wait at different barriers", who);
    case FaultCode::EarlyExit:
      return fmt::format("some {} wait at a barrier when others have ended", who);
    case FaultCode::EndedLanes:
      return "lanes of the mask of a warp function have ended";
    case FaultCode::WarpMask:
      return "lanes of the mask of a warp function do not come to it";
    default:
      return race_text_of(fault);
  }
}

std::string fault_remedy(const Fault& fault) {
  const bool in_group = fault.second && fault.first.group == fault.second->group;
  switch (fault.code) {
    case FaultCode::RaceLocal:
      return fmt::format("put {} between them",
                         fault.is_cuda ? "__syncthreads()" : "barrier(CLK_LOCAL_MEM_FENCE)");
    case FaultCode::RaceWarp:
    case FaultCode::RaceInStep:
      return fault.is_cuda ? "put __syncwarp() between them" : "put a barrier between them";
    case FaultCode::RaceGlobal:
      if (!in_group) return "use an atomic, or two launches";
      return fmt::format("put {} between them, or use an atomic",
                         fault.is_cuda ? "__syncthreads()" : "barrier(CLK_GLOBAL_MEM_FENCE)");
    case FaultCode::StoreTogether:
      return "let one lane store";
    case FaultCode::UnorderedRead:
      return "read it with an atomic, too";
    case FaultCode::Uninitialised:
      if (fault.is_local) return "write it before, with a barrier behind";
      return fault.is_cuda ? "write it before the launch: cudaMemset(), cudaMemcpy(), or a kernel"
                           : "write it before the launch: clEnqueueFillBuffer(), "
                             "clEnqueueWriteBuffer(), or a kernel";
    case FaultCode::Leak:
      return fault.is_cuda ? "cudaFree() it" : "clReleaseMemObject() it";
    case FaultCode::DivergentBarrier:
    case FaultCode::EarlyExit:
      return "let all of them come to the same barrier";
    case FaultCode::EndedLanes:
    case FaultCode::WarpMask:
      return "take the mask of the lanes that come to it, such as __activemask() or a ballot before the "
             "branch";
    default:
      return "";
  }
}

nlohmann::json to_json(const FaultReport& report) {
  json faults = json::array(), not_checked = json::array();
  for (const Fault& fault : report.faults) faults.push_back(fault_json(fault));
  for (const auto& kernel : report.not_checked)
    not_checked.push_back({{"kernel", kernel.kernel}, {"why", kernel.why}});
  return {{"faults", faults},
          {"not_checked", not_checked},
          {"checked",
           {{"launches", report.launches}, {"work_groups", report.groups}, {"accesses", report.accesses}}},
          {"in_part", report.in_part}};
}

}  // namespace warpscope
