#pragma once
// What trace-view prints.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "traces/capture/reader.h"
#include "traces/faults/faults.h"
#include "traces/program/layout.h"
#include "traces/races/races.h"

namespace warpscope {

struct ListingParts {
  bool summary = false;
  bool sites = false;
  bool cfg = false;
  bool source = false;
  bool instructions = false;
  bool sums = false;  ///< launches of one kernel together, under the first: totals of instructions
  /// Nothing chosen: the header alone.
  [[nodiscard]] bool header() const { return !summary && !sites && !cfg && !source && !instructions; }
};

/// To standard output.
void list_capture(const CaptureReader& capture, const std::string& path,
                  const std::vector<const LaunchInfo*>& launches, const ListingParts& parts);
/// One line per access of a work-item, in order.
void list_work_item(const CaptureReader& capture, const LaunchInfo& launch, WorkGroupId group,
                    WorkItemId item, const LayoutOptions& layout);
/// What trace-view --races says, to standard output.
void list_races(const RaceReport& report);
/// What trace-view --faults says, to standard output.
void list_faults(const FaultReport& report);
/// To standard output: {"buffers", "capture", "file", "launches", "notes", "partial"}; the summary's keys are
/// fixed, the rest is as in traces/FORMAT.md.
void list_json(const CaptureReader& capture, const std::vector<const LaunchInfo*>& launches,
               const ListingParts& parts);

}  // namespace warpscope
