#include "machine/cubin/nv_info.h"

#include <fmt/format.h>

namespace warpscope::machine {

std::string_view attribute_name(InfoAttribute attribute) {
  switch (attribute) {
#define ATTRIBUTE(number, name, meaning) \
  case InfoAttribute::name:              \
    return #name;
#include "machine/cubin/nv_info.def"
#undef ATTRIBUTE
  }
  return "";
}

std::vector<InfoRecord> read_info(const ByteView& section) {
  constexpr std::uint8_t kNoValue = 1;
  constexpr std::uint8_t kByte = 2;
  constexpr std::uint8_t kHalf = 3;
  constexpr std::uint8_t kSized = 4;
  std::vector<InfoRecord> records;
  ByteCursor cursor(section);
  while (!cursor.at_end()) {
    const std::uint64_t at = cursor.position();
    const auto format = cursor.take<std::uint8_t>("an attribute");
    if (format < kNoValue || format > kSized)
      section.fail(fmt::format("byte {}: attribute of format {}, expected 1 to 4", at, format));
    InfoRecord record;
    record.attribute = static_cast<InfoAttribute>(cursor.take<std::uint8_t>("an attribute"));
    const auto value = cursor.take<std::uint16_t>("an attribute");
    if (format == kByte) record.value = value & 0xff;
    if (format == kHalf) record.value = value;
    if (format == kSized) record.bytes = cursor.take_bytes(value, "an attribute");
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace warpscope::machine
