#include "whatif/objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "traces/base/error.h"
#include "traces/base/printable.h"

namespace warpscope::whatif {
namespace {

bool is_of_kernel(const BufferInfo& buffer) {
  return buffer.space == AddressSpace::Local || buffer.space == AddressSpace::Private;
}

void add_once(std::vector<BufferId>& ids, BufferId id) {
  if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
}

}  // namespace

ObjectNames::ObjectNames(const std::vector<BufferInfo>& buffers, const LaunchList& launches)
    : names_(buffers.size() + 1) {
  const BufferNames allocated(buffers, launches);
  for (const BufferInfo& buffer : buffers) {
    names_[buffer.id.value()] = allocated.allocation(buffer.id);
    add_once(allocations_[names_[buffer.id.value()]], buffer.id);
  }
  std::set<std::pair<const void*, const void*>> seen;  // launches mostly share what is looked at here
  std::set<std::pair<const void*, const void*>> seen_objects;
  for (const LaunchInfo& launch : launches) {
    const void* kernel = launch.kernel.identity();
    const bool known = !seen.insert({kernel, launch.arguments.data()}).second;
    if (seen_objects.insert({kernel, launch.objects.data()}).second || !known) note(launch, buffers);
  }
}

void ObjectNames::note(const LaunchInfo& launch, const std::vector<BufferInfo>& buffers) {
  const KernelInfo& kernel = *launch.kernel;
  const std::size_t count = std::min(launch.arguments.size(), kernel.arguments.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (launch.arguments[i].buffer == BufferId(0)) continue;
    add_once(arguments_[kernel.arguments[i].name], launch.arguments[i].buffer);
    add_once(arguments_[kernel.name + "." + kernel.arguments[i].name], launch.arguments[i].buffer);
  }
  for (const BufferId id : launch.objects)
    if (id.value() != 0) add_once(arguments_[kernel.name + "." + buffers[id.value() - 1].name], id);
  for (const BufferInfo& buffer : buffers)
    if (buffer.space == AddressSpace::Local && local_argument_of(launch, buffer) != launch.arguments.size())
      add_once(arguments_[kernel.name + "." + buffer.name], buffer.id);
}

std::vector<BufferId> ObjectNames::find(const std::string& name, const std::string& what) const {
  if (const auto found = allocations_.find(name); found != allocations_.end()) return found->second;
  const auto found = arguments_.find(name);
  if (found == arguments_.end())
    throw InputError(
        fmt::format("{}: the capture has no object '{}', expected one of {}", what, quotable(name), known()));
  if (found->second.size() == 1) return found->second;
  std::string choices;
  for (const BufferId id : found->second) choices += (choices.empty() ? "" : ", ") + this->name(id);
  throw InputError(fmt::format("{}: '{}' is several allocations, expected one of {}", what, quotable(name),
                               printable(choices)));
}

const std::string& ObjectNames::name(BufferId id) const {
  return names_.at(id.value());
}

std::string ObjectNames::known() const {
  std::string names;
  for (const auto& [name, ids] : allocations_)
    if (!name.empty()) names += (names.empty() ? "" : ", ") + name;
  return quotable(names, 1000);
}

std::size_t local_argument_of(const LaunchInfo& launch, const BufferInfo& object) {
  const KernelInfo& kernel = *launch.kernel;
  const auto& owned = launch.objects;
  const std::size_t count = launch.arguments.size();
  if (!is_of_kernel(object) || std::find(owned.begin(), owned.end(), object.id) != owned.end()) return count;
  for (std::size_t i = 0; i < count; ++i) {
    const ArgumentInfo& argument = kernel.arguments[i];
    if (argument.is_pointer && argument.space == AddressSpace::Local && argument.name == object.name &&
        launch.arguments[i].value == std::to_string(object.size))
      return i;
  }
  return count;
}

}  // namespace warpscope::whatif
