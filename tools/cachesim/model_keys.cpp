#include "tools/cachesim/model_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

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
    {"constant_caches", "perfect|published|L0",
     "of machine code: constants are there (perfect), or come through caches as published of the GPU, or of "
     "so "
     "many KiB of a scheduler"},
    {"instruction_caches", "perfect|published|L0,L1",
     "of machine code: instructions are there (perfect), or come through caches as published of the GPU, or "
     "of "
     "so many KiB of a scheduler and of a core"},
    {"memory_queues", "core|published",
     "of machine code: accesses wait in front of the core's load-store unit only (core), or in the queues "
     "that "
     "are published of the GPU's schedulers"},
    {"ideal", "issue|fixed-order",
     "nothing takes time and nothing runs out; fixed-order: with cachesim's order, and its counters"},
};

/// Of "32,128" the numbers, as many as `form` has commas; empty where it is anything else.
std::vector<std::uint32_t> kib_from(std::string_view form, std::string_view value) {
  constexpr std::uint64_t kMost = 1024;
  std::vector<std::uint32_t> all;
  for (;;) {
    const std::size_t comma = value.find(',');
    const auto number = parse_number(std::string(value.substr(0, comma)), 1, kMost);
    if (!number) return {};
    all.push_back(static_cast<std::uint32_t>(*number));
    if (comma == std::string_view::npos) break;
    value.remove_prefix(comma + 1);
  }
  const auto commas = std::count(form.begin(), form.end(), ',');
  return static_cast<std::ptrdiff_t>(all.size()) == commas + 1 ? all : std::vector<std::uint32_t>();
}

bool takes(const ModelKey& key, const std::string& value) {
  if (key.most != 0) return parse_number(value, key.least, key.most).has_value();
  const std::string_view form = key.form;
  if (form.find("INDEX") != std::string_view::npos) return true;  // validate() knows which
  if (const std::size_t kib = form.find("|L0");
      kib != std::string_view::npos && !kib_from(form.substr(kib), value).empty())
    return true;
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

constexpr std::uint32_t kBytesOfKib = 1024;
/// Of an RTX A6000 (timed/config/published_fetch.cpp): for sizes where nothing is published.
constexpr std::uint32_t kCyclesOfAmpere = 79;

void set_constant_caches(const std::string& value, MachineTimes& machine) {
  FetchTimes times;
  if (value != "perfect") times = machine.published_fetch;
  if (const auto kib = kib_from("L0", value); !kib.empty()) {
    times.constant_l0_bytes = kib[0] * kBytesOfKib;
    if (times.constant_l0_cycles == 0) times.constant_l0_cycles = kCyclesOfAmpere;
  }
  machine.fetch.take_constants(times);
}

void set_instruction_caches(const std::string& value, std::uint32_t l2_cycles, MachineTimes& machine) {
  FetchTimes times;
  if (value != "perfect") times = machine.published_fetch;
  if (const auto kib = kib_from("L0,L1", value); !kib.empty()) {
    times.instruction_l0_bytes = kib[0] * kBytesOfKib;
    times.instruction_l1_bytes = kib[1] * kBytesOfKib;
    times.instruction_l1_cycles = l2_cycles;
    if (times.instruction_l0_cycles == 0) times.instruction_l0_cycles = kCyclesOfAmpere;
  }
  machine.fetch.take_instructions(times);
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
  MachineTimes& machine = config.issue.machine;
  if (const auto value = value_of("constant_caches")) set_constant_caches(*value, machine);
  if (const auto value = value_of("instruction_caches"))
    set_instruction_caches(*value, config.memory.l2_latency, machine);
  if (const auto value = value_of("memory_queues"))
    machine.memory_queue_entries = *value == "published" ? machine.published_memory_queue_entries : 0;
  if (const auto value = value_of("ideal"))
    request.ideal = *value == name_of(Ideal::Issue) ? Ideal::Issue : Ideal::FixedOrder;
}

}  // namespace warpscope::timed
