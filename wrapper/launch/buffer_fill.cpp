#include "wrapper/launch/buffer_fill.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>

#include "traces/base/error.h"
#include "traces/program/unwritten_pattern.h"

namespace warpscope {
namespace {

std::uint64_t split_mix_64(std::uint64_t seed, std::uint64_t step) {
  std::uint64_t z = seed + (step + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double to_double(const Number& value) {
  return std::visit([](auto v) { return static_cast<double>(v); }, value);
}

std::int64_t to_integer(const Number& value, const std::string& where) {
  if (std::holds_alternative<std::int64_t>(value)) return std::get<std::int64_t>(value);
  const double number = std::get<double>(value);
  if (number != std::floor(number) || std::abs(number) > 9e15)
    throw InputError(fmt::format("{}: {} is not a whole number, but the type is an integer", where, number));
  return static_cast<std::int64_t>(number);
}

/// Half precision with round to nearest even, for what a launch file may hold: finite values.
std::uint16_t to_half(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 48) & 0x8000u);
  const double magnitude = std::abs(value);
  if (magnitude >= 65520.0) return static_cast<std::uint16_t>(sign | 0x7c00u);
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int scale = magnitude == 0 ? -24 : std::max(exponent - 11, -24);
  const auto mantissa = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, -scale)));
  // Without its leading one, a normal number's mantissa carries into the exponent field when it rounds up.
  const std::uint32_t field =
      scale == -24 ? mantissa : static_cast<std::uint32_t>(scale + 24) * 1024 + mantissa;
  return static_cast<std::uint16_t>(sign | field);
}

void append_raw(std::vector<std::uint8_t>& bytes, const void* value, std::size_t size) {
  const auto* first = static_cast<const std::uint8_t*>(value);
  bytes.insert(bytes.end(), first, first + size);
}

void check_range(std::int64_t value, const ElementType& type, const std::string& where) {
  const std::uint32_t bits = 8 * type.component_size();
  const bool is_signed = type.kind == ElementType::Kind::Signed;
  if (bits >= 64) return;
  // Unsigned types take negative values as C does (-1 = all ones), signed types take hexadecimal patterns.
  const std::int64_t lowest = -(std::int64_t{1} << (bits - 1));
  const std::int64_t highest = (std::int64_t{1} << bits) - 1;
  if (value < lowest || value > highest)
    throw InputError(
        fmt::format("{}: {} does not fit into {}{}", where, value, type.name, is_signed ? " (signed)" : ""));
}

std::vector<std::uint8_t> read_content(const std::string& path, std::uint64_t size,
                                       const std::string& where) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::uint8_t> bytes(size);
  if (!file)
    throw InputError(fmt::format("{}: {}: cannot read the buffer's content, expected a file of {} bytes",
                                 where, path, size));
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  if (static_cast<std::uint64_t>(file.gcount()) != size)
    throw InputError(
        fmt::format("{}: {}: {} bytes, expected at least {}; give a smaller count or a longer file", where,
                    path, file.gcount(), size));
  return bytes;
}

std::vector<std::uint8_t> unwritten_bytes(std::uint64_t size) {
  std::vector<std::uint8_t> bytes(size);
  const auto pattern = unwritten_pattern(0);
  for (std::uint64_t at = 0; at < size; ++at) bytes[at] = pattern[at % pattern.size()];
  return bytes;
}

/// Makes the components of a fill one by one.
class Generator {
 public:
  Generator(const Fill& fill, const ElementType& type, const NameLookup& lookup, const std::string& where)
      : fill_(fill), type_(type), where_(where), is_floating_(type.kind == ElementType::Kind::Floating) {
    for (const std::string& parameter : fill.parameters)
      parameters_.push_back(evaluate(parameter, lookup, where));
    if (fill.kind == Fill::Kind::Random && parameters_.size() == 1) {
      parameters_.emplace_back(std::int64_t{0});
      parameters_.emplace_back(std::int64_t{is_floating_ ? 1 : 100});
    }
    if (fill.kind == Fill::Kind::Random && to_double(parameters_[2]) <= to_double(parameters_[1]))
      throw InputError(
          fmt::format("{}: random({}): the end is not above the lowest value", where, fill.text()));
    if (fill.kind == Fill::Kind::Range) {
      const double span = to_double(parameters_[2]) - to_double(parameters_[0]);
      const double step = to_double(parameters_[1]);
      if (step == 0 || span / step < 0)
        throw InputError(
            fmt::format("{}: range({}): the steps never reach the last value", where, fill.text()));
      range_length_ = static_cast<std::uint64_t>(span / step) + 1;
    }
  }

