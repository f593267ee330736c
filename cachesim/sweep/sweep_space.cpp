#include "cachesim/sweep/sweep_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "traces/base/error.h"

namespace warpscope {
namespace {

constexpr std::uint64_t kMostCandidates = 20'000'000;

struct SweepShape {
  std::uint64_t size_kib = 0;
  std::uint32_t ways = 0;
};

/// Collects the shapes of one line size.
class Shapes {
 public:
  Shapes(const SweepSpace& space, std::uint64_t line, SweepConfigurations& out)
      : sizes_(values_of(space.sizes_kib)),
        ways_(values_of(space.ways)),
        sets_(values_of(space.sets)),
        line_(line),
        out_(out) {}

  std::vector<SweepShape> all() {
    if (!sets_.empty() && !ways_.empty()) {
      for (const std::uint64_t sets : sets_)
        for (const std::uint64_t ways : ways_) add(sets, ways);
    } else if (!ways_.empty()) {
      for (const std::uint64_t size : sizes_)
        for (const std::uint64_t ways : ways_) divide(size, ways, "ways");
    } else {
      for (const std::uint64_t size : sizes_)
        for (const std::uint64_t sets : sets_) divide(size, sets, "sets");
    }
    return std::move(shapes_);
  }

 private:
  void refuse(const std::string& why) {
    if (out_.refused++ == 0) out_.why = why;
  }
  void add(std::uint64_t sets, std::uint64_t ways) {
    const std::uint64_t bytes = sets * ways * line_;
    if (bytes % 1024 != 0)
      return refuse(fmt::format("{} sets of {} ways of {} bytes are {} bytes, expected whole KiB", sets, ways,
                                line_, bytes));
    if (!sizes_.empty() && !std::binary_search(sizes_.begin(), sizes_.end(), bytes / 1024))
      return refuse(fmt::format("{} sets of {} ways of {} bytes are {} KiB, which --size does not list", sets,
                                ways, line_, bytes / 1024));
    shapes_.push_back({bytes / 1024, static_cast<std::uint32_t>(ways)});
  }
  /// The ways of a size and sets, or the other way round.
  void divide(std::uint64_t size, std::uint64_t by, const char* what) {
    const std::uint64_t bytes = size * 1024;
    if (bytes % (by * line_) != 0)
      return refuse(fmt::format("{} KiB is not a multiple of {} {} of {} bytes", size, by, what, line_));
    const std::uint64_t other = bytes / (by * line_);
    shapes_.push_back({size, static_cast<std::uint32_t>(std::string(what) == "ways" ? by : other)});
  }

