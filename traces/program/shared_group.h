#pragma once
// A work-group for a replay. Work-groups of a launch usually differ in nothing but where their addresses begin: what they
// have in common is decoded once and shared.
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "traces/program/work_group_trace.h"

namespace warpscope {

/// As in WorkGroupTrace.
struct GroupPaths {
  std::vector<Path> paths;
  std::vector<std::uint32_t> path_of;  ///< indexed by work-item
  GroupWalks walks;
};

/// The accesses of a site, but for a distance by which all of them are moved.
struct ColumnForm {
  SiteColumn column;
  std::uint64_t id = 0;  ///< number that no other form of the same FormMemory has; 0: no number
};

struct SharedColumn {
  std::shared_ptr<const ColumnForm> form;  ///< null for barriers, fences and unexecuted sites
  std::uint64_t moved = 0;                 ///< added to every element of column.first, modulo 2^64
};

struct SharedGroup {
  SharedGroup() = default;
  /// Shares nothing.
  explicit SharedGroup(WorkGroupTrace trace)
      : launch(trace.launch),
        group(trace.group),
        work_items(trace.work_items),
        paths(std::make_shared<const GroupPaths>(
            GroupPaths{std::move(trace.paths), std::move(trace.path_of), std::move(trace.walks)})),
        columns(trace.columns.size()) {
    for (std::size_t site = 0; site < columns.size(); ++site)
      if (!trace.columns[site].shape_of.empty())
        columns[site].form =
            std::make_shared<const ColumnForm>(ColumnForm{std::move(trace.columns[site]), 0});
  }

  LaunchId launch;
  WorkGroupId group;
  std::uint32_t work_items = 0;
  std::shared_ptr<const GroupPaths> paths;
  std::vector<SharedColumn> columns;  ///< indexed by site
};

/// What the last work-groups looked like that one thread decoded: of a few kinds of control flow, the last form of every site.
/// Only for work-groups of one launch.
class FormMemory {
 public:
  /// Forms of so many kinds of control flow are kept; neighbours have the same, edges of an NDRange others.
  static constexpr std::size_t kKinds = 4;

  struct KnownColumn {
    std::shared_ptr<const ColumnForm> form;
    std::uint64_t begin = 0;           ///< first location of the group that the form is from
    bool moves = false;                ///< `begin` is coded by itself, between `before` and `behind`
    std::vector<std::uint8_t> before;  ///< bytes of the payload
    std::vector<std::uint8_t> behind;
  };
  struct Kind {
    std::vector<std::uint8_t> front;  ///< bytes of the payload, up to the execution counts
    std::uint32_t work_items = 0;
    std::shared_ptr<const GroupPaths> paths;
    std::vector<KnownColumn> columns;  ///< indexed by site
  };

  /// Newest first.
  std::vector<Kind>& kinds() { return kinds_; }
  std::uint64_t new_id() { return ++ids_; }

 private:
  std::vector<Kind> kinds_;
  std::uint64_t ids_ = 0;
};

/// decode(), sharing what `memory` knows. Throws InputError exactly where decode() does.
SharedGroup decode(std::span<const std::uint8_t> payload, LaunchId launch, WorkGroupId group,
                   const std::vector<bool>& carries_address, FormMemory& memory);

}  // namespace warpscope
