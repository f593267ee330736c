#include "tools/cachesim/model_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "traces/base/error.h"
#include "traces/base/names.h"
#include "traces/base/parse_number.h"

namespace warpscope::timed {
namespace {

struct ModelKey {
  const char* name;
  const char* form;  ///< words that it takes, separated by |; or what it takes
  const char* help;
  std::uint64_t least = 0, most = 0;  ///< range of a number; 0, 0: it takes words
};

constexpr ModelKey kKeys[] = {
    {"predicated_instructions", "0 to 100",
     "conditional parts of at most so many instructions are predicated (7 on NVIDIA's GPUs, else 0)", 0, 100},
    {"dependence_distance", "1 to 1000",
     "an instruction depends on the one so many before it; 1 = a chain (as the capture says of each block)",
     1, 1000},
    {"l1_stages", "wavefronts|in-order",
     "what an access costs the L1: wavefronts as cachesim counts them (from Volta on), or its lines in "
     "order"},
    {"l2_slice_index", "spread|INDEX", "the slice of a line: a hash of all bits (spread), or a set index"},
    {"l2_keeps_content", "true|false", "whether a launch finds in the L2 what others left (true)"},
    {"l2_writes_through", "true|false",
     "whether what is written to the L2 goes on to the DRAM at once, as in larger launches (false)"},
    {"ideal", "issue|fixed-order",
     "nothing takes time and nothing runs out; fixed-order: with cachesim's order, and its counters"},
};

bool takes(const ModelKey& key, const std::string& value) {
  if (key.most != 0) return parse_number(value, key.least, key.most).has_value();
  const std::string_view form = key.form;
  if (form.find("INDEX") != std::string_view::npos) return true;  // validate() knows which
  return ("|" + std::string(form) + "|").find("|" + value + "|") != std::string::npos &&
         value.find('|') == std::string::npos;
}

void check(const ModelKey& key, const std::string& value) {
  if (takes(key, value)) return;
  std::string expected = key.form;
  if (key.most != 0) expected = "a whole number from " + expected;
  for (std::size_t at; (at = expected.find('|')) != std::string::npos;) expected.replace(at, 1, " or ");
  throw InputError(fmt::format("--set {}={}: expected {}", key.name, value, expected));
}

std::uint32_t number_from(const std::string& value) {
  return static_cast<std::uint32_t>(parse_number(value, 0, ~std::uint32_t{0}).value());
}

}  // namespace

std::string model_keys_help() {
  std::string text = "\nKeys of the model, for --set (those of the GPU: --show-preset GPU):\n";
  for (const ModelKey& key : kKeys) text += fmt::format("  {}={}\n      {}\n", key.name, key.form, key.help);
  return text;
}

ModelSettings::ModelSettings(std::vector<PresetChange>& changes) {
  std::erase_if(changes, [this](const PresetChange& change) {
    const ModelKey* key = find_named(kKeys, change.first);
    if (key == nullptr) return false;
    check(*key, change.second);
    said_.push_back(change);
    return true;
  });
}

std::optional<std::string> ModelSettings::value_of(const char* key) const {
  const auto found = std::find_if(said_.rbegin(), said_.rend(),
                                  [key](const PresetChange& change) { return change.first == key; });
  return found == said_.rend() ? std::nullopt : std::optional(found->second);
}

std::optional<L1Stages> ModelSettings::stages() const {
  const auto name = value_of("l1_stages");
  if (!name) return {};
  return *name == "wavefronts" ? L1Stages::Wavefronts : L1Stages::InOrder;
}

void ModelSettings::apply(TimedRequest& request) const {
  TimedConfig& config = request.config;
  if (const auto value = value_of("predicated_instructions")) config.issue.predicated = number_from(*value);
  if (const auto value = value_of("dependence_distance")) config.issue.independent = number_from(*value);
  if (const auto value = value_of("l2_slice_index")) config.memory.l2_slice_index = *value;
  if (const auto value = value_of("l2_keeps_content")) config.memory.l2_keeps_content = *value == "true";
  if (const auto value = value_of("l2_writes_through")) config.memory.l2_writes_through = *value == "true";
  if (const auto value = value_of("ideal"))
    request.ideal = *value == name_of(Ideal::Issue) ? Ideal::Issue : Ideal::FixedOrder;
}

}  // namespace warpscope::timed
