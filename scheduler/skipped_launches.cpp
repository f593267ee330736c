#include "scheduler/skipped_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <tuple>

#include "gpus/carveout.h"
#include "scheduler/residency.h"
#include "traces/base/refused.h"

namespace warpscope {
namespace {

/// Ascending launch numbers as ranges: "0,2-5".
class LaunchRanges {
 public:
  void add(std::uint32_t launch) {
    ++count_;
    if (!ranges_.empty() && ranges_.back().second + 1 == launch)
      ranges_.back().second = launch;
    else
      ranges_.emplace_back(launch, launch);
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::string text() const {
    std::string text;
    for (const auto& [first, last] : ranges_) {
      if (!text.empty()) text += ',';
      text += first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
    }
    return text;
  }

 private:
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges_;
  std::uint64_t count_ = 0;
};

std::string line_of(const nlohmann::json& one) {
  const auto count = one.at("count").get<std::uint64_t>();
  return fmt::format("kernel '{}', launch{} {}{}: {} {}, {} allows {}", one.at("kernel").get<std::string>(),
                     count == 1 ? "" : "es", one.at("launches").get<std::string>(),
                     count == 1 ? "" : fmt::format(" ({})", count), one.at("needs").get<std::uint64_t>(),
                     one.at("what").get<std::string>(), one.at("gpu").get<std::string>(),
                     one.at("limit").get<std::uint64_t>());
}

/// The list `name` of a stream's context, each element with these texts and counts.
nlohmann::json list_in(const nlohmann::json& context, const char* name,
                       std::initializer_list<const char*> texts, std::initializer_list<const char*> counts) {
  if (!context.is_object() || !context.contains(name) || !context.at(name).is_array())
    return nlohmann::json::array();
  for (const nlohmann::json& one : context.at(name)) {
    bool is_sound = one.is_object();
    for (const char* key : texts) is_sound = is_sound && one.contains(key) && one.at(key).is_string();
    for (const char* key : counts)
      is_sound = is_sound && one.contains(key) && one.at(key).is_number_unsigned();
    if (!is_sound) {
      std::vector<const char*> keys(texts);
      keys.insert(keys.end(), counts);
      std::string expected;
      for (const char* key : keys) expected += (expected.empty() ? "" : ", ") + std::string(key);
      throw InputError(fmt::format("context: {}: expected {}", name, expected));
    }
  }
  return context.at(name);
}

}  // namespace

nlohmann::json skip_misfits(std::vector<const LaunchInfo*>& launches, const GpuPreset& preset,
                            std::optional<std::uint32_t> registers) {
  using Key = std::tuple<std::string, std::string, std::uint64_t>;  // kernel, what, needs
  std::map<Key, std::size_t> number_of;
  std::vector<LaunchRanges> ranges;
  nlohmann::json skipped = nlohmann::json::array();
  std::vector<const LaunchInfo*> fitting;
  for (const LaunchInfo* launch : launches) {
    const auto limit = misfit(*launch, preset, registers);
    if (!limit) {
      fitting.push_back(launch);
      continue;
    }
    const auto [entry, is_new] =
        number_of.emplace(Key(launch->kernel->name, limit->what, limit->per_group), skipped.size());
    if (is_new) {
      ranges.emplace_back();
      skipped.push_back({{"kernel", launch->kernel->name},
                         {"what", limit->what},
                         {"needs", limit->per_group},
                         {"limit", limit->per_core},
                         {"gpu", name_and_carveout(preset)}});
    }
    ranges[entry->second].add(launch->id.value());
  }
  for (std::size_t i = 0; i < skipped.size(); ++i) {
    skipped[i]["launches"] = ranges[i].text();
    skipped[i]["count"] = ranges[i].count();
  }
  if (fitting.empty() && !skipped.empty()) {
    std::string lines;
    for (const nlohmann::json& one : skipped) lines += (lines.empty() ? "" : "; ") + line_of(one);
    throw Refused("no launch fits: " + lines +
                  "; take smaller work-groups, or --max-workgroups to ignore the limits");
  }
  launches = std::move(fitting);
  return skipped;
}

nlohmann::json skipped_in(const nlohmann::json& context) {
  return list_in(context, "skipped", {"kernel", "what", "gpu", "launches"}, {"needs", "limit", "count"});
}

std::string untimed_in_kernel(const KernelInfo& kernel) {
  std::string uses;
  for (const char* one : {"wmma", "mma", "cp.async", "cluster"})
    if (!kernel.blocks.empty() && count_in(kernel.blocks.front(), one) != 0)
      uses += (uses.empty() ? "" : ", ") + std::string(one);
  return uses;
}

nlohmann::json untimed_among(const std::vector<const LaunchInfo*>& launches) {
  std::map<std::string, std::size_t> number_of;  // by kernel and what it uses
  std::vector<LaunchRanges> ranges;
  nlohmann::json found = nlohmann::json::array();
  for (const LaunchInfo* launch : launches) {
    const std::string uses = untimed_in_kernel(*launch->kernel);
    if (uses.empty()) continue;
    const auto [entry, is_new] = number_of.emplace(launch->kernel->name + '\n' + uses, found.size());
    if (is_new) {
      ranges.emplace_back();
      found.push_back({{"kernel", launch->kernel->name}, {"uses", uses}});
    }
    ranges[entry->second].add(launch->id.value());
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    found[i]["launches"] = ranges[i].text();
    found[i]["count"] = ranges[i].count();
  }
  return found;
}

nlohmann::json leave_untimed_out(std::vector<const LaunchInfo*>& launches) {
  nlohmann::json found = untimed_among(launches);
  if (found.empty()) return found;
  std::erase_if(launches,
                [](const LaunchInfo* launch) { return !untimed_in_kernel(*launch->kernel).empty(); });
  if (launches.empty())
    throw Refused(
        fmt::format("not timed: {} (kernel '{}'): their instructions are not modelled, so no cycles "
                    "are estimated; expected another kernel, or cachesim without timed",
                    found[0].at("uses").get<std::string>(), found[0].at("kernel").get<std::string>()));
  return found;
}

nlohmann::json untimed_in(const nlohmann::json& context) {
  return list_in(context, "not_timed", {"kernel", "uses", "launches"}, {"count"});
}

int report_skipped(const std::string& tool, const nlohmann::json& skipped, std::ostream& out) {
  for (const nlohmann::json& one : skipped) out << tool << ": skipped: " << line_of(one) << "\n";
  return skipped.empty() ? kExitOk : kExitNotTraceable;
}

}  // namespace warpscope
