#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "cachesim/infer/hw_rows.h"
#include "cachesim/infer/observation.h"
#include "traces/base/error.h"
#include "traces/base/parse_number.h"
#include "traces/files/text_file.h"

namespace warpscope::infer {
namespace {

constexpr const char* kColumns =
    "pattern, mask, step, places, rounds, hot, loads, load_misses, load_hits, stores, store_misses, "
    "store_hits, miss_percent, cycles";

/// Whether text files have no such character.
bool is_no_text(char c) {
  return static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n' && c != '\r';
}

/// One line by the names of its columns.
class Cells {
 public:
  Cells(const std::string& where, const std::vector<std::string>& names,
        const std::vector<std::string>& values)
      : where_(where) {
    if (values.size() != names.size())
      throw InputError(
          fmt::format("{}: {} columns, expected {} as in the header; an empty cell needs its comma as well",
                      where, values.size(), names.size()));
    for (std::size_t i = 0; i < names.size(); ++i) cells_[names[i]] = values[i];
  }
  [[nodiscard]] std::string text(const std::string& name, const std::string& otherwise) const {
    const auto found = cells_.find(name);
    return found == cells_.end() || found->second.empty() ? otherwise : found->second;
  }
  [[nodiscard]] std::uint64_t whole(const std::string& name, std::uint64_t otherwise, std::uint64_t least,
                                    std::uint64_t most) const {
    const std::string given = text(name, "");
    if (given.empty()) return otherwise;
    const auto value = parse_number(given, least, most, Notation::DecimalOrHex);
    if (!value)
      throw InputError(fmt::format("{}: column {}: '{}', expected a whole number from {} to {}", where_, name,
                                   given, least, most));
    return *value;
  }
  [[nodiscard]] std::optional<double> measured(const std::string& name) const {
    const std::string given = text(name, "");
    if (given.empty()) return std::nullopt;
    const auto value = parse_real(given);
    if (!value || !std::isfinite(*value) || *value < 0)
      throw InputError(fmt::format(
          "{}: column {}: '{}', expected a number, 0 or more; leave the cell empty if nothing was measured",
          where_, name, given));
    return *value;
  }

