#pragma once
// What a capture holds besides its work-groups: the launches, their kernels, arguments and memory objects.
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "traces/base/shared.h"
#include "traces/base/types.h"
#include "traces/program/kernel_info.h"

namespace warpscope {

/// A memory object of the capture. Ids are unique in a capture and stable over launches: a buffer passed to
/// several launches, or twice to one, keeps its id. Id 0 means "no known object" (out-of-bounds
/// accesses).
struct BufferInfo {
  BufferId id;
  std::string
      name;  ///< name of the first kernel argument that it was passed as, or of the local/private array
  AddressSpace space = AddressSpace::Global;
  std::uint64_t size = 0;     ///< bytes; local and private: per work-group and per work-item
  std::string flags;          ///< "read_write", "read_only", …
  bool has_own_name = false;  ///< the name is the program's own: the variable that holds the allocation
};

struct ArgumentValue {
  BufferId buffer;           ///< pointers to global and constant memory
  std::uint64_t offset = 0;  ///< offset of a sub-buffer
  std::string value;         ///< scalars, as text; local memory: its size in bytes
};

/// What a program calls a launch; texts are empty where it is not known.
struct LaunchName {
  std::string call_site;  ///< "app.cu:42", where the program launches it
  std::string range;      ///< NVTX ranges in which the program said it was, the outer ones first
};

/// Programs launch a kernel many thousand times: what launches have in common is held once.
struct LaunchInfo {
  LaunchId id;
  std::uint32_t dimensions = 1;
  bool has_open_local = false;  ///< the program left `local` open, and another chose it (`device_like`)
  Shared<KernelInfo> kernel;
  Dim3 global;  ///< work-items
  Dim3 local;   ///< work-items per work-group
  Dim3 offset{0, 0, 0};
  Dim3 cluster{1, 1,
               1};  ///< work-groups of a cluster, which are resident together; {1, 1, 1}: there are none
  SharedList<ArgumentValue> arguments;
  SharedList<BufferId> objects;  ///< capture id of kernel->objects[i]
  std::uint64_t dynamic_local_bytes = 0;
  Shared<std::string> build_options;
  Shared<std::string> optimize = "gpu";  ///< "gpu" or "O0"
  Shared<std::string> sampling = "all";  ///< text that says which work-groups were recorded
  Shared<std::string> source_name;       ///< file name of the kernel source, without directories
  Shared<std::string> source;            ///< text of the source
  Shared<LaunchName> name;

  [[nodiscard]] Dim3 groups() const { return {global.x / local.x, global.y / local.y, global.z / local.z}; }
  /// The number of a work-group's cluster; along x first, as those of work-groups.
  [[nodiscard]] std::uint64_t cluster_of(WorkGroupId group) const;
};

/// Launches in ascending order of their ids.
class LaunchList : public SharedList<LaunchInfo> {
 public:
  using SharedList::SharedList;
  /// Position of a launch; size() if it is not there.
  [[nodiscard]] std::size_t position_of(LaunchId id) const;
};

/// Holds what launches that are read one after another have in common only once: kernels, texts and argument
/// lists of equal content become the same object.
class LaunchInterner {
 public:
  LaunchInterner();
  ~LaunchInterner();
  LaunchInterner(const LaunchInterner&) = delete;
  LaunchInterner& operator=(const LaunchInterner&) = delete;
  struct Tables;
  [[nodiscard]] Tables& tables() { return *tables_; }

 private:
  std::unique_ptr<Tables> tables_;
};

nlohmann::json to_json(const BufferInfo& buffer);
/// `shares`: an earlier launch of the file with the same kernel, build options, optimisation and source.
nlohmann::json to_json(const LaunchInfo& launch, std::optional<LaunchId> shares = {});
BufferInfo buffer_info_from_json(const nlohmann::json& json);
/// `earlier`: the file's launches before this one, ascending; it may share what they say. `interner`: one for
/// all launches of a file, or none.
LaunchInfo launch_info_from_json(const nlohmann::json& json, std::span<const LaunchInfo> earlier = {},
                                 LaunchInterner* interner = nullptr);

}  // namespace warpscope
