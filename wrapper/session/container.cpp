#include "wrapper/session/container.h"

#include <cstring>
#include <string_view>

#include "traces/base/error.h"
#include "traces/base/json_fields.h"

namespace warpscope::layer {
namespace {

constexpr std::string_view kContainerMagic = "WSCUDA01";
// Behind the magic: two little-endian numbers of 64 bits, the container's size and that of its directory.
constexpr std::size_t kContainerHeaderBytes = 24;

std::uint64_t number_at(const char* place) {
  std::uint64_t value = 0;
  std::memcpy(&value, place, sizeof(value));
  return value;
}

[[noreturn]] void refuse(const std::string& what) {
  throw InputError("device code of the program: " + what +
                   ", expected what warpscope-nvcc of this version writes; compile the program again");
}

std::string_view* section_of(Container& container, const std::string& name) {
  if (name == "optimised") return &container.optimised;
  if (name == "instrumented") return &container.instrumented;
  if (name == "kernels") return &container.kernels;
  if (name == "signatures") return &container.signatures;
  if (name == "source") return &container.source;
  return nullptr;
}

void read_directory(const nlohmann::json& directory, std::string_view content, Container& container) {
  container.source_name = directory.at("source_name").get<std::string>();
  container.options = directory.at("options").get<std::vector<std::string>>();
  container.architecture = directory.at("architecture").get<unsigned>();
  container.is_relocatable = directory.at("relocatable").get<bool>();
  for (const nlohmann::json& section : directory.at("sections")) {
    const auto name = section.at("name").get<std::string>();
    const auto bytes = section.at("bytes").get<std::uint64_t>();
    if (bytes > content.size()) refuse("section '" + name + "' is cut off");
    if (std::string_view* place = section_of(container, name)) *place = content.substr(0, bytes);
    content.remove_prefix(bytes);
  }
}

}  // namespace

std::uint64_t container_size(const void* content) {
  const auto* bytes = static_cast<const char*>(content);
  if (bytes == nullptr || std::memcmp(bytes, kContainerMagic.data(), kContainerMagic.size()) != 0) return 0;
  return number_at(bytes + kContainerMagic.size());
}

Container read_container(const void* content, std::uint64_t size) {
  const std::string_view bytes(static_cast<const char*>(content), size);
  if (size < kContainerHeaderBytes || !bytes.starts_with(kContainerMagic))
    refuse("it is of another compiler");
  const std::uint64_t total = number_at(bytes.data() + kContainerMagic.size());
  const std::uint64_t directory = number_at(bytes.data() + kContainerMagic.size() + sizeof(total));
  if (total != size || directory > size - kContainerHeaderBytes) refuse("it is cut off");
  Container container;
  try {
    const std::string text(bytes.substr(kContainerHeaderBytes, directory));
    read_directory(parse_json(text, "its directory"), bytes.substr(kContainerHeaderBytes + directory),
                   container);
  } catch (const nlohmann::json::exception& error) {
    refuse(std::string("its directory is damaged (") + error.what() + ")");
  }
  return container;
}

}  // namespace warpscope::layer