  [[nodiscard]] Number at(std::uint64_t index) const {
    switch (fill_.kind) {
      case Fill::Kind::Constant:
        return parameters_[0];
      case Fill::Kind::Random:
        return random(index);
      case Fill::Kind::Range: {
        const std::uint64_t step = index % range_length_;
        if (is_floating_)
          return to_double(parameters_[0]) + static_cast<double>(step) * to_double(parameters_[1]);
        return to_integer(parameters_[0], where_) +
               static_cast<std::int64_t>(step) * to_integer(parameters_[1], where_);
      }
      default:
        return iota(index);
    }
  }

 private:
  [[nodiscard]] Number random(std::uint64_t index) const {
    const std::uint64_t bits =
        split_mix_64(static_cast<std::uint64_t>(to_integer(parameters_[0], where_)), index);
    if (is_floating_) {
      const double low = to_double(parameters_[1]);
      // 24 bits are exact in a float, so that it stays below the end after rounding.
      const double unit = static_cast<double>(bits >> 40) * 0x1p-24;
      return low + unit * (to_double(parameters_[2]) - low);
    }
    const std::int64_t low = to_integer(parameters_[1], where_);
    const auto range = static_cast<std::uint64_t>(to_integer(parameters_[2], where_) - low);
    return low + static_cast<std::int64_t>(bits % range);
  }

  // Wraps around where the type is too narrow for the index.
  [[nodiscard]] Number iota(std::uint64_t index) const {
    if (is_floating_) return static_cast<double>(index);
    const std::uint32_t bits = 8 * type_.component_size();
    return static_cast<std::int64_t>(bits >= 63 ? index : index & ((std::uint64_t{1} << bits) - 1));
  }

  const Fill& fill_;
  const ElementType& type_;
  const std::string& where_;
  bool is_floating_;
  std::vector<Number> parameters_;
  std::uint64_t range_length_ = 1;
};

}  // namespace

void append_component(std::vector<std::uint8_t>& bytes, const ElementType& type, const Number& value,
                      const std::string& where) {
  const std::uint32_t size = type.component_size();
  if (type.kind == ElementType::Kind::Floating) {
    const double number = to_double(value);
    const auto single = static_cast<float>(number);
    const std::uint16_t half = to_half(number);
    append_raw(bytes,
               size == 8   ? static_cast<const void*>(&number)
               : size == 4 ? &single
                           : static_cast<const void*>(&half),
               size);
    return;
  }
  const std::int64_t integer = to_integer(value, where);
  check_range(integer, type, where);
  append_raw(bytes, &integer, size);
}

std::vector<std::uint8_t> fill_bytes(const Fill& fill, const ElementType& type, std::uint64_t size,
                                     const NameLookup& lookup, const std::string& where) {
  if (!fill.path.empty()) return read_content(fill.path, size, where);
  if (fill.kind == Fill::Kind::None) return unwritten_bytes(size);
  if (fill.kind == Fill::Kind::Zero || fill.kind == Fill::Kind::Default)
    return std::vector<std::uint8_t>(size);
  if (type.kind == ElementType::Kind::Opaque)
    throw InputError(fmt::format(
        "{}: elements of type '{}' can only be filled with zero or file:PATH; or give type=", where,
        type.name));
  const Generator generator(fill, type, lookup, where);
  std::vector<std::uint8_t> bytes;
  bytes.reserve(size + 8);
  for (std::uint64_t index = 0; bytes.size() < size; ++index)
    append_component(bytes, type, generator.at(index), where);
  bytes.resize(size);
  return bytes;
}

}  // namespace warpscope
