#include "whatif/change.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <optional>
#include <string_view>

#include "traces/base/error.h"
#include "traces/base/parse_number.h"
#include "traces/base/printable.h"

namespace warpscope::whatif {
namespace {

constexpr std::uint64_t kMostInChange = std::uint64_t{1} << 39;

constexpr std::array kForms = {
    ChangeForm{"pad", ChangeKind::Pad, "OBJECT=+ELEMENTS", "tile=+1",
               "rows get this many elements more; the row is found, and printed"},
    ChangeForm{"pitch", ChangeKind::Pitch, "OBJECT=OLD:NEW", "A=1024:1056",
               "rows of OLD elements become rows of NEW elements"},
    ChangeForm{"align", ChangeKind::Align, "OBJECT=BYTES", "A=128",
               "the first byte that is accessed moves up to a multiple of BYTES"},
    ChangeForm{"offset", ChangeKind::Offset, "OBJECT=BYTES", "A=4",
               "every byte moves by BYTES inside the object, which grows; may be negative"},
    ChangeForm{"swizzle", ChangeKind::Swizzle, "OBJECT=ROWBYTES[:UNIT]", "tile=128",
               "piece c of row r goes to c XOR r; a piece has UNIT bytes"},
    ChangeForm{"split", ChangeKind::Split, "OBJECT=STRUCTBYTES[:FIELD,...]", "particles=16:4,4,4,4",
               "array of structures to one array per field"},
    ChangeForm{"transpose", ChangeKind::Transpose, "OBJECT=ROWSxCOLS:ELEMBYTES", "B=512x512:4",
               "matrices by rows are stored by columns"},
    ChangeForm{"bypass", ChangeKind::Bypass, "OBJECT", "A", "accesses do not look the L1 up"},
    ChangeForm{"readonly", ChangeKind::ReadOnly, "OBJECT", "A",
               "loads are marked read-only, as by __ldg() and const restrict"},
    ChangeForm{"sort-index", ChangeKind::SortIndex, "OBJECT", "index",
               "the requests change work-items as if the values of this index array were sorted"},
    ChangeForm{"widen", ChangeKind::Widen, "FILE:LINE[-LAST]", "mm.cl:12",
               "neighbouring loads of a work-item at these lines become wide loads"},
    ChangeForm{"groups", ChangeKind::Groups, "tile:WxH|morton", "tile:4x4",
               "order in which work-groups start"},
};

class Reader {
 public:
  Reader(const ChangeForm& form, const std::string& value) : form_(form), value_(value), rest_(value) {}

  [[noreturn]] void refuse(const std::string& why = {}) const {
    throw InputError(fmt::format("--{} '{}': {}expected {}, for example --{} {}", form_.name,
                                 quotable(value_), why.empty() ? "" : why + ", ", form_.form, form_.name,
                                 form_.example));
  }
  /// What is in front of the last `separator`.
  std::string object(char separator = '=') {
    const std::size_t at = rest_.rfind(separator);
    if (at == std::string_view::npos || at == 0) refuse();
    std::string name(rest_.substr(0, at));
    rest_.remove_prefix(at + 1);
    return name;
  }
  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  void expect(std::string_view word) {
    if (!take(word)) refuse();
  }
  std::uint64_t number(std::uint64_t least = 1) {
    const auto found = take_number(rest_);
    if (!found) refuse();
    if (*found < least || *found > kMostInChange)
      refuse(fmt::format("{} is not from {} to {}", *found, least, kMostInChange));
    return *found;
  }
  std::uint64_t power_of_two() {
    const std::uint64_t found = number();
    if (!std::has_single_bit(found)) refuse(fmt::format("{} is not a power of two", found));
    return found;
  }
  void end() const {
    if (!rest_.empty()) refuse();
  }
  [[nodiscard]] std::string whole() const {
    if (rest_.empty()) refuse();
    return std::string(rest_);
  }

 private:
  const ChangeForm& form_;
  const std::string& value_;
  std::string_view rest_;
};

void read_split(Reader& reader, Change& change) {
  change.numbers.push_back(reader.number());
  if (!reader.take(":")) return;
  std::uint64_t sum = 0;
  do {
    change.numbers.push_back(reader.number());
    sum += change.numbers.back();
  } while (reader.take(","));
  if (sum > change.numbers.front()) reader.refuse(fmt::format("the fields have {} bytes in all", sum));
}

void read_align(Reader& reader, Change& change) {
  constexpr std::uint64_t kMostAligned = 512;  // every allocation starts at a multiple of it
  change.numbers.push_back(reader.power_of_two());
  if (change.numbers.back() > kMostAligned)
    reader.refuse(
        fmt::format("{} is above {}, to which allocations are aligned", change.numbers.back(), kMostAligned));
}

void read_groups(Reader& reader, Change& change) {
  change.morton = reader.take("morton");
  if (change.morton) return;
  reader.expect("tile:");
  change.numbers.push_back(reader.number());
  reader.expect("x");
  change.numbers.push_back(reader.number());
}

void read_lines(Reader& reader, Change& change) {
  change.object = reader.object(':');
  change.numbers.push_back(reader.number());
  change.numbers.push_back(reader.take("-") ? reader.number() : change.numbers.front());
  if (change.numbers[1] < change.numbers[0]) reader.refuse("the last line is in front of the first");
}

void read_numbers(Reader& reader, Change& change) {
  switch (change.kind) {
    case ChangeKind::Pad:
      reader.expect("+");
      change.numbers.push_back(reader.number());
      break;
    case ChangeKind::Pitch:
      change.numbers.push_back(reader.number());
      reader.expect(":");
      change.numbers.push_back(reader.number());
      break;
    case ChangeKind::Align:
      read_align(reader, change);
      break;
    case ChangeKind::Offset:
      change.negative = reader.take("-");
      change.numbers.push_back(reader.number(0));
      break;
    case ChangeKind::Swizzle:
      change.numbers.push_back(reader.power_of_two());
      if (reader.take(":")) change.numbers.push_back(reader.power_of_two());
      if (change.numbers.back() > change.numbers.front()) reader.refuse("the unit is larger than the row");
      break;
    case ChangeKind::Split:
      read_split(reader, change);
      break;
    default:  // Transpose
      change.numbers.push_back(reader.number());
      reader.expect("x");
      change.numbers.push_back(reader.number());
      reader.expect(":");
      change.numbers.push_back(reader.number());
  }
}

}  // namespace

std::span<const ChangeForm> change_forms() {
  return kForms;
}

Change parse_change(const ChangeForm& form, const std::string& value) {
  Change change{form.kind, fmt::format("--{} {}", form.name, quotable(value)), {}, {}};
  Reader reader(form, value);
  if (form.kind == ChangeKind::Groups) {
    read_groups(reader, change);
    reader.end();
  } else if (form.kind == ChangeKind::ReadOnly || form.kind == ChangeKind::Bypass ||
             form.kind == ChangeKind::SortIndex) {
    change.object = reader.whole();
  } else if (form.kind == ChangeKind::Widen) {
    read_lines(reader, change);
    reader.end();
  } else {
    change.object = reader.object();
    read_numbers(reader, change);
    reader.end();
  }
  return change;
}

}  // namespace warpscope::whatif
