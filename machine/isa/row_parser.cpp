#include "machine/isa/row_parser.h"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

namespace warpscope::machine {

std::uint16_t names_number(std::string_view name);

namespace {

/// Reads one token.
class Token {
 public:
  Token(std::string_view text, const RowText& row) : rest_(text), whole_(text), row_(row) {}

  /// The character that was taken last.
  [[nodiscard]] char last() const { return *(rest_.data() - 1); }
  [[nodiscard]] bool done() const { return rest_.empty(); }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  unsigned number() {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) fail("expected a number");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  std::uint8_t bit() { return static_cast<std::uint8_t>(number()); }
  std::string_view until(char c) {
    const std::string_view before = rest_.substr(0, rest_.find(c));
    rest_.remove_prefix(before.size());
    return before;
  }
  std::uint16_t names() {
    const std::string_view name = until('}');
    take('}');
    return names_number(name);
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw std::logic_error(fmt::format("row {} ({:#x}): token {}: {}", row_.name, row_.base, whole_, what));
  }

 private:
  std::string_view rest_;
  std::string_view whole_;
  const RowText& row_;
};

void set_bits(Row& row, unsigned bit, unsigned width, std::uint64_t value) {
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  if (bit < 64) {
    row.low_mask |= mask << bit;
    row.low_value |= value << bit;
  } else {
    row.high_mask |= mask << (bit - 64);
    row.high_value |= value << (bit - 64);
  }
}

void parse_condition(Token token, Row& row) {
  if (token.take(">=")) {
    row.since = static_cast<std::uint16_t>(token.number());
  } else if (token.take('<')) {
    row.until = static_cast<std::uint16_t>(token.number() - 1);
  } else if (token.take('u')) {
    row.uniform_guard = true;
  } else {
    const unsigned bit = token.number();
    const unsigned width = token.take('.') ? token.number() : 1;
    if (!token.take('=')) token.fail("expected BIT=VALUE");
    set_bits(row, bit, width, token.number());
  }
}

Item parse_suffix(Token token, std::string_view text) {
  Item item;
  if (token.take(".{") || token.take('{')) {
    item.kind = Item::Kind::Names;
    item.names = token.names();
    item.bit = token.bit();
    if (token.take('+')) item.low_bit = token.bit();
    return item;
  }
  item.text = token.until('@');
  if (item.text.ends_with('!')) {
    item.text.remove_suffix(1);
    item.inverted = true;
  }
  item.kind = token.take('@') ? Item::Kind::Flag : Item::Kind::Text;
  if (item.kind == Item::Kind::Flag && token.take("pow2")) item.kind = Item::Kind::Power;
  if (item.kind == Item::Kind::Flag) item.bit = token.bit();
  if (item.kind == Item::Kind::Text) item.text = text;
  return item;
}

Format parse_format(Token& token) {
  static constexpr std::string_view kLetters = "ixfehb";
  for (std::size_t number = 0; number < kLetters.size(); ++number)
    if (token.take(kLetters[number])) return static_cast<Format>(number);
  token.fail("expected :i, :x, :f, :e, :h or :b");
}

/// The operand at bit 32 (a register, an immediate, a constant, a uniform register) or 64, by the form.
struct Place {
  bool at_32;
  unsigned form;
};

Place place_of(char letter, unsigned form) {
  // Forms 2, 3 and 7 have the third source at bit 32, and the second at bit 64.
  const bool swapped = form == 2 || form == 3 || form == 7;
  if (letter == 'X') return {true, form};
  return {letter == 'Y' ? !swapped : swapped, form};
}

void place_source(OperandSpec& spec, Place place, bool uniform, Token& token) {
  spec.bit = place.at_32 ? 32 : 64;
  spec.kind = uniform ? OperandKind::UniformRegister : OperandKind::Register;
  if (place.at_32) {
    if (place.form == 2 || place.form == 4) spec.kind = OperandKind::Immediate;
    if (place.form == 3 || place.form == 5) spec.kind = OperandKind::Constant;
    if (place.form == 6 || place.form == 7) spec.kind = OperandKind::UniformRegister;
    if (place.form == 0) token.fail("a row without forms");
  }
  if (spec.kind == OperandKind::UniformRegister) spec.width = 6;
  if (spec.kind == OperandKind::Immediate) spec.width = 32;
}

/// What follows an operand's place: its modifiers.
void parse_flags(Token& token, OperandSpec& spec, bool half, bool at_64) {
  const auto by_place = [&](std::uint8_t a, std::uint8_t at_32_bit, std::uint8_t at_64_bit) {
    return spec.bit == 24 ? a : at_64 || spec.bit == 64 ? at_64_bit : at_32_bit;
  };
  while (!token.done()) {
    if (token.take('-') || token.take('~')) {
      spec.complement = token.last() == '~';
      spec.negate = by_place(72, 63, half ? 84 : 75);
    } else if (token.take('m') || token.take('c')) {
      spec.complement = token.last() == 'c';
      if (spec.bit == 32) spec.negate = 63;  // what is at bit 64 cannot be negated: another field has its bit
    } else if (token.take('|')) {
      spec.absolute = by_place(73, 62, half ? 83 : 74);
    } else if (token.take('h')) {
      spec.part = by_place(74, 60, 81);
    } else if (token.take("n30")) {
      spec.negate = 30;
      spec.complement = true;
    } else if (token.take("b60")) {
      spec.part = 60;
      spec.part_is_byte = true;
    } else if (token.take("p60")) {
      spec.part = 60;
    } else if (token.take('!')) {
      spec.negate = static_cast<std::uint8_t>(spec.bit + 3);
    } else if (token.take("/{")) {
      spec.suffix_names = token.names();
      spec.suffix_bit = token.bit();
    } else if (token.take(']') || token.take('d') || token.take('g')) {
      spec.brackets = token.last();
    } else if (token.take('?')) {
      spec.hidden_default = true;
    } else if (token.take('^')) {
      spec.inverted = true;
    } else if (token.take('r')) {
      spec.reuse = 123;
    } else if (token.take('s')) {
      if (spec.kind == OperandKind::Register) spec.reuse = 124;
    } else if (token.take('q')) {
      spec.reuse = 50;
    } else if (token.take("*w")) {
      spec.count = 0;
    } else if (token.take('*')) {
      spec.count = token.bit();
    } else if (token.take(':')) {
      spec.format = parse_format(token);
    } else {
      token.fail("unknown flag");
    }
  }
  if (spec.kind == OperandKind::Immediate) spec.negate = spec.absolute = spec.part = OperandSpec::kNone;
}

/// Kinds of memory operands: where their uniform register, its width and its descriptor are.
OperandSpec parse_memory(Token& token) {
  OperandSpec spec;
  spec.kind = OperandKind::Memory;
  spec.bit = 24;
  if (token.take('g')) {  // global: 64-bit addresses, descriptors
    spec.wide_bit = 90;
    spec.descriptor_bit = 76;
  } else if (token.take('a')) {  // atomics: the same bits elsewhere
    spec.wide_bit = 70;
    spec.descriptor_bit = 71;
  } else if (token.take('r')) {  // reductions
    spec.wide_bit = 90;
    spec.descriptor_bit = 71;
  } else if (token.take('s')) {  // shared and local: scaled registers
    spec.scale_bit = 78;
  } else if (token.take('d') ||
             token.take('e')) {  // what LDGSTS reads; e: the uniform register belongs to what it writes
    spec.own_descriptor = token.last() == 'd';
    spec.wide_bit = 70;
    spec.descriptor_bit = 76;
    spec.offset_bit = 32;
    spec.offset_width = 12;
    spec.shows_zero = false;
  } else if (token.take('l')) {  // a register and an offset of 32 bits
    spec.offset_bit = 32;
    spec.offset_width = 32;
  } else if (token.take('x')) {  // shared memory of another block of the cluster
    spec.always_wide = true;
    spec.shows_zero = false;
  } else if (token.take('u')) {  // a uniform register and an offset
    spec.bit = 0;
    spec.uniform_bit = 24;
  } else if (token.take('z')) {  // coordinates of a surface
    spec.offset_bit = 0;
  } else if (!token.take('p')) {  // no more than a register, an offset and a uniform register
    token.fail("unknown kind of memory");
  }
  if (!token.done()) spec.uniform_bit = token.bit();
  return spec;
}

/// Operands whose letter is followed by their bit.
OperandSpec parse_placed(Token& token) {
  OperandSpec spec;
  const auto place = [&](OperandKind kind, std::uint8_t width) {
    spec.kind = kind;
    spec.width = width;
    spec.bit = token.bit();
    if (token.take('.')) spec.width = token.bit();
  };
  if (token.take("UR")) {
    place(OperandKind::UniformRegister, 6);
  } else if (token.take("UP")) {
    place(OperandKind::UniformPredicate, 3);
  } else if (token.take("SB")) {
    place(OperandKind::Counter, 3);
  } else if (token.take('R')) {
    place(OperandKind::Register, 8);
  } else if (token.take('P')) {
    place(OperandKind::Predicate, 3);
  } else if (token.take('B')) {
    place(OperandKind::Barrier, 4);
  } else if (token.take('I')) {
    place(OperandKind::SmallImmediate, 8);
  } else if (token.take('W')) {
    place(OperandKind::Immediate, 32);
  } else if (token.take('G')) {
    place(OperandKind::CounterSet, 6);
  } else if (token.take('S')) {
    place(OperandKind::Signs, 16);
  } else if (token.take('{')) {
    spec.names = token.names();
    place(OperandKind::Named, 8);
  } else {
    token.fail("unknown operand");
  }
  return spec;
}

OperandSpec parse_operand(Token token, unsigned form) {
  const bool written = token.take('=');
  const bool half = token.take('^');
  OperandSpec spec;
  bool at_64 = false;
  if (token.take("M.")) {
    spec = parse_memory(token);
  } else if (token.take("D.")) {
    spec.kind = OperandKind::SharedMemory;
    spec.bit = 16;
    spec.offset_bit = 44;
    spec.offset_width = 20;
    if (!token.done()) spec.uniform_bit = token.bit();
  } else if (token.take("T.")) {
    spec.kind = OperandKind::Target;
    spec.has_low_bits = token.take('h');
    if (token.take('r')) spec.mode = 'r';
    if (token.take('a')) spec.mode = 'a';
    spec.bit = token.bit();
    spec.width = token.take('.') ? token.bit() : 32;
  } else if (token.take("C.")) {
    spec.kind = OperandKind::ConstantIndexed;
    spec.bit = 24;
    if (token.take('u')) spec.uniform_bit = 24;
  } else if (token.take("K")) {
    spec.kind = OperandKind::Constant;
    spec.bit = 38;
  } else if (token.take("L")) {
    spec.kind = OperandKind::SmallImmediate;
    spec.bit = 64;
    spec.width = 0;  // PLOP3's table of truth, in two pieces
  } else {
    const bool uniform = token.take("U:");
    if (token.take('A')) {
      spec.kind = uniform ? OperandKind::UniformRegister : OperandKind::Register;
      spec.bit = 24;
      if (uniform) spec.width = 6;
      spec.reuse = uniform ? OperandSpec::kNone : 122;
    } else if (const char letter = token.take('X')   ? 'X'
                                   : token.take('Y') ? 'Y'
                                   : token.take('Z') ? 'Z'
                                                     : 0;
               letter != 0) {
      const Place place = place_of(letter, form);
      place_source(spec, place, uniform, token);
      at_64 = !place.at_32;
      if (spec.kind == OperandKind::Register) spec.reuse = letter == 'Z' ? 124 : 123;
    } else {
      spec = parse_placed(token);
    }
  }
  spec.written = written;
  parse_flags(token, spec, half, at_64);
  return spec;
}

template <class Take>
void for_each_word(std::string_view text, Take take) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end != 0) take(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

Row parse_row(const RowText& text, unsigned form) {
  Row row;
  row.name = text.name;
  row.pipe = text.pipe;
  row.opcode = static_cast<std::uint16_t>(text.base | form << 9);
  for_each_word(text.when, [&](std::string_view word) { parse_condition(Token(word, text), row); });
  for_each_word(text.text, [&](std::string_view word) {
    if (word.starts_with('.')) {
      row.items.push_back(parse_suffix(Token(word, text), word));
      return;
    }
    Item item;
    if (word.starts_with('\'')) {
      item.kind = Item::Kind::Word;
      item.text = word.substr(1);
      if (item.text.starts_with('{')) {
        item = parse_suffix(Token(item.text, text), item.text);
        item.kind = Item::Kind::NamedWord;
      }
      row.items.push_back(item);
      return;
    }
    item.kind = Item::Kind::Operand;
    item.slot = static_cast<std::uint8_t>(row.operands.size());
    row.items.push_back(item);
    row.operands.push_back(parse_operand(Token(word, text), form));
  });
  if (row.operands.size() > Instruction::kOperands) Token(text.text, text).fail("too many operands");
  return row;
}

}  // namespace warpscope::machine
