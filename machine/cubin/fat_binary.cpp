#include "machine/cubin/fat_binary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include "machine/cubin/decompress.h"
#include "machine/cubin/elf.h"
#include "traces/base/error.h"
#include "traces/base/printable.h"

namespace warpscope::machine {
namespace {

constexpr std::uint32_t kFatBinary = 0xba55ed50;
constexpr std::string_view kArchive = "!<arch>\n";
constexpr std::string_view kThinArchive = "!<thin>\n";

bool begins_with(const ByteView& bytes, std::string_view text) {
  return bytes.size() >= text.size() && std::memcmp(bytes.bytes().data(), text.data(), text.size()) == 0;
}

bool is_fat_binary(const ByteView& bytes, std::uint64_t at) {
  return at + 16 <= bytes.size() && bytes.read<std::uint32_t>(at, "") == kFatBinary;
}

/// The header of an image in a fat binary. Offsets: measured on what nvcc 13.0 writes with each --compress-mode.
struct ImageHeader {
  std::uint16_t kind;  ///< 1: PTX, 2: cubin
  std::uint32_t header_bytes;
  std::uint64_t payload_bytes;
  std::uint32_t packed_bytes;  ///< without padding; 0: not packed
  std::uint32_t architecture;
  std::uint64_t flags;
  std::uint64_t unpacked_bytes;

  [[nodiscard]] const char* variant() const {
    return (flags & 0x100000) != 0 ? "a" : (flags & 0x200000) != 0 ? "f" : "";
  }
};

ImageHeader read_header(const ByteView& bytes, std::uint64_t at) {
  constexpr const char* kWhat = "the header of an image";
  ImageHeader header{};
  header.kind = bytes.read<std::uint16_t>(at, kWhat);
  header.header_bytes = bytes.read<std::uint32_t>(at + 4, kWhat);
  header.payload_bytes = bytes.read<std::uint64_t>(at + 8, kWhat);
  header.packed_bytes = bytes.read<std::uint32_t>(at + 16, kWhat);
  header.architecture = bytes.read<std::uint32_t>(at + 28, kWhat);
  header.flags = bytes.read<std::uint64_t>(at + 40, kWhat);
  header.unpacked_bytes = bytes.read<std::uint64_t>(at + 56, kWhat);
  return header;
}

std::vector<std::uint8_t> payload(const ImageHeader& header, const ByteView& stored) {
  constexpr std::uint64_t kLz4 = 0x2000;
  constexpr std::uint64_t kZstd = 0x8000;
  if ((header.flags & (kLz4 | kZstd)) == 0) return {stored.bytes().begin(), stored.bytes().end()};
  const ByteView packed = stored.part(0, header.packed_bytes, "a packed image");
  return (header.flags & kZstd) != 0 ? unpack_zstd(packed, header.unpacked_bytes)
                                     : unpack_lz4(packed, header.unpacked_bytes);
}

/// PTX begins with its version, behind comments.
bool is_ptx(const ByteView& bytes) {
  std::string_view text(reinterpret_cast<const char*>(bytes.bytes().data()), bytes.size());
  constexpr std::string_view kBlank = " \t\r\n";
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
    const bool is_line = text.starts_with("//");
    if (!is_line && !text.starts_with("/*")) return text.starts_with(".version");
    const std::size_t end = is_line ? text.find('\n') : text.find("*/", 2);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + (is_line ? 1 : 2));
  }
}

/// Collects the images of what is inside what.
class Collector {
 public:
  void file(const ByteView& bytes, int depth = 0) {
    if (begins_with(bytes, kThinArchive))
      bytes.fail("a thin archive, which only names its objects, expected one that holds them");
    if (begins_with(bytes, kArchive)) return archive(bytes, depth);
    if (is_fat_binary(bytes, 0)) return fat_binaries(bytes);
    if (ElfFile::is_elf(bytes.bytes())) return elf(bytes);
    if (is_ptx(bytes)) return lone(ImageKind::Ptx, bytes);
    if (depth == 0)
      bytes.fail(
          "unrecognised file format, expected a cubin, PTX, a fat binary, an object, a library or a program");
  }
  DeviceContent content;

 private:
  void lone(ImageKind kind, const ByteView& bytes) {
    content.images.push_back(
        {kind, 0, "", bytes.name(), {bytes.bytes().begin(), bytes.bytes().end()}, containers_++});
  }
  void elf(const ByteView& bytes);
  void archive(const ByteView& bytes, int depth);
  void fat_binaries(const ByteView& bytes);
  void fat_binary(const ByteView& bytes);
  void image(const ImageHeader& header, const ByteView& stored);

  std::uint32_t containers_ = 0;
  std::size_t number_ = 0;  ///< of the image in the file, from 1 on
};

