#pragma once
// The frame that capture, stream and transaction files share: an 8-byte magic, then checksummed sections
// (traces/FORMAT.md, "Sections").
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traces/base/types.h"

namespace warpscope {

constexpr std::size_t kMagicBytes = 8;
constexpr std::size_t kSectionHeaderBytes = 32;
constexpr std::string_view kCaptureMagic = "WSCAPTUR";
constexpr std::string_view kCaptureEndMagic = "WSCAPEND";
constexpr std::string_view kStreamMagic = "WSSTREAM";
constexpr std::string_view kTransactionMagic = "WSTRANSA";

/// Four ASCII letters as the little-endian number that is stored.
constexpr std::uint32_t section_tag(const char (&letters)[5]) {
  std::uint32_t tag = 0;
  for (int i = 3; i >= 0; --i) tag = tag << 8 | static_cast<std::uint8_t>(letters[i]);
  return tag;
}

struct SectionHeader {
  std::uint32_t tag = 0;
  std::uint32_t stored_size = 0;  ///< bytes that follow the header
  std::uint32_t raw_size = 0;     ///< bytes after decompression; equal to stored_size = not compressed
  LaunchId launch;
  std::uint64_t number = 0;
  std::uint64_t checksum = 0;  ///< section_checksum()
};

SectionHeader parse_section_header(std::span<const std::uint8_t, kSectionHeaderBytes> bytes);

/// Makes sections. Keeps a compression context: one per thread.
class SectionEncoder {
 public:
  explicit SectionEncoder(int compression_level = 1);
  ~SectionEncoder();
  SectionEncoder(const SectionEncoder&) = delete;
  SectionEncoder& operator=(const SectionEncoder&) = delete;
  /// Header and stored bytes, valid until the next call. Throws InputError for payloads of 4 GiB and more.
  std::span<const std::uint8_t> encode(std::uint32_t tag, LaunchId launch, std::uint64_t number,
                                       std::span<const std::uint8_t> payload);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
  std::vector<std::uint8_t> section_;
};

constexpr std::uint64_t kMostHeaderBytes = 256u << 20;  ///< most unpacked bytes of a section that is not data
constexpr std::uint64_t kMostTimesPacked = 1000;        ///< unpacked bytes over stored bytes
constexpr std::uint64_t kFreeDataBytes =
    64u << 20;  ///< bytes of data that are accepted whatever their packed size is

/// Whether a reader takes a section: a few bytes must not make it allocate gigabytes. Writers keep to it by
/// storing what packs better without packing it.
bool may_unpack(std::uint32_t tag, std::uint64_t stored_bytes, std::uint64_t raw_bytes);

/// Payloads shorter than this are stored as they are: packing one takes longer than recording it, and saves
/// next to nothing.
constexpr std::size_t kLeastPackedBytes = 128;

/// Makes the section of a payload of less than kLeastPackedBytes, as SectionEncoder does, with nothing to keep.
class ShortSection {
 public:
  ShortSection(std::uint32_t tag, LaunchId launch, std::uint64_t number,
               std::span<const std::uint8_t> payload);
  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return {bytes_.data(), size_}; }

 private:
  std::array<std::uint8_t, kSectionHeaderBytes + kLeastPackedBytes> bytes_;
  std::size_t size_;
};

/// Checks and decompresses sections. Keeps a decompression context: one per thread.
class SectionDecoder {
 public:
  SectionDecoder();
  ~SectionDecoder();
  SectionDecoder(const SectionDecoder&) = delete;
  SectionDecoder& operator=(const SectionDecoder&) = delete;
  /// The payload of `section` (header and stored bytes), valid until the next call and as long as `section`.
  /// Throws InputError "WHERE: …" when the checksum does not match, may_unpack() says no, or the stored bytes
  /// do not decompress to raw_size.
  std::span<const std::uint8_t> decode(std::span<const std::uint8_t> section, const std::string& where);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
  std::vector<std::uint8_t> payload_;
};

/// XXH3-64 of the stored bytes, seeded with XXH3-64 of the 24 header bytes before the checksum: header and
/// payload cannot be exchanged between sections.
std::uint64_t section_checksum(std::span<const std::uint8_t> section);
/// Folds the next section's checksum into a running identity of a file (start with 0).
std::uint64_t chain_checksum(std::uint64_t identity, std::uint64_t checksum);

inline std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
inline std::string_view text_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

static_assert(std::endian::native == std::endian::little,
              "our files are little-endian and copied as they are");

/// Fixed-size little-endian integers at any alignment.
template <class Integer>
Integer load_le(const std::uint8_t* bytes) {
  Integer value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}
template <class Integer>
void store_le(std::uint8_t* bytes, Integer value) {
  std::memcpy(bytes, &value, sizeof(value));
}

/// Reads sections from front to back, from a file or a pipe.
class SectionScanner {
 public:
  /// `offset`: where the descriptor is in its file, for messages.
  SectionScanner(int descriptor, std::string path, std::uint64_t offset)
      : descriptor_(descriptor), path_(std::move(path)), offset_(offset), next_(offset) {}

  enum class Status { Section, End, Cut };
  /// From now on, next() passes over the sections for which `unwanted` is true, without reading what follows
  /// their headers; so their checksums are nobody's business here. For regular files only.
  void skip(std::function<bool(const SectionHeader&)> unwanted) { unwanted_ = std::move(unwanted); }
  /// Reads the next section. End: the file ends where a section would start. Cut: it ends inside one.
  /// InputError when reading fails. The checksum is checked by whoever decodes the section.
  Status next();
  [[nodiscard]] const SectionHeader& header() const { return header_; }
  /// Header and stored bytes, valid until the next call of next().
  [[nodiscard]] std::span<const std::uint8_t> section() const { return std::span(buffer_).first(size_); }
  [[nodiscard]] std::uint64_t offset() const { return offset_; }  ///< byte where the current section starts
  [[nodiscard]] std::uint64_t end() const { return next_; }       ///< byte after it

 private:
  Status read_header();
  Status read_rest();
  Status pass_over();

  int descriptor_;
  std::string path_;
  std::uint64_t offset_;
  std::uint64_t next_;
  SectionHeader header_;
  std::vector<std::uint8_t> buffer_;  ///< has the size of the longest section, so that zeros are written once
  std::size_t size_ = 0;              ///< size of the section
  std::function<bool(const SectionHeader&)> unwanted_;
};

}  // namespace warpscope
