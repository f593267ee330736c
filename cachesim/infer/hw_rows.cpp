#include "cachesim/infer/hw_rows.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "traces/base/error.h"
#include "traces/base/parse_number.h"

namespace warpscope::infer {
namespace {

constexpr const char* kFirstLine = "# warpscope hardware counters, format ";

/// A launch's counters, and the macros and arguments that its name gives
/// ("probe/probe.launch:medium:MASK=…,STEP=…").
struct Launch {
  std::string kernel;
  std::map<std::string, std::uint32_t> given;
  std::map<std::string, double> counters;
  std::size_t line = 0;
};

std::vector<std::string> cells_of(const std::string& line) {
  // Names of launches with several macros have commas: those cells are in quotes.
  std::vector<std::string> result(1);
  bool quoted = false;
  for (const char letter : line) {
    if (letter == '"')
      quoted = !quoted;
    else if (letter == ',' && !quoted)
      result.emplace_back();
    else if (letter != '\r')
      result.back() += letter;
  }
  return result;
}

Launch launch_named(const std::string& name) {
  Launch launch;
  launch.kernel = name.substr(0, name.find('/'));
  const std::size_t size = name.find(':'), more = size == std::string::npos ? size : name.find(':', size + 1);
  if (more == std::string::npos) return launch;
  std::string rest = name.substr(more + 1) + ",";
  for (std::size_t comma = rest.find(','); comma != std::string::npos; comma = rest.find(',')) {
    const std::string one = rest.substr(0, comma);
    rest.erase(0, comma + 1);
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos) continue;
    std::string_view text = std::string_view(one).substr(equals + 1);
    const std::uint64_t value = take_number(text).value_or(0);
    launch.given[one.substr(0, equals)] = value <= 0xffffffffu ? static_cast<std::uint32_t>(value) : 0;
  }
  return launch;
}

/// Misses in a kernel's loads (or stores) and their number, in sectors.
void take(const Launch& launch, const std::string& kind, std::optional<double>& all,
          std::optional<double>& misses) {
  const auto hits = launch.counters.find(kind + ".hits"), missed = launch.counters.find(kind + ".misses");
  if (hits == launch.counters.end() || missed == launch.counters.end()) return;
  all = hits->second + missed->second;
  misses = missed->second;
  if (*all == 0) all = misses = std::nullopt;
}

std::optional<Observation> observation_of(const Launch& launch) {
  Observation row;
  row.line = launch.line;
  Pattern& pattern = row.pattern;
  const auto given = [&](const char* name, std::uint32_t otherwise) {
    const auto found = launch.given.find(name);
    return found == launch.given.end() ? otherwise : found->second;
  };
  if (launch.kernel == "probe") {
    constexpr std::uint32_t kWord = 4;  // the kernel counts in words
    if (launch.given.count("STEP") == 0)
      return std::nullopt;  // the launch file's own sizes are no measurement
    const std::uint32_t mask = given("MASK", 0xFFFFFFFFu);
    // A mask of bits steps by 1 from bit to bit; in bytes as in words.
    pattern.mask = mask == 0xFFFFFFFFu ? mask : mask * kWord;
    pattern.step = mask == 0xFFFFFFFFu ? given("STEP", 1) * kWord : 1;
    pattern.places = given("PLACES", 0);
    pattern.rounds = given("ROUNDS", 1);
    pattern.hot = given("HOT", 0);
  } else if (launch.kernel == "store_load") {
    pattern.kind = given("LOAD_FIRST", 1) != 0 ? PatternKind::LoadStoreLoad : PatternKind::StoreLoad;
  } else if (launch.kernel == "store_store") {
    pattern.kind = PatternKind::StoreStore;
  } else {
    return std::nullopt;
  }
  take(launch, "load", row.loads, row.load_misses);
  take(launch, "store", row.stores, row.store_misses);
  return row.measured() ? std::optional(row) : std::nullopt;
}

}  // namespace

bool is_hardware_csv(const std::string& text) {
  return text.starts_with(kFirstLine);
}

Observations read_hardware_csv(std::istream& in, const std::string& name) {
  std::map<std::string, Launch> launches;
  std::string text;
  for (std::size_t number = 1; std::getline(in, text); ++number) {
    if (number == 1 && text != std::string(kFirstLine) + "1")
      throw InputError(fmt::format(
          "{}:1: unknown format '{}', expected '{}1'; collect the counters again with this version's "
          "validation/hw-profile",
          name, text, kFirstLine));
    if (text.empty() || text[0] == '#') continue;
    const std::vector<std::string> cells = cells_of(text);
    constexpr std::size_t kColumns = 9, kLaunch = 0, kCounter = 4, kMedian = 6;
    if (cells.size() != kColumns)
      throw InputError(
          fmt::format("{}:{}: {} columns, expected the {} that validation/hw-profile writes; remove the "
                      "line or collect the counters again",
                      name, number, cells.size(), kColumns));
    if (cells[kLaunch] == "launch") continue;  // the names; again where files were put together
    auto place = launches.find(cells[kLaunch]);
    if (place == launches.end()) {
      place = launches.emplace(cells[kLaunch], launch_named(cells[kLaunch])).first;
      place->second.line = number;
    }
    const std::string& median = cells[kMedian];
    const auto value = parse_real(median);
    if (!value)
      throw InputError(
          fmt::format("{}:{}: column median: '{}', expected a number; remove the line or collect the "
                      "counters again",
                      name, number, median));
    place->second.counters[cells[kCounter]] = *value;
  }
  Observations result;
  result.file = name;
  for (const auto& [launch_name, launch] : launches)
    if (std::optional<Observation> row = observation_of(launch)) result.rows.push_back(*row);
  return result;
}

}  // namespace warpscope::infer
