#pragma once
// Between the recorder and the file.
#include "traces/capture/writer.h"
#include "wrapper/recording/recorder.h"

namespace warpscope {

/// Null: what is recorded goes nowhere.
class CaptureSink : public WorkGroupSink {
 public:
  explicit CaptureSink(CaptureWriter* writer) : writer_(writer) {}
  void add(LaunchId launch, WorkGroupId group, std::span<const std::uint8_t> payload) override {
    if (writer_ != nullptr) writer_->add_work_group(launch, group, payload);
  }
  void add_part(LaunchId launch, WorkGroupId group, std::uint32_t part,
                std::span<const std::uint8_t> bytes) override {
    if (writer_ != nullptr) writer_->add_part(launch, group, part, bytes);
  }
  void end_parts(LaunchId launch, WorkGroupId group) override {
    if (writer_ != nullptr) writer_->end_parts(launch, group);
  }

 private:
  CaptureWriter* writer_;
};

}  // namespace warpscope
