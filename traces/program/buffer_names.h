#pragma once
// What buffers are called in results: the allocation's name, and the name of the argument under which a
// kernel sees it.
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "traces/program/capture.h"

namespace warpscope {

/// Names for all launches of a file. An allocation with its own name keeps that. One that every launch passes under one argument's name has
/// that name; one that is passed under several is `buffer` and its number among the allocations that are
/// passed, from 0. Allocations that would get the same name are told apart by a number: `data#1`, `data#2`.
/// Local, private and program-scope arrays keep their own names.
/// Time is linear in the launches; memory grows with distinct triples of kernel, argument and buffer only.
class BufferNames {
 public:
  BufferNames(const std::vector<BufferInfo>& buffers, const LaunchList& launches);

  /// The allocation's name; "" for an id that is in no list.
  [[nodiscard]] std::string allocation(BufferId id) const;
  /// The name of the kernel's argument that a buffer is passed as. Where launches pass it as several,
  /// `object` (what the site's address comes from) decides; where that is not known, all of them: "from/to".
  /// The allocation's name if the kernel never gets it as an argument.
  [[nodiscard]] std::string argument(const KernelInfo& kernel, const StaticObject& object, BufferId id) const;

 private:
  /// Kernels of one name and the same names of arguments, in this file.
  using KernelNumber = std::size_t;

  void note_arguments(const LaunchList& launches);
  void name_allocations(const std::vector<BufferInfo>& buffers);

  std::map<std::vector<std::string>, KernelNumber> kernels_;
  std::map<std::pair<KernelNumber, BufferId>, std::set<std::uint32_t>>
      indices_;  ///< passed as these arguments
  std::map<BufferId, std::set<std::string>> passed_as_;
  std::map<BufferId, std::string> allocations_;
};

}  // namespace warpscope
