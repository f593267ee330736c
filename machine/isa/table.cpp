#include "machine/isa/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "machine/isa/row_parser.h"

namespace warpscope::machine {
namespace {

constexpr RowText kRows[] = {
#define ROW(name, base, forms, when, pipe, text) {name, base, forms, when, Pipe::pipe, text},
#include "machine/isa/table/instructions.def"
#undef ROW
};

struct NamesText {
  std::string_view name;
  std::uint8_t width;
  std::string_view texts;
};

constexpr NamesText kNames[] = {
#define NAMES(name, width, texts) {#name, width, texts},
#include "machine/isa/table/fields.def"
#undef NAMES
};

Names split(const NamesText& text) {
  Names names{text.name, text.width, {}};
  std::string_view rest = text.texts;
  for (std::size_t end = rest.find('|'); end != std::string_view::npos; end = rest.find('|')) {
    names.texts.push_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  names.texts.push_back(rest);
  return names;
}

const std::vector<Names>& all_names() {
  static const std::vector<Names> all = [] {
    std::vector<Names> made;
    for (const NamesText& text : kNames) made.push_back(split(text));
    return made;
  }();
  return all;
}

/// More conditions first: a row without any takes what is left.
int conditions(const Row& row) {
  return std::popcount(row.low_mask) + std::popcount(row.high_mask);
}

}  // namespace

std::uint16_t names_number(std::string_view name);
std::uint16_t names_number(std::string_view name) {
  for (std::size_t number = 0; number < all_names().size(); ++number)
    if (all_names()[number].name == name) return static_cast<std::uint16_t>(number);
  throw std::logic_error(fmt::format("no table of names {}", name));
}

const Names& names_of(std::uint16_t number) {
  return all_names()[number];
}

std::string Names::text(std::uint64_t value) const {
  if (value < texts.size() && texts[value] != "?") return std::string(texts[value]);
  if (name == "sr") return fmt::format("SR{}", value);
  return fmt::format("{}INVALID{}", texts[0].starts_with('.') || texts[0].empty() ? "." : "", value);
}

InstructionTable::InstructionTable(std::uint32_t architecture) {
  for (const RowText& text : kRows) {
    const std::string_view forms = text.forms.empty() ? "0" : text.forms;
    for (const char form : forms) {
      Row row = parse_row(text, static_cast<unsigned>(form - '0'));
      if (architecture >= row.since && architecture <= row.until) rows_.push_back(std::move(row));
    }
  }
  std::stable_sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) {
    return a.opcode != b.opcode ? a.opcode < b.opcode : conditions(a) > conditions(b);
  });
  add_patterns();
}

void InstructionTable::add_patterns() {
  first_.assign(4097, 0);
  for (std::size_t number = 0; number < rows_.size(); ++number) {
    const Row& row = rows_[number];
    const std::vector<Extraction> extractions = extractions_of(row);
    patterns_.push_back({row.low_mask, row.low_value, row.high_mask, row.high_value,
                         static_cast<std::uint16_t>(number), static_cast<std::uint16_t>(extractions.size()),
                         static_cast<std::uint32_t>(extractions_.size())});
    extractions_.insert(extractions_.end(), extractions.begin(), extractions.end());
    ++first_[row.opcode + 1U];
  }
  for (std::size_t opcode = 1; opcode < first_.size(); ++opcode) first_[opcode] += first_[opcode - 1];
}

const InstructionTable& InstructionTable::of(std::uint32_t architecture) {
  static std::mutex mutex;
  static std::map<std::uint32_t, std::unique_ptr<InstructionTable>> tables;
  const std::scoped_lock lock(mutex);
  std::unique_ptr<InstructionTable>& table = tables[architecture];
  if (!table) table = std::make_unique<InstructionTable>(architecture);
  return *table;
}

}  // namespace warpscope::machine
