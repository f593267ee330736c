#include "cachesim/counters/launch_entries.h"

#include <algorithm>
#include <string_view>

#include "traces/base/varint.h"

namespace warpscope {
namespace {

using Json = nlohmann::ordered_json;

/// The text of a value inside of others: every line but the first is indented by `depth` more.
std::string indented(const Json& value, std::size_t depth) {
  const std::string text = value.dump(1, ' ', false, Json::error_handler_t::replace);
  std::string result;
  result.reserve(text.size() + text.size() / 8);
  for (const char c : text) {
    result += c;
    if (c == '\n') result.append(depth, ' ');
  }
  return result;
}

void write_entries(const JsonEntries& entries, OutputFile& file) {
  if (entries.size == 0) return file.write("[]");
  for (std::size_t i = 0; i < entries.size; ++i) {
    file.write(i == 0 ? "[\n  " : ",\n  ");
    file.write(indented(entries.entry(i), 2));
  }
  file.write("\n ]");
}

/// What identical launches share, as bytes.
std::vector<std::uint8_t> key_of(const LaunchInfo* launch, const LaunchRecord& record, std::size_t kernel) {
  std::vector<std::uint8_t> key;
  put_varint(key, record.l1_kib);
  if (launch != nullptr) {
    for (const std::uint64_t number : {launch->global.x, launch->global.y, launch->global.z, launch->local.x,
                                       launch->local.y, launch->local.z, std::uint64_t{kernel}})
      put_varint(key, number);
  }
  encode(record.counts, key);
  return key;
}

}  // namespace

nlohmann::ordered_json ResultJson::whole() const {
  Json all = json;
  const auto fill = [&](const char* key, const JsonEntries& entries) {
    if (!all.contains(key)) return;
    all[key] = Json::array();
    for (std::size_t i = 0; i < entries.size; ++i) all[key].push_back(entries.entry(i));
  };
  fill("launches", launches);
  fill("launch_groups", groups);
  return all;
}

void write_json(const ResultJson& result, OutputFile& file) {
  const char* before = "{\n ";
  for (const auto& [key, value] : result.json.items()) {
    file.write(before + Json(key).dump() + ": ");
    if (key == "launches" && value.is_null())
      write_entries(result.launches, file);
    else if (key == "launch_groups" && value.is_null())
      write_entries(result.groups, file);
    else
      file.write(indented(value, 1));
    before = ",\n ";
  }
  file.write("\n}\n");
}

void TimingSums::add(const nlohmann::json& timing) {
  for (std::size_t i = 0; i < kSums; ++i) sums[i] += timing.at(kNames[i]).get<std::uint64_t>();
  load_latency += timing.at("load_latency_cycles_mean").get<double>() * timing.at("loads").get<double>();
}

nlohmann::ordered_json TimingSums::json() const {
  Json json = Json::object();
  for (std::size_t i = 0; i < kSums; ++i) json[kNames[i]] = sums[i];
  const auto ratio = [](double part, std::uint64_t whole) {
    return whole == 0 ? 0 : part / static_cast<double>(whole);
  };
  const auto sum = [&](std::string_view name) {
    return sums[std::find(std::begin(kNames), std::end(kNames), name) - std::begin(kNames)];
  };
  json["warp_instructions_per_cycle"] = ratio(static_cast<double>(sum("warp_instructions")), sum("cycles"));
  json["load_latency_cycles_mean"] = ratio(load_latency, sum("loads"));
  return json;
}

LaunchGroups::LaunchGroups(const LaunchList& launches, const LaunchRecords& records,
                           const KernelNames& kernels) {
  std::unordered_map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const LaunchInfo* launch = i < launches.size() ? &launches[i] : nullptr;
    const LaunchRecord record = records.record(i);
    least_l1_kib_ = std::min(least_l1_kib_, record.l1_kib);
    most_l1_kib_ = std::max(most_l1_kib_, record.l1_kib);
    const std::vector<std::uint8_t> key =
        key_of(launch, record, launch != nullptr ? kernels.of_launch[i] : 0);
    const auto [entry, is_new] = known.emplace(std::string(key.begin(), key.end()), groups_.size());
    if (is_new) groups_.emplace_back().first = i;
    Group& group = groups_[entry->second];
    ++group.count;
    group.launches.add(launch != nullptr ? launch->id.value() : static_cast<std::uint32_t>(i));
    if (record.more.empty()) continue;
    if (!group.timing) group.timing = std::make_unique<TimingSums>();
    group.timing->add(nlohmann::json::parse(record.more).at("timing"));
  }
  if (records.size() == 0) least_l1_kib_ = 0;
}

}  // namespace warpscope