  std::vector<std::uint64_t> sizes_, ways_, sets_;
  std::uint64_t line_;
  SweepConfigurations& out_;
  std::vector<SweepShape> shapes_;
};

void check_bounds(const SweepSpace& space) {
  const int given = int{!space.sizes_kib.empty()} + int{!space.ways.empty()} + int{!space.sets.empty()};
  if (given < 2)
    throw InputError(
        "the caches need two of --size, --ways and --sets (the third follows), expected for example --size "
        "16,32,48 --ways 1-8");
  for (const std::uint64_t line : values_of(space.lines))
    if (!std::has_single_bit(line) || line < 4)
      throw InputError(fmt::format("--line: {}, expected powers of two from 4 to 65536", line));
  std::uint64_t candidates = space.indexes.size() * space.replacements.size() * space.writes.size();
  const auto multiply = [&](const std::vector<NumberItem>& items) {
    candidates *= std::max<std::size_t>(1, values_of(items).size());
    if (candidates > kMostCandidates)
      throw InputError(
          fmt::format("more than {} combinations, expected fewer; list fewer values", kMostCandidates));
  };
  multiply(space.lines);
  multiply(space.sectors);
  // Of three lists the sizes only choose.
  if (given < 3) multiply(space.sizes_kib);
  multiply(space.ways);
  multiply(space.sets);
}

/// Every part of the list must occur: a value that drops out silently would be missed in the result.
void check_numbers(const char* option, const std::vector<NumberItem>& items,
                   const std::set<std::uint64_t>& used, const std::string& why) {
  for (const NumberItem& item : items) {
    const auto is_used = [&](std::uint64_t value) { return used.contains(value); };
    if (std::none_of(item.values.begin(), item.values.end(), is_used))
      throw InputError(
          fmt::format("{} {}: no combination makes a cache, for example: {}", option, item.text, why));
  }
}

/// Why a cache with the word was refused, by word.
using Reasons = std::map<std::string, std::string>;

void check_words(const char* option, const std::vector<std::string>& words, const std::set<std::string>& used,
                 const Reasons& reasons, const std::string& why) {
  for (const std::string& word : words) {
    if (used.contains(word)) continue;
    const auto reason = reasons.find(word);
    throw InputError(fmt::format("{} {}: no combination makes a cache, for example: {}", option, word,
                                 reason == reasons.end() ? why : reason->second));
  }
}

void check_all_used(const SweepSpace& space, const SweepConfigurations& result, const Reasons& reasons) {
  std::set<std::uint64_t> sizes, ways, sets, lines, sectors;
  std::set<std::string> indexes, replacements, writes;
  for (const CacheConfig& config : result.caches) {
    sizes.insert(config.size_kib);
    ways.insert(config.ways);
    sets.insert(config.sets());
    lines.insert(config.line_bytes);
    sectors.insert({config.sector_bytes, config.transaction_bytes()});
    indexes.insert(config.set_index);
    replacements.insert(config.replacement);
    writes.insert(config.write_policy);
  }
  check_words("--index", space.indexes, indexes, reasons, result.why);
  check_words("--replacement", space.replacements, replacements, reasons, result.why);
  check_words("--write", space.writes, writes, reasons, result.why);
  check_numbers("--line", space.lines, lines, result.why);
  check_numbers("--sector", space.sectors, sectors, result.why);
  check_numbers("--size", space.sizes_kib, sizes, result.why);
  check_numbers("--ways", space.ways, ways, result.why);
  check_numbers("--sets", space.sets, sets, result.why);
}

/// The caches of one shape, index and policies with each sector size.
class Expansion {
 public:
  explicit Expansion(const SweepSpace& space) : space_(space), sectors_(values_of(space.sectors)) {}

  SweepConfigurations all() {
    for (const std::uint64_t line : values_of(space_.lines)) {
      const std::vector<SweepShape> shapes = Shapes(space_, line, result_).all();
      for (const std::uint64_t sector : sectors_)
        for (const std::string& index : space_.indexes)
          for (const std::string& replacement : space_.replacements)
            for (const std::string& write : space_.writes)
              for (const SweepShape& shape : shapes)
                add({shape.size_kib, static_cast<std::uint32_t>(line), shape.ways, replacement, write, index,
                     space_.seed, static_cast<std::uint32_t>(sector == line ? 0 : sector),
                     space_.private_write});
    }
    if (result_.caches.empty()) throw InputError("no combination makes a cache, for example: " + result_.why);
    check_all_used(space_, result_, reasons_);
    return std::move(result_);
  }

 private:
  void add(const CacheConfig& config) {
    try {
      validate(config);
    } catch (const InputError& error) {
      if (result_.refused++ == 0) result_.why = error.what();
      for (const std::string& word : {config.set_index, config.replacement, config.write_policy})
        reasons_.emplace(word, error.what());
      return;
    }
    result_.caches.push_back(config);
    if (result_.caches.size() > kMostSweepCaches)
      throw InputError(
          fmt::format("more than {} caches, expected fewer; list fewer values", kMostSweepCaches));
  }

  const SweepSpace& space_;
  std::vector<std::uint64_t> sectors_;
  SweepConfigurations result_;
  Reasons reasons_;
};

}  // namespace

SweepConfigurations expand(const SweepSpace& space) {
  check_bounds(space);
  return Expansion(space).all();
}

}  // namespace warpscope
