#pragma once
// Attributes of a kernel (.nv.info.NAME) and of a whole cubin (.nv.info): a list of (format, number, value).
#include <cstdint>
#include <string_view>
#include <vector>

#include "machine/cubin/byte_view.h"

namespace warpscope::machine {

enum class InfoAttribute : std::uint8_t {
#define ATTRIBUTE(number, name, meaning) name = (number),
#include "machine/cubin/nv_info.def"
#undef ATTRIBUTE
};

struct InfoRecord {
  InfoAttribute attribute{};
  std::uint16_t value = 0;  ///< of a record without bytes of its own: 8 or 16 bits
  ByteView bytes;           ///< of a record with a size; empty otherwise

  [[nodiscard]] std::uint32_t word(std::size_t index) const {
    return bytes.read<std::uint32_t>(4 * index, "an attribute");
  }
  [[nodiscard]] std::size_t words() const { return bytes.size() / 4; }
};

/// NVIDIA's name without its prefix ("REGCOUNT"); "" for a number that the table does not have.
std::string_view attribute_name(InfoAttribute attribute);
/// All records in their order; numbers that the table does not have are among them. Throws InputError where the section is malformed.
std::vector<InfoRecord> read_info(const ByteView& section);

}  // namespace warpscope::machine