 private:
  const std::string& where_;
  std::map<std::string, std::string> cells_;
};

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> result(1);
  for (const char letter : line) {
    if (letter == ',')
      result.emplace_back();
    else if (letter != ' ' && letter != '\r')
      result.back() += letter;
  }
  return result;
}

PatternKind kind_named(const std::string& name, const std::string& where) {
  for (const PatternKind kind :
       {PatternKind::Chase, PatternKind::StoreLoad, PatternKind::LoadStoreLoad, PatternKind::StoreStore})
    if (name == kind_name(kind)) return kind;
  throw InputError(fmt::format(
      "{}: column pattern: '{}', expected chase, store-load, load-store-load or store-store", where, name));
}

/// Misses of `all`, given as misses or as hits.
std::optional<double> misses_of(const Cells& cells, const std::string& what, std::optional<double> all,
                                const std::string& where) {
  const std::optional<double> given_misses = cells.measured(what + "_misses");
  const std::optional<double> hits = cells.measured(what + "_hits");
  if (!given_misses && !hits) return std::nullopt;
  if (!all)
    throw InputError(
        fmt::format("{}: column {}s is missing or empty, expected the number of {}s that {}_misses or "
                    "{}_hits are part of",
                    where, what, what, what, what));
  const double misses = given_misses ? *given_misses : *all - *hits;
  if (*all == 0)
    throw InputError(fmt::format(
        "{}: column {}s: 0, expected at least 1; leave the cells about {}s empty if none was measured", where,
        what, what));
  const std::string given = fmt::format("column {}_{}: {}", what, given_misses ? "misses" : "hits",
                                        given_misses ? *given_misses : *hits);
  if (misses < 0 || misses > *all)
    throw InputError(
        fmt::format("{}: {}, expected a number from 0 to {}, the number of {}s", where, given, *all, what));
  if (hits && std::abs(misses + *hits - *all) > 0.01 * *all)
    throw InputError(fmt::format(
        "{}: {}_hits and {}_misses add up to {}, expected {}, the number of {}s; correct them or leave "
        "one empty",
        where, what, what, misses + *hits, *all, what));
  return misses;
}

Observation observation_of(const Cells& cells, const std::string& where) {
  Observation row;
  Pattern& pattern = row.pattern;
  pattern.kind = kind_named(cells.text("pattern", ""), where);
  if (cells.text("mask", "all") != "all")
    pattern.mask = static_cast<std::uint32_t>(cells.whole("mask", 0, 1, 0xFFFFFFFFu));
  pattern.step = static_cast<std::uint32_t>(cells.whole("step", 32, 1, kSpan));
  pattern.places = cells.whole("places", 0, 0, kMostLoads);
  pattern.rounds = static_cast<std::uint32_t>(cells.whole("rounds", 1, 1, 1u << 20));
  pattern.hot = cells.whole("hot", 0, 0, kMostLoads);
  if (pattern.places == 0)
    throw InputError(where +
                     ": column places: empty or 0, expected how many places a round visits, 1 or more");
  if (pattern.loads_per_round() > kMostLoads / pattern.rounds)
    throw InputError(fmt::format(
        "{}: {} loads per round in {} rounds, expected at most {} loads; measure fewer places or rounds",
        where, pattern.loads_per_round(), pattern.rounds, kMostLoads));
  row.loads = cells.measured("loads");
  row.stores = cells.measured("stores");
  row.load_misses = misses_of(cells, "load", row.loads, where);
  row.store_misses = misses_of(cells, "store", row.stores, where);
  row.miss_percent = cells.measured("miss_percent");
  row.cycles = cells.measured("cycles");
  const double expected = static_cast<double>(pattern.loads_per_round()) * pattern.rounds;
  if (pattern.kind == PatternKind::Chase && row.load_misses &&
      std::abs(*row.loads - expected) > 0.02 * expected + 2)
    throw InputError(
        fmt::format("{}: column loads: {:.0f}, expected about {:.0f} ({}, rounds: {}); count the loads of "
                    "one lane, in all rounds",
                    where, *row.loads, expected, pattern.text(), pattern.rounds));
  return row;
}

/// The same thing measured twice must give the same; noise is what the tolerance is for.
void check_repetitions(const Observations& observations) {
  constexpr double kMost = 0.05;
  std::map<Pattern, const Observation*> first;
  const auto differ = [](std::optional<double> a, std::optional<double> b, double scale) {
    return a && b && std::abs(*a - *b) > kMost * scale;
  };
  for (const Observation& row : observations.rows) {
    if (!row.measured()) continue;
    const auto [place, is_new] = first.emplace(row.pattern, &row);
    const Observation& before = *place->second;
    if (is_new || !(differ(before.load_misses, row.load_misses, row.loads.value_or(1)) ||
                    differ(before.store_misses, row.store_misses, row.stores.value_or(1)) ||
                    differ(before.miss_percent, row.miss_percent, 100) ||
                    differ(before.cycles, row.cycles, before.cycles.value_or(1))))
      continue;
    throw InputError(fmt::format(
        "{}:{}: contradicts line {}: the results for {} differ by more than {:.0f} %, expected the same; "
        "remove the wrong line",
        observations.file, row.line, before.line, row.pattern.text(), 100 * kMost));
  }
}

Observations read_table(std::istream& in, const std::string& name) {
  Observations result;
  result.file = name;
  std::vector<std::string> columns;
  std::string text;
  for (std::size_t number = 1; std::getline(in, text); ++number) {
    if (text.empty() || text[0] == '#') continue;
    const std::string where = fmt::format("{}:{}", name, number);
    if (columns.empty()) {
      columns = split(text);
      const std::string known = std::string(", ") + kColumns + ",";
      for (const std::string& column : columns)
        if (column.empty() || known.find(", " + column + ",") == std::string::npos)
          throw InputError(fmt::format("{}: unknown column '{}', expected only columns named {}", where,
                                       column, kColumns));
      for (const char* needed : {"pattern", "step", "places"})
        if (std::find(columns.begin(), columns.end(), needed) == columns.end())
          throw InputError(
              fmt::format("{}: no column '{}', expected at least pattern, step and places", where, needed));
      continue;
    }
    result.rows.push_back(observation_of(Cells(where, columns, split(text)), where));
    result.rows.back().line = number;
  }
  return result;
}

}  // namespace

Observations read_plan(const std::string& path) {
  const std::string name = path == "-" ? "standard input" : path;
  const std::string content = read_text_file(path, "a table of observations (docs/tools/infer.md)");
  if (std::any_of(content.begin(), content.end(), is_no_text))
    throw InputError(name + ": not a text file, expected a table of observations (docs/tools/infer.md)");
  std::istringstream all(content);
  return is_hardware_csv(content) ? read_hardware_csv(all, name) : read_table(all, name);
}

Observations read_observations(const std::string& path) {
  Observations result = read_plan(path);
  if (std::none_of(result.rows.begin(), result.rows.end(),
                   [](const Observation& row) { return row.measured(); }))
    throw InputError(result.file +
                     ": no row with a result, expected at least one measurement; cachesim infer --plan FILE "
                     "writes the rows to measure");
  check_repetitions(result);
  return result;
}

std::string observations_csv(const std::deque<Observation>& rows, const std::string& comment) {
  std::string text = comment.empty() ? "" : "# " + comment + "\n";
  text += "pattern,mask,step,places,rounds,hot,loads,load_misses,stores,store_misses,cycles\n";
  const auto number = [](std::optional<double> value) {
    return value ? fmt::format("{:.10g}", *value) : std::string();
  };
  for (const Observation& row : rows) {
    const Pattern& pattern = row.pattern;
    text +=
        fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", kind_name(pattern.kind),
                    pattern.mask == 0xFFFFFFFFu ? "all" : fmt::format("{:#x}", pattern.mask), pattern.step,
                    pattern.places, pattern.rounds, pattern.hot, number(row.loads), number(row.load_misses),
                    number(row.stores), number(row.store_misses), number(row.cycles));
  }
  return text;
}

}  // namespace warpscope::infer
