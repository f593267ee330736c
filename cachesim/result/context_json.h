#pragma once
// The block `context` of every result: what was counted, and with what (RESULT.md).
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "gpus/preset.h"
#include "traces/stream/stream.h"

namespace warpscope {

/// What the stream's header does not say.
struct ContextSource {
  const char* tool;
  const std::string& input_name;  ///< without directories; "-" = standard input
  const std::string& input_kind;
  const std::string& coalescing;
  const std::optional<GpuPreset>& preset;
  std::uint32_t cores = 1;
  std::uint64_t seed = 1;
  bool partial = false;
};

/// The keys that all results have; a result adds its own.
nlohmann::ordered_json context_json(const ContextSource& source, const StreamHeader& header);

}  // namespace warpscope
