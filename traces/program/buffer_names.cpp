#include "traces/program/buffer_names.h"

#include <algorithm>
#include <unordered_map>

namespace warpscope {
namespace {

/// What tells kernels apart here: the kernel's name, then those of its arguments.
std::vector<std::string> signature(const KernelInfo& kernel) {
  std::vector<std::string> names = {kernel.name};
  for (const ArgumentInfo& argument : kernel.arguments) names.push_back(argument.name);
  return names;
}

}  // namespace

BufferNames::BufferNames(const std::vector<BufferInfo>& buffers, const LaunchList& launches) {
  note_arguments(launches);
  name_allocations(buffers);
}

// Launches mostly share the objects that describe their kernel, so that its names are rarely looked at.
void BufferNames::note_arguments(const LaunchList& launches) {
  std::unordered_map<const void*, KernelNumber> known;
  const LaunchInfo* before = nullptr;
  for (const LaunchInfo& launch : launches) {
    const bool is_alike = before != nullptr && before->kernel.is(launch.kernel) &&
                          before->arguments.data() == launch.arguments.data();
    before = &launch;
    if (is_alike) continue;
    const auto [number, is_new] = known.try_emplace(launch.kernel.identity(), 0);
    if (is_new)
      number->second = kernels_.try_emplace(signature(*launch.kernel), kernels_.size()).first->second;
    const std::size_t count = std::min(launch.arguments.size(), launch.kernel->arguments.size());
    for (std::size_t i = 0; i < count; ++i) {
      const BufferId id = launch.arguments[i].buffer;
      if (id == BufferId(0)) continue;
      if (indices_[{number->second, id}].insert(static_cast<std::uint32_t>(i)).second)
        passed_as_[id].insert(launch.kernel->arguments[i].name);
    }
  }
}

void BufferNames::name_allocations(const std::vector<BufferInfo>& buffers) {
  std::size_t passed = 0;
  std::map<std::string, std::vector<BufferId>> alike;
  for (const BufferInfo& buffer : buffers) {
    const auto found = passed_as_.find(buffer.id);
    const bool is_passed = found != passed_as_.end();
    if (is_passed && !buffer.has_own_name) {
      const std::string own = "buffer" + std::to_string(passed++);
      alike[found->second.size() == 1 ? *found->second.begin() : own].push_back(buffer.id);
    } else if (is_passed || buffer.space == AddressSpace::Global) {
      alike[buffer.name].push_back(buffer.id);  // its own name, or passed in launches that were not chosen
    } else {
      allocations_[buffer.id] = buffer.name;
    }
  }
  for (const auto& [name, ids] : alike)
    for (std::size_t i = 0; i < ids.size(); ++i)
      allocations_[ids[i]] = ids.size() == 1 ? name : name + "#" + std::to_string(i + 1);
}

std::string BufferNames::allocation(BufferId id) const {
  const auto found = allocations_.find(id);
  return found == allocations_.end() ? "" : found->second;
}

std::string BufferNames::argument(const KernelInfo& kernel, const StaticObject& object, BufferId id) const {
  const auto number = kernels_.find(signature(kernel));
  if (number == kernels_.end()) return allocation(id);
  const auto found = indices_.find({number->second, id});
  if (found == indices_.end()) return allocation(id);
  if (object.kind == StaticObject::Kind::Argument && found->second.contains(object.index))
    return kernel.arguments.at(object.index).name;
  std::string names;
  for (const std::uint32_t index : found->second)
    names += (names.empty() ? "" : "/") + kernel.arguments.at(index).name;
  return names;
}

}  // namespace warpscope
