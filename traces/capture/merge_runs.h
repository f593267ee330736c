#pragma once
// Brings the work-groups of a capture that is finished into their final form: which are records and which are in runs depends on
// nothing but their payloads. Threads record in any order, each with its own runs.
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "traces/capture/capture_index.h"
#include "traces/files/file_io.h"

namespace warpscope {

/// Sections that a capture gets when it is finished, in an unnamed file.
class FreshSections {
 public:
  StoredSection add(std::span<const std::uint8_t> section);
  [[nodiscard]] std::vector<std::uint8_t> read(const StoredSection& section) const;

 private:
  Descriptor file_;
  std::uint64_t size_ = 0;
};

/// The bytes of a section of the file.
using SectionBytes = std::function<std::span<const std::uint8_t>(const StoredSection&)>;

/// A work-group becomes part of a run if it repeats one of the last KnownRecords::kMost records, in ascending order. `contents`
/// is sorted, and remains so. Throws InputError if a work-group is there twice.
void merge_runs(const std::string& path, const SectionBytes& bytes, CaptureContents& contents,
                FreshSections& fresh);

}  // namespace warpscope
