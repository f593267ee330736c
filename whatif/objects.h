#pragma once
// The memory objects of a capture by the names that a user knows.
#include <map>
#include <string>
#include <vector>

#include "traces/program/buffer_names.h"
#include "traces/program/capture.h"

namespace warpscope::whatif {

class ObjectNames {
 public:
  ObjectNames(const std::vector<BufferInfo>& buffers, const LaunchList& launches);

  /// The objects of a name: an allocation (as in `buffers` of a result), an argument that is always the same
  /// allocation, or a local or private array. `array` of several kernels means all of them, `KERNEL.array`
  /// that of one kernel. Throws InputError that begins with `what` and lists the known names, or says
  /// between which allocations the name does not decide.
  [[nodiscard]] std::vector<BufferId> find(const std::string& name, const std::string& what) const;
  /// What an object is called in messages.
  [[nodiscard]] const std::string& name(BufferId id) const;

 private:
  void note(const LaunchInfo& launch, const std::vector<BufferInfo>& buffers);
  [[nodiscard]] std::string known() const;

  std::map<std::string, std::vector<BufferId>> allocations_;  ///< several: arrays of one name
  std::map<std::string, std::vector<BufferId>>
      arguments_;                   ///< indexed by NAME and KERNEL.NAME of arguments and arrays
  std::vector<std::string> names_;  ///< indexed by id
};

/// A kernel's local memory that its caller sizes: the argument that is this object, or the number of
/// arguments.
std::size_t local_argument_of(const LaunchInfo& launch, const BufferInfo& object);

}  // namespace warpscope::whatif