void Collector::elf(const ByteView& bytes) {
  const ElfFile elf(bytes);
  if (elf.machine() == kElfMachineCuda) return lone(ImageKind::Cubin, bytes);
  for (const ElfSection& section : elf.sections())
    if (section.name == ".nv_fatbin" || section.name == "__nv_relfatbin")
      fat_binaries(section.content.renamed(bytes.name()));
}

void Collector::archive(const ByteView& bytes, int depth) {
  constexpr std::uint64_t kMemberBytes = 60;
  if (depth > 0) return;
  for (std::uint64_t at = kArchive.size(); at < bytes.size();) {
    const ByteView header = bytes.part(at, kMemberBytes, "the header of a member");
    const auto* digits = reinterpret_cast<const char*>(header.bytes().data()) + 48;
    std::uint64_t size = 0;
    if (std::from_chars(digits, digits + 10, size).ec != std::errc())
      bytes.fail(fmt::format("byte {}: a member's size is no number", at));
    const std::string_view name(reinterpret_cast<const char*>(header.bytes().data()), 16);
    const ByteView member = bytes.part(at + kMemberBytes, size, "a member");
    if (size != 0)
      file(member.renamed(fmt::format("{}({})", bytes.name(),
                                      quotable(name.substr(0, name.find_last_not_of("/ ") + 1)))),
           depth + 1);
    at += kMemberBytes + size + (size & 1);
  }
}

void Collector::fat_binaries(const ByteView& bytes) {
  for (std::uint64_t at = 0; at + 16 <= bytes.size();) {
    if (!is_fat_binary(bytes, at)) {
      at += 8;
      continue;
    }
    const std::uint64_t header = bytes.read<std::uint16_t>(at + 6, "a fat binary");
    const std::uint64_t size = bytes.read<std::uint64_t>(at + 8, "a fat binary");
    if (header < 16) bytes.fail(fmt::format("a fat binary whose header has {} bytes, expected 16", header));
    fat_binary(bytes.part(at + header, size, "a fat binary"));
    at += header + size;
    at = (at + 7) & ~std::uint64_t{7};
  }
}

void Collector::fat_binary(const ByteView& bytes) {
  for (std::uint64_t at = 0; at + 16 <= bytes.size();) {
    const ImageHeader header = read_header(bytes, at);
    if (header.header_bytes < 64)
      bytes.fail(fmt::format("an image whose header has {} bytes, expected 64 or more", header.header_bytes));
    image(header, bytes.part(at + header.header_bytes, header.payload_bytes, "an image"));
    at += header.header_bytes + header.payload_bytes;
  }
  ++containers_;
}

void Collector::image(const ImageHeader& header, const ByteView& stored) {
  constexpr std::uint16_t kPtx = 1;
  constexpr std::uint16_t kCubin = 2;
  ++number_;
  const bool is_ptx = header.kind == kPtx;
  if (!is_ptx && header.kind != kCubin) {
    constexpr std::uint16_t kLinkTimeCode = 8;
    content.others.push_back(fmt::format(
        "{}: image {} (sm_{}) is {}, expected machine code or PTX", stored.name(), number_,
        header.architecture,
        header.kind == kLinkTimeCode ? "code for -dlto" : fmt::format("of kind {}", header.kind)));
    return;
  }
  const std::string name = fmt::format("{}: image {} ({}_{}{})", stored.name(), number_,
                                       is_ptx ? "compute" : "sm", header.architecture, header.variant());
  try {
    std::vector<std::uint8_t> unpacked = payload(header, stored.renamed(name));
    // Text that is not packed is padded with zero bytes.
    while (is_ptx && !unpacked.empty() && unpacked.back() == 0) unpacked.pop_back();
    content.images.push_back({is_ptx ? ImageKind::Ptx : ImageKind::Cubin, header.architecture,
                              header.variant(), name, std::move(unpacked), containers_});
  } catch (const InputError& error) {
    content.damaged.emplace_back(error.what());
  }
}

}  // namespace

DeviceContent device_content(const ByteView& file) {
  Collector collector;
  collector.file(file);
  return std::move(collector.content);
}

std::vector<DeviceImage> device_images(const ByteView& file) {
  DeviceContent content = device_content(file);
  if (!content.damaged.empty()) throw InputError(content.damaged.front());
  if (content.images.empty())
    file.fail("holds no device code, expected a program or library that nvcc linked");
  return std::move(content.images);
}

void refuse_vendor_library(const std::string& path) {
  static constexpr std::array<std::string_view, 13> kLibraries = {
      "libcublas", "libcudnn",  "libcufft",   "libcurand",   "libcusolver", "libcusparse", "libnpp",
      "libnccl",   "libnvjpeg", "libnvinfer", "libcutensor", "libcudart",   "libcuda"};
  const std::string name = std::filesystem::path(path).filename().string();
  for (const std::string_view library : kLibraries)
    if (name.starts_with(library))
      throw InputError(
          fmt::format("{}: a library of NVIDIA's, whose code is neither disassembled nor executed, expected "
                      "your own code",
                      printable(path)));
}

}  // namespace warpscope::machine
