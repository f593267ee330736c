#include "cachesim/result/total_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "cachesim/access/coalescer.h"
#include "cachesim/result/text_table.h"

namespace warpscope {
namespace {

using Json = nlohmann::ordered_json;

std::uint64_t misses_of(const Json& kind) {
  return counter_of(kind, "misses") + counter_of(kind, "sector_misses");
}

/// Of a table with a row per kind of access.
struct Column {
  std::string heading;
  std::function<std::string(const Json&)> cell;
};

/// Every counter with a heading, in the order of counters.def, and the rates that follow from it.
std::vector<Column> total_columns() {
  std::vector<Column> columns;
  for (const auto& [name, heading] : kKindColumns) {
    const std::string_view key = name;
    if (*heading == '\0') continue;
    if (key == "hits") {
      columns.push_back({heading, [](const Json& c) {
                           return grouped(counter_of(c, "hits") + counter_of(c, "hits_pending"));
                         }});
    } else if (key == "misses") {
      columns.push_back({heading, [](const Json& c) { return grouped(misses_of(c)); }});
      columns.push_back({"miss rate", [](const Json& c) {
                           return percent(misses_of(c),
                                          counter_of(c, "transactions") - counter_of(c, "bypasses"));
                         }});
    } else {
      columns.push_back({heading, [name = name](const Json& c) { return grouped(counter_of(c, name)); }});
    }
    if (key == "transactions")
      columns.push_back({kPerAccess, [](const Json& c) {
                           return ratio(counter_of(c, "transactions"), counter_of(c, "requests"));
                         }});
  }
  return columns;
}

constexpr std::size_t kStrataShown = 10;

/// "32x4"; "-" where the launches differ.
std::string size_text(const Json& size) {
  if (size.is_null()) return "-";
  std::string text = std::to_string(size.at(0).get<std::uint64_t>());
  const bool is_deep = size.at(2) != 1;
  if (is_deep || size.at(1) != 1) text += "x" + std::to_string(size.at(1).get<std::uint64_t>());
  return is_deep ? text + "x" + std::to_string(size.at(2).get<std::uint64_t>()) : text;
}

/// Launches that stand for each other, the most work first.
void write_strata(const Json& sample, std::ostream& out) {
  std::vector<const Json*> strata;
  for (const Json& stratum : sample.at("strata")) strata.push_back(&stratum);
  std::stable_sort(strata.begin(), strata.end(), [](const Json* a, const Json* b) {
    return a->at("size").get<double>() > b->at("size").get<double>();
  });
  TextTable table({"identical launches", "work-group", "work-groups", "launches", "drawn"});
  for (const Json* stratum : strata) {
    const auto least = counter_of(stratum->at("work_groups"), "least"),
               most = counter_of(stratum->at("work_groups"), "most");
    table.add({stratum->at("kernel").is_null() ? "several kernels" : stratum->at("kernel").get<std::string>(),
               size_text(stratum->at("local")),
               least == most ? grouped(least) : grouped(least) + "-" + grouped(most),
               grouped(counter_of(*stratum, "count")), grouped(stratum->at("drawn").size())});
    if (stratum == strata[std::min(strata.size(), kStrataShown) - 1]) break;
  }
  out << "\n";
  table.write(out);
  if (strata.size() > kStrataShown)
    out << fmt::format("  and {} more of less work\n", strata.size() - kStrataShown);
}

}  // namespace

void write_totals(const Json& total, std::ostream& out) {
  const std::vector<Column> columns = total_columns();
  std::vector<std::string> row = {""};
  for (const Column& column : columns) row.push_back(column.heading);
  TextTable table(row);
  for (const char* kind : kKindNames) {
    const Json& c = total.at(kind);
    if (counter_of(c, "transactions") == 0) continue;
    row = {std::string(kind) + "s"};
    for (const Column& column : columns) row.push_back(column.cell(c));
    table.add(row);
  }
  if (table.empty())
    out << "  No access reached the L1.\n";
  else
    table.write(out);
  out << fmt::format("  {} {}, {} {}\n", heading_of("evictions"), grouped(counter_of(total, "evictions")),
                     heading_of("write_backs"), grouped(counter_of(total, "write_backs")));
}

void write_outside(const Json& total, std::ostream& out) {
  static constexpr std::pair<const char*, const char*> kPlaces[] = {
      {"local", "local memory"},
      {"constant", "constant memory"},
      {"no_object", "outside every memory object"}};
  for (const auto& [key, text] : kPlaces) {
    std::uint64_t requests = 0, lanes = 0;
    for (const char* kind : kKindNames) {
      requests += total.at("outside_l1").at(key).at(kind).at("requests").get<std::uint64_t>();
      lanes += total.at("outside_l1").at(key).at(kind).at("lanes").get<std::uint64_t>();
    }
    if (lanes != 0)
      out << fmt::format("  not through the L1: {} warp accesses, {} lane accesses to {}\n",
                         grouped(requests), grouped(lanes), text);
  }
}

void write_classes(const Json& total, std::ostream& out) {
  const Json& classes = total.at("miss_classes");
  if (classes.is_null()) return;
  std::uint64_t sum = 0;
  for (const auto& [name, help] : kClassColumns)
    if (*help != '\0') sum += counter_of(classes, name);
  if (sum == 0) return;
  out << "\nWhy they miss (references that bring a line in)\n";
  TextTable table({"class", "misses", "share", ""});
  for (const auto& [name, help] : kClassColumns)
    if (*help != '\0') {
      const std::uint64_t count = counter_of(classes, name);
      table.add({name, grouped(count), percent(count, sum), help});
    }
  table.write(out, true);
  const auto anti = classes.at("anti_conflict").get<std::uint64_t>();
  if (anti != 0)
    out << fmt::format("  anti-conflict: {} hits that the fully associative cache would have missed\n",
                       grouped(anti));
}

/// Where the L1 does not go line by line: there all of this is the number of transactions.
void write_stages(const Json& result, std::ostream& out) {
  const Json& total = result.at("total");
  if (!total.at("load").contains("wavefronts")) return;
  const CoalescingRule& rule = coalescing_rule(result.at("context").at("coalescing").get<std::string>());
  if (rule.tag_stage.line_by_line) return;
  std::vector<std::string> row = {"L1 occupied"};
  for (const auto& [key, heading] : kStageColumns)
    if (*heading != '\0') row.emplace_back(heading);
  row.emplace_back(kPerAccess);
  TextTable table(row);
  for (const char* kind : kKindNames) {
    const Json& c = total.at(kind);
    if (counter_of(c, "wavefronts") == 0) continue;
    row = {std::string(kind) + "s"};
    for (const auto& [key, heading] : kStageColumns)
      if (*heading != '\0') row.push_back(counter_of(c, key) == 0 ? "-" : grouped(counter_of(c, key)));
    row.push_back(ratio(counter_of(c, "wavefronts"), counter_of(c, "requests")));
    table.add(row);
  }
  if (!table.empty()) table.write(out);
}

void write_estimate(const Json& result, std::ostream& out) {
  const Json& total = result.at("total");
  if (!total.contains("estimate")) return;
  const Json& context = result.at("context");
  const bool of_launches = context.contains("sampled_launches");
  const Json& sample = context.at(of_launches ? "sampled_launches" : "sampled_cores");
  out << fmt::format(
      "\nEstimated of all {} {}, from the {} that were drawn (95 % interval; all else counts the {})\n",
      counter_of(sample, "of"), of_launches ? "launches" : "cores", counter_of(sample, "count"),
      counter_of(sample, "count"));
  TextTable table({"", "estimate", "from", "to"});
  for (const auto& [name, entry] : total.at("estimate").items()) {
    const bool is_rate = name.ends_with("percent") || name.ends_with("per_request");
    const auto number = [&entry = entry, is_rate](const char* key) {
      if (entry.at(key).is_null()) return std::string("-");
      const auto value = entry.at(key).get<double>();
      return is_rate ? fmt::format("{:.2f}", value)
                     : grouped(static_cast<std::uint64_t>(std::llround(value)));
    };
    std::vector<std::string> row = {name, number("value"), number("low"), number("high")};
    if (entry.contains("refused")) row[2] = "no interval: " + entry.at("refused").get<std::string>();
    table.add(std::move(row));
  }
  table.write(out);
  if (of_launches) write_strata(sample, out);
}

}  // namespace warpscope
