#include "cachesim/result/text_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cachesim/access/counters.h"
#include "cachesim/result/text_table.h"
#include "cachesim/result/total_tables.h"
#include "traces/base/printable.h"

namespace warpscope {
namespace {

using Json = nlohmann::ordered_json;

struct Sum {
  std::uint64_t requests = 0, transactions = 0, looked_up = 0, misses = 0;
};

Sum sum_of(const Json& counts) {
  Sum sum;
  for (const char* kind : kKindNames) {
    const Json& c = counts.at(kind);
    sum.requests += c.at("requests").get<std::uint64_t>();
    sum.transactions += c.at("transactions").get<std::uint64_t>();
    sum.looked_up += c.at("transactions").get<std::uint64_t>() - c.at("bypasses").get<std::uint64_t>();
    sum.misses += c.at("misses").get<std::uint64_t>() + c.at("sector_misses").get<std::uint64_t>();
  }
  return sum;
}

std::string sectors_text(const Json& cache) {
  if (cache.at("sector_bytes") == cache.at("line_bytes")) return "";
  return fmt::format(" of {}-byte sectors", cache.at("sector_bytes").get<std::uint64_t>());
}

/// Where private memory has its own policy and the kernel stores to it.
std::string private_writes_text(const Json& result) {
  const Json& cache = result.at("context").at("cache");
  const auto stores = [](const Json& site) {
    return site.at("space") == "private" && site.at("store").at("transactions") != 0;
  };
  const Json& sites = result.at("sites");
  if (cache.at("private_write_policy") == cache.at("write_policy") ||
      std::none_of(sites.begin(), sites.end(), stores))
    return "";
  return fmt::format(" (private memory {})", cache.at("private_write_policy").get<std::string>());
}

/// "96", or "28 to 120".
std::string range_text(std::uint64_t from, std::uint64_t to) {
  return from == to ? std::to_string(from) : std::to_string(from) + " to " + std::to_string(to);
}

/// Where local memory left the L1 less than its size, and how much it took where that is known.
std::string l1_next_to_local_memory(const Json& result, std::uint64_t size_kib) {
  const auto range = [&](const char* key, const char* from, const char* to) {
    const Json& kib = result.at("context").at(key);
    return range_text(kib.at(from).get<std::uint64_t>(), kib.at(to).get<std::uint64_t>());
  };
  const bool is_smaller = result.at("context").at("l1_kib").at("least").get<std::uint64_t>() < size_kib;
  const Json& carveout = result.at("context").at("carveout_kib");
  const bool is_known = !carveout.is_null() && carveout.at("most") != 0;
  if (!is_smaller && !is_known) return "";
  return fmt::format(" ({}next to {}local memory)", is_smaller ? range("l1_kib", "least", "most") + " " : "",
                     is_known ? range("carveout_kib", "most", "least") + " KiB of " : "");
}

/// What was not recorded, one line each.
void write_not_traced(const Json& context, std::ostream& out) {
  for (const Json& part : context.at("not_traced"))
    out << fmt::format("not traced: {} launches {}\n", grouped(part.at("launches").get<std::uint64_t>()),
                       part.at("why").get<std::string>());
  if (!context.at("not_traced").empty()) out << "\n";
}

/// Where not all work-groups were recorded: which.
std::string sampling_text(const Json& context) {
  const std::string sampling = quotable(context.at("sampling").get<std::string>());
  if (const Json& cores = context.at("sampled_cores");
      !cores.is_null() && cores.at("count") != cores.at("of"))
    return fmt::format("; ONLY {} OF {} CORES WERE {}", cores.at("count").get<std::uint64_t>(),
                       cores.at("of").get<std::uint64_t>(),
                       cores.at("recorded").get<bool>() ? "RECORDED (" + sampling + ")" : "SIMULATED");
  if (const auto found = context.find("sampled_launches"); found != context.end())
    return fmt::format("; ONLY {} OF {} LAUNCHES WERE SIMULATED",
                       grouped(found->at("count").get<std::uint64_t>()),
                       grouped(found->at("of").get<std::uint64_t>()));
  return sampling == "all" ? "" : fmt::format("; ONLY WORK-GROUPS {} WERE RECORDED", sampling);
}

/// Of a preset whose results nobody has compared with hardware.
std::string not_validated_text(const Json& context) {
  const Json& preset = context.at("preset");
  if (preset.is_null() || !preset.at("values").contains("not_validated")) return "";
  return fmt::format("not validated: {} ({})\n",
                     printable(preset.at("values").at("not_validated").get<std::string>()),
                     printable(preset.at("name").get<std::string>()));
}

std::string model_text(const Json& context) {
  return fmt::format("; model {}", context.at("model_version").get<int>());
}

void write_heading(const Json& result, std::ostream& out) {
  const Json& context = result.at("context");
  const Json& cache = context.at("cache");
  if (cache.at("size_kib") == 0) {
    out << fmt::format("{}: no L1; coalescing {}; {} cores{}{}\n{}\n",
                       quotable(context.at("input").at("name").get<std::string>()),
                       quotable(context.at("coalescing").get<std::string>()),
                       context.at("cores").get<std::uint64_t>(),
                       context.at("partial").get<bool>() ? "; INPUT CUT SHORT, intact part only" : "",
                       model_text(context), not_validated_text(context));
    return;
  }
  out << fmt::format(
      "{}: L1 of {} KiB{}, {}-byte lines{}, {} ways, {} sets ({}), {}, {}{}; coalescing {}; {} "
      "core{}{}{}{}\n{}\n",
      quotable(context.at("input").at("name").get<std::string>()), cache.at("size_kib").get<std::uint64_t>(),
      l1_next_to_local_memory(result, cache.at("size_kib").get<std::uint64_t>()),
      cache.at("line_bytes").get<std::uint64_t>(), sectors_text(cache), cache.at("ways").get<std::uint64_t>(),
      cache.at("sets").get<std::uint64_t>(), cache.at("set_index").get<std::string>(),
      cache.at("replacement").get<std::string>(), cache.at("write_policy").get<std::string>(),
      private_writes_text(result), quotable(context.at("coalescing").get<std::string>()),
      context.at("cores").get<std::uint64_t>(), context.at("cores") == 1 ? "" : "s",
      context.at("partial").get<bool>() ? "; INPUT CUT SHORT, intact part only" : "", sampling_text(context),
      model_text(context), not_validated_text(context));
}

constexpr std::pair<const char*, const char*> kSourceTexts[] = {
    {"same_lane", "same lane"},
    {"same_warp", "same warp, other lane"},
    {"same_work_group", "same work-group, other warp"},
    {"other_work_group", "other work-group"}};

std::uint64_t hits_by(const Json& counts, const char* who) {
  std::uint64_t sum = 0;
  for (const char* kind : kKindNames)
    sum += counts.at("reuse_by_source").at("hits").at(kind).at(who).get<std::uint64_t>();
  return sum;
}

std::string place_of(const Json& site) {
  if (site.at("locations").empty())
    return fmt::format("instruction {}", site.at("site").get<std::uint64_t>());
  std::string text;
  for (const Json& at : site.at("locations")) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{}:{}", at.at("file").get<std::string>(), at.at("line").get<std::uint64_t>());
  }
  return text;
}

std::string buffers_of(const Json& site) {
  std::vector<std::string> names;  // an argument's name stands for all buffers that are passed as it
  for (const Json& buffer : site.at("buffers")) {
    auto name = buffer.at("name").get<std::string>();
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// The `top` rows with the most misses, then transactions.
std::vector<const Json*> worst(const Json& rows, std::size_t top) {
  std::vector<const Json*> order;
  for (const Json& row : rows)
    if (sum_of(row).transactions != 0) order.push_back(&row);
  std::stable_sort(order.begin(), order.end(), [](const Json* a, const Json* b) {
    const Sum x = sum_of(*a), y = sum_of(*b);
    return x.misses != y.misses ? x.misses > y.misses : x.transactions > y.transactions;
  });
  order.resize(std::min(order.size(), top));
  return order;
}

/// Counters with a heading that the tables of memory instructions and buffers show as they are.
std::vector<CounterColumn> other_columns() {
  std::vector<CounterColumn> columns;
  for (const CounterColumn& column : kKindColumns) {
    const std::string_view key = column.key;
    const bool shown =
        key == "requests" || key == "transactions" || key == "hits" || key == "misses" || key == "bypasses";
    if (*column.heading != '\0' && !shown) columns.push_back(column);
  }
  return columns;
}

std::uint64_t all_kinds(const Json& counts, const char* key) {
  std::uint64_t sum = 0;
  for (const char* kind : kKindNames) sum += counter_of(counts.at(kind), key);
  return sum;
}

void write_rows(const Json& result, const char* key, const char* heading, std::size_t top,
                std::ostream& out) {
  const auto rows = worst(result.at(key), top);
  const bool sites = std::string(key) == "sites";
  if (rows.empty() || (!sites && rows.size() == 1 && (*rows[0]).at("name") == "")) return;
  out << "\n" << heading << "\n";
  const std::uint64_t all = sum_of(result.at("total")).misses;
  std::vector<std::string> head = {sites ? "kind" : "buffer",
                                   heading_of("misses"),
                                   "share",
                                   "miss rate",
                                   heading_of("transactions"),
                                   kPerAccess};
  for (const CounterColumn& other : other_columns()) head.emplace_back(other.heading);
  head.emplace_back(sites ? "where" : "");
  TextTable table(head);
  for (const Json* row : rows) {
    const Sum sum = sum_of(*row);
    std::string name = sites ? (*row).at("kind").get<std::string>() : (*row).at("name").get<std::string>();
    std::string where =
        sites ? place_of(*row) : fmt::format("{} bytes", grouped((*row).at("size").get<std::uint64_t>()));
    if (const std::string buffers = sites ? buffers_of(*row) : ""; !buffers.empty())
      where = fmt::format("{}  ({})", where, buffers);
    std::vector<std::string> cells = {name,
                                      grouped(sum.misses),
                                      percent(sum.misses, all),
                                      percent(sum.misses, sum.looked_up),
                                      grouped(sum.transactions),
                                      ratio(sum.transactions, sum.requests)};
    for (const CounterColumn& other : other_columns()) cells.push_back(grouped(all_kinds(*row, other.key)));
    cells.push_back(where);
    table.add(cells);
  }
  table.write(out, true);
}

/// Shares of the hits of each memory instruction.
void write_sites_by_source(const Json& result, std::size_t top, std::ostream& out) {
  TextTable table({"kind", "hits", "same lane", "same warp", "same work-group", "other", "where"});
  for (const Json* site : worst(result.at("sites"), top)) {
    std::uint64_t hits = 0;
    for (const auto& [who, text] : kSourceTexts) hits += hits_by(*site, who);
    if (hits == 0) continue;
    std::vector<std::string> row = {(*site).at("kind").get<std::string>(), grouped(hits)};
    for (const auto& [who, text] : kSourceTexts) row.push_back(percent(hits_by(*site, who), hits));
    row.push_back(place_of(*site));
    table.add(std::move(row));
  }
  if (!table.empty()) table.write(out, true);
}

void write_by_source(const Json& result, std::size_t top, std::ostream& out) {
  const Json& total = result.at("total");
  if (!total.contains("reuse_by_source")) return;
  const Json& evictions = total.at("reuse_by_source").at("evictions");
  std::uint64_t hits = 0, evicted = 0;
  for (const auto& [who, text] : kSourceTexts) {
    hits += hits_by(total, who);
    evicted += evictions.at(who).get<std::uint64_t>();
  }
  out << "\nReuse by previous accessor (hits: previous accessor of the line; evictions: previous accessor of "
         "the "
         "victim)\n";
  TextTable table({"", "hits", "share", "evictions", "share"});
  for (const auto& [who, text] : kSourceTexts)
    table.add({text, grouped(hits_by(total, who)), percent(hits_by(total, who), hits),
               grouped(evictions.at(who).get<std::uint64_t>()),
               percent(evictions.at(who).get<std::uint64_t>(), evicted)});
  table.write(out);
  write_sites_by_source(result, top, out);
}

/// Uses of a memory instruction within the capacity, and its median distance among the reuses.
void write_site_distances(const Json& result, std::size_t top, std::ostream& out) {
  TextTable table({"kind", "first uses", "reuses", "within capacity", "median distance", "where"});
  for (const Json* site : worst(result.at("sites"), top)) {
    const Json& histogram = (*site).at("reuse_histogram");
    if (histogram.is_null()) continue;
    const auto both = [](const Json& bin) {
      return bin.at("load").get<std::uint64_t>() + bin.at("store").get<std::uint64_t>();
    };
    std::uint64_t reuses = 0, near = 0, below = 0;
    for (const Json& bin : histogram.at("bins")) {
      reuses += both(bin);
      if (bin.at("from") < histogram.at("capacity_lines")) near += both(bin);
    }
    std::string median = "-";
    for (const Json& bin : histogram.at("bins")) {
      below += both(bin);
      if (reuses == 0 || 2 * below < reuses) continue;
      const auto from = bin.at("from").get<std::uint64_t>(), to = bin.at("to").get<std::uint64_t>();
      median = from == to ? grouped(from) : grouped(from) + " - " + grouped(to);
      break;
    }
    table.add({(*site).at("kind").get<std::string>(), grouped(both(histogram.at("cold"))), grouped(reuses),
               percent(near, reuses), median, place_of(*site)});
  }
  if (table.empty()) return;
  out << "\nReuse distance by memory instruction\n";
  table.write(out, true);
}

void write_local_memory(const Json& result, std::size_t top, std::ostream& out) {
  const Json* all =
      result.at("total").contains("local_memory") ? &result.at("total").at("local_memory") : nullptr;
  if (all == nullptr || all->is_null()) return;
  const auto row = [](const std::string& name, const Json& local, const std::string& where) {
    return std::vector<std::string>{
        name,
        grouped(local.at("requests").get<std::uint64_t>()),
        grouped(local.at("wavefronts").get<std::uint64_t>()),
        grouped(local.at("conflicts").get<std::uint64_t>()),
        local.at("beta").is_null() ? "-" : fmt::format("{:.2f}", local.at("beta").get<double>()),
        grouped(local.at("max_degree").get<std::uint64_t>()),
        where};
  };
  std::vector<const Json*> sites;
  for (const Json& site : result.at("sites"))
    if (!site.at("local_memory").is_null()) sites.push_back(&site);
  std::stable_sort(sites.begin(), sites.end(), [](const Json* a, const Json* b) {
    return a->at("local_memory").at("conflicts") > b->at("local_memory").at("conflicts");
  });
  sites.resize(std::min(sites.size(), top));
  out << "\nBanks of local memory (degree: cycles that a pass takes; 1 = no conflict)\n";
  TextTable table({"", "requests", "wavefronts", "conflicts", "mean degree", "worst", "where"});
  table.add(row("all", *all, ""));
  for (const Json* site : sites)
    table.add(row(site->at("kind").get<std::string>(), site->at("local_memory"), place_of(*site)));
  table.write(out, true);
}

std::vector<std::string> range_row(const Json& range) {
  std::vector<std::string> row;
  for (const char* key : {"min", "median", "max"})
    row.push_back(fmt::format("{:.6g}", range.at(key).get<double>()));
  return row;
}

void write_spread(const Json& result, std::size_t top, std::ostream& out) {
  if (!result.contains("repeat")) return;
  const Json& repeat = result.at("repeat");
  std::string varied;
  for (const Json& what : repeat.at("varied"))
    varied += (varied.empty() ? "" : ", ") + what.get<std::string>();
  out << fmt::format("\n{} repetitions with other {}; all above is the first, as asked for\n",
                     repeat.at("count").get<std::uint64_t>(), varied);
  for (const auto& [what, why] : repeat.at("fixed").items())
    out << fmt::format("  the same in all: {} ({})\n", what, why.get<std::string>());
  TextTable table({"", "min", "median", "max"});
  for (const auto& [name, range] : result.at("total").at("spread").items()) {
    std::vector<std::string> row = range_row(range);
    row.insert(row.begin(), name);
    table.add(std::move(row));
  }
  table.write(out);
  TextTable sites({"hit rate, %", "min", "median", "max", "where"});
  for (const Json* site : worst(result.at("sites"), top)) {
    const auto kind = (*site).at("kind").get<std::string>();
    const auto range = (*site).at("spread").find(kind + ".hit_rate_percent");
    if (range == (*site).at("spread").end()) continue;
    std::vector<std::string> row = range_row(*range);
    row.insert(row.begin(), kind);
    row.push_back(place_of(*site));
    sites.add(std::move(row));
  }
  if (!sites.empty()) sites.write(out, true);
}

void write_runs(const Json& result, std::ostream& out) {
  const Json& runs = result.at("runs");
  if (runs.is_null()) return;
  out << fmt::format("\n{} runs, seeds {} to {} (the tables above show run {})\n",
                     runs.at("count").get<std::uint64_t>(), runs.at("first_seed").get<std::uint64_t>(),
                     runs.at("first_seed").get<std::uint64_t>() + runs.at("count").get<std::uint64_t>() - 1,
                     runs.at("shown").get<std::uint64_t>());
  TextTable table({"", "median", "rel. std. deviation"});
  for (const auto& [name, metric] : runs.at("metrics").items())
    table.add({name, fmt::format("{:.6g}", metric.at("median").get<double>()),
               fmt::format("{:.2f} %", metric.at("relative_standard_deviation_percent").get<double>())});
  table.write(out);
}

void write_histogram(const Json& result, std::ostream& out) {
  const Json& histogram = result.at("reuse_histogram");
  if (histogram.is_null()) return;
  const auto capacity = histogram.at("capacity_lines").get<std::uint64_t>();
  out << fmt::format("\nReuse distance (distinct lines between two uses of a line; the cache holds {})\n",
                     grouped(capacity));
  TextTable table({"distance", "loads", "stores", ""});
  for (const Json& bin : histogram.at("bins")) {
    const auto from = bin.at("from").get<std::uint64_t>(), to = bin.at("to").get<std::uint64_t>();
    table.add({from == to ? grouped(from) : grouped(from) + " - " + grouped(to),
               grouped(bin.at("load").get<std::uint64_t>()), grouped(bin.at("store").get<std::uint64_t>()),
               from >= capacity ? "beyond the capacity" : ""});
  }
  table.add({"first use", grouped(histogram.at("cold").at("load").get<std::uint64_t>()),
             grouped(histogram.at("cold").at("store").get<std::uint64_t>()), ""});
  table.write(out, true);
}

}  // namespace

void write_text_report(const Json& result, std::size_t top, std::ostream& out) {
  write_heading(result, out);
  write_not_traced(result.at("context"), out);
  write_totals(result.at("total"), out);
  write_estimate(result, out);
  write_outside(result.at("total"), out);
  write_stages(result, out);
  write_local_memory(result, top, out);
  write_classes(result.at("total"), out);
  write_rows(result, "sites", "Memory instructions with the most misses", top, out);
  write_rows(result, "buffers", "Buffers", top, out);
  write_by_source(result, top, out);
  write_histogram(result, out);
  if (!result.at("reuse_histogram").is_null()) write_site_distances(result, top, out);
  write_runs(result, out);
  write_spread(result, top, out);
  out << "\nwarp access: one memory instruction of a warp. transaction: one line that it looks up in the L1 "
         "(share: of all\n"
         "misses; miss rate: misses per transaction looked up). bypassed: atomics, volatile accesses, and "
         "what "
         "this L1 does not take.\n";
}

}  // namespace warpscope
