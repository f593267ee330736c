#pragma once
// A stream without the launches that are not selected.
#include "traces/program/launch_selection.h"
#include "traces/stream/stream.h"

namespace warpscope {

/// The header of a stream of the selected launches only; its context says which. Throws InputError as
/// LaunchSelection::of(), and when the stream does not describe its launches (text).
StreamHeader select_launches(const StreamHeader& header, const LaunchSelection& selection);

class LaunchFilter final : public WarpAccessSink {
 public:
  /// Both outlive this.
  LaunchFilter(const LaunchSelection& selection, WarpAccessSink& sink) : selection_(selection), sink_(sink) {}
  void begin(const StreamHeader& header) override;
  void begin_launch(LaunchId launch) override;
  void access(const WarpAccess& access) override {
    if (passes_) sink_.access(access);
  }
  void end() override { sink_.end(); }

 private:
  const LaunchSelection& selection_;
  WarpAccessSink& sink_;
  std::vector<LaunchId> selected_;  ///< ascending
  bool passes_ = true;
};

}  // namespace warpscope
