#pragma once
// What a capture holds besides its work-groups: the launches, their kernels, arguments and memory objects.
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "traces/kernel_info.h"
#include "traces/types.h"

namespace warpscope {

/// A memory object of the capture. Ids are unique in a capture and stable over launches: a buffer passed to
/// several launches, or twice to one, keeps its id. Id 0 stands for "no known object" (out-of-bounds
/// accesses).
struct BufferInfo {
  BufferId id;
  std::string name;  ///< of the kernel argument it was first passed as, or of the local/private array
  AddressSpace space = AddressSpace::Global;
  std::uint64_t size = 0;  ///< bytes; local and private: per work-group and per work-item
  std::string flags;       ///< "read_write", "read_only", …
};

struct ArgumentValue {
  BufferId buffer;           ///< pointers to global and constant memory
  std::uint64_t offset = 0;  ///< of a sub-buffer
  std::string value;         ///< scalars, as text; local memory: its size in bytes
};

struct LaunchInfo {
  LaunchId id;
  KernelInfo kernel;
  std::uint32_t dimensions = 1;
  Dim3 global;  ///< work-items
  Dim3 local;   ///< work-items per work-group
  Dim3 offset{0, 0, 0};
  std::vector<ArgumentValue> arguments;
  std::vector<BufferId> objects;  ///< capture id of kernel.objects[i]
  std::uint64_t dynamic_local_bytes = 0;
  std::string build_options;
  std::string optimize = "gpu";  ///< "gpu" or "O0"
  std::string sampling = "all";  ///< which work-groups were recorded
  std::string source_name;       ///< file name of the kernel source, without directories
  std::string source;            ///< its text

  [[nodiscard]] Dim3 groups() const { return {global.x / local.x, global.y / local.y, global.z / local.z}; }
};

nlohmann::json to_json(const BufferInfo& buffer);
/// `shares`: an earlier launch of the file with the same kernel, build options, optimisation and source.
nlohmann::json to_json(const LaunchInfo& launch, std::optional<LaunchId> shares = {});
BufferInfo buffer_info_from_json(const nlohmann::json& json);
/// `earlier`: the file's launches before this one, ascending; it may share what they say.
LaunchInfo launch_info_from_json(const nlohmann::json& json, std::span<const LaunchInfo> earlier = {});

}  // namespace warpscope
