#include "wrapper/session/argument_text.h"

#include <fmt/format.h>

#include <cstring>

namespace warpscope::layer {
namespace {

template <class T>
std::string values(std::span<const std::uint8_t> bytes) {
  std::string text;
  for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    text += fmt::format("{}{}", at == 0 ? "" : ",", value);
  }
  return text;
}

/// "uint4" → "uint", "unsigned int" → "uint".
std::string element_of(std::string type) {
  while (!type.empty() && type.back() >= '0' && type.back() <= '9') type.pop_back();
  if (type.starts_with("unsigned ")) return fmt::format("u{}", type.substr(9));
  return type == "size_t" || type == "uintptr_t" ? "ulong" : type == "ptrdiff_t" ? "long" : type;
}

}  // namespace

std::string text_of_argument(const std::string& type, std::span<const std::uint8_t> bytes) {
  const std::string element = element_of(type);
  if (element == "float") return values<float>(bytes);
  if (element == "double") return values<double>(bytes);
  if (element == "int") return values<std::int32_t>(bytes);
  if (element == "uint") return values<std::uint32_t>(bytes);
  if (element == "long") return values<std::int64_t>(bytes);
  if (element == "ulong") return values<std::uint64_t>(bytes);
  if (element == "short") return values<std::int16_t>(bytes);
  if (element == "ushort") return values<std::uint16_t>(bytes);
  if (element == "char") return values<std::int8_t>(bytes);
  if (element == "uchar") return values<std::uint8_t>(bytes);
  if (bytes.empty()) return "";
  std::string text = "0x";
  for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

bool is_image_type(const std::string& type) {
  for (const char* name : {"image", "sampler_t", "pipe ", "queue_t", "clk_event_t"})
    if (type.starts_with(name) || type.find(std::string(" ") + name) != std::string::npos) return true;
  return false;
}

}  // namespace warpscope::layer
