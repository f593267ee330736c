#pragma once
// The sections that describe buffers and launches behind the HEAD of stream and transaction files: one each,
// and what launches have in common only once (traces/FORMAT.md, "Stream file").
#include <functional>
#include <span>
#include <string>

#include "traces/files/section.h"
#include "traces/stream/stream.h"

namespace warpscope {

constexpr std::uint32_t kBufferDescriptionTag = section_tag("BUFF");
constexpr std::uint32_t kLaunchDescriptionTag = section_tag("DESC");

/// Calls `write(tag, number, payload)` for every section, in their order.
void write_descriptions(
    const StreamHeader& header,
    const std::function<void(std::uint32_t, std::uint64_t, std::span<const std::uint8_t>)>& write);

/// Reads them, and the launches of files that have all in their HEAD.
class DescriptionReader {
 public:
  /// `expected`: how many sections HEAD announces.
  void expect(std::uint64_t expected) { missing_ = expected; }
  [[nodiscard]] std::uint64_t missing() const { return missing_; }
  /// True when it was one of the sections; adds to `header`. Throws InputError on damage.
  bool take(const SectionHeader& section, std::span<const std::uint8_t> payload, StreamHeader& header);
  /// Appends a launch. Throws InputError when its id is not above those before.
  void add_launch(const nlohmann::json& launch, StreamHeader& header);

 private:
  std::uint64_t missing_ = 0;
  LaunchInterner interner_;
};

}  // namespace warpscope
