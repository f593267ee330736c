#pragma once
// The sections for machine code (traces/FORMAT.md, "Machine code").
#include <cstdint>
#include <optional>

#include "traces/base/types.h"
#include "traces/files/section.h"

namespace warpscope {

constexpr std::uint32_t kCodeTag = section_tag("CODE");
constexpr std::uint32_t kTotalsTag = section_tag("EXEC");

/// Number of a CODE section: 0 of one that has the code, else 1 + the earlier launch that has it.
constexpr std::uint64_t code_number(std::optional<LaunchId> owner) {
  return owner ? std::uint64_t{1} + owner->value() : 0;
}

/// The launch to which a CODE section of this number refers.
constexpr std::optional<LaunchId> owner_of_code(std::uint64_t number) {
  if (number == 0) return std::nullopt;
  return LaunchId(static_cast<std::uint32_t>(number - 1));
}

}  // namespace warpscope
