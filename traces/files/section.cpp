#include "traces/files/section.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <new>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "traces/base/error.h"
#include "traces/files/file_io.h"
#include "traces/files/packed_forms.h"

namespace warpscope {
namespace {

constexpr std::size_t kChecksumOffset = 24;
// A pipe's section grows as its bytes arrive: a damaged length must not make us allocate 4 GiB.
constexpr std::size_t kReadStep = 1u << 20;

/// Sections that carry what was recorded. A long loop's branches pack better than any header.
bool carries_data(std::uint32_t tag) {
  return tag == section_tag("CHNK") || tag == section_tag("RUNS") || tag == section_tag("BLCK") ||
         tag == section_tag("TXNS") || tag == section_tag("INDX");
}

}  // namespace

bool may_unpack(std::uint32_t tag, std::uint64_t stored_bytes, std::uint64_t raw_bytes) {
  if (!carries_data(tag) && raw_bytes > kMostHeaderBytes) return false;
  if (raw_bytes <= stored_bytes) return true;
  const bool is_dense = raw_bytes > kMostTimesPacked * stored_bytes;
  return !is_dense || (carries_data(tag) && raw_bytes <= kFreeDataBytes);
}

SectionHeader parse_section_header(std::span<const std::uint8_t, kSectionHeaderBytes> bytes) {
  SectionHeader header;
  header.tag = load_le<std::uint32_t>(bytes.data());
  header.stored_size = load_le<std::uint32_t>(bytes.data() + 4);
  header.raw_size = load_le<std::uint32_t>(bytes.data() + 8);
  header.launch = LaunchId(load_le<std::uint32_t>(bytes.data() + 12));
  header.number = load_le<std::uint64_t>(bytes.data() + 16);
  header.checksum = load_le<std::uint64_t>(bytes.data() + kChecksumOffset);
  return header;
}

std::uint64_t section_checksum(std::span<const std::uint8_t> section) {
  const std::uint64_t head = XXH3_64bits(section.data(), kChecksumOffset);
  return XXH3_64bits_withSeed(section.data() + kSectionHeaderBytes, section.size() - kSectionHeaderBytes,
                              head);
}

std::uint64_t chain_checksum(std::uint64_t identity, std::uint64_t checksum) {
  std::uint8_t bytes[sizeof(checksum)];
  store_le(bytes, checksum);
  return XXH3_64bits_withSeed(bytes, sizeof(bytes), identity);
}

namespace {

/// Appends what zstd skips to the `size` bytes of a payload that packs too well to be trusted by a reader; returns how
/// many there are then. Stored unpacked, the parts of a long regular loop would be a thousand times as large.
std::size_t pad(std::span<std::uint8_t> stored, std::size_t size, std::size_t raw_size) {
  constexpr std::uint32_t kSkippableFrame = 0x184D2A50;
  constexpr std::size_t kFrameHeader = 8;
  const std::size_t least = raw_size / kMostTimesPacked + 1;
  const std::size_t zeros = least > size + kFrameHeader ? least - size - kFrameHeader : 0;
  if (size + kFrameHeader + zeros >= stored.size()) return stored.size();
  store_le(stored.data() + size, kSkippableFrame);
  store_le(stored.data() + size + 4, static_cast<std::uint32_t>(zeros));
  std::fill_n(stored.begin() + static_cast<std::ptrdiff_t>(size + kFrameHeader), zeros, std::uint8_t{0});
  return size + kFrameHeader + zeros;
}

/// Writes the header in front of `section`, whose stored bytes are there.
void put_header(std::span<std::uint8_t> section, std::uint32_t tag, LaunchId launch, std::uint64_t number,
                std::size_t raw_size) {
  store_le(section.data(), tag);
  store_le(section.data() + 4, static_cast<std::uint32_t>(section.size() - kSectionHeaderBytes));
  store_le(section.data() + 8, static_cast<std::uint32_t>(raw_size));
  store_le(section.data() + 12, launch.value());
  store_le(section.data() + 16, number);
  store_le(section.data() + kChecksumOffset, section_checksum(section));
}

}  // namespace

ShortSection::ShortSection(std::uint32_t tag, LaunchId launch, std::uint64_t number,
                           std::span<const std::uint8_t> payload)
    : size_(kSectionHeaderBytes + payload.size()) {
  std::copy(payload.begin(), payload.end(), bytes_.begin() + kSectionHeaderBytes);
  put_header({bytes_.data(), size_}, tag, launch, number, payload.size());
}

struct SectionEncoder::Context {
  explicit Context(int level) : zstd(ZSTD_createCCtx()) {
    if (zstd == nullptr) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, level);
  }
  ~Context() { ZSTD_freeCCtx(zstd); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// Packs a payload into `stored`, which has room for any; returns how long it is then.
  std::size_t pack(std::uint32_t tag, std::span<const std::uint8_t> payload, std::span<std::uint8_t> stored) {
    std::size_t size = tag == section_tag("CHNK") ? forms.pack(zstd, payload, stored) : 0;
    if (size == 0) size = ZSTD_compress2(zstd, stored.data(), stored.size(), payload.data(), payload.size());
    if (ZSTD_isError(size) != 0)
      throw std::bad_alloc();  // the only error left with a buffer of the bound's size
    return size;
  }

  ZSTD_CCtx* zstd;
  PackedForms forms;
};

SectionEncoder::SectionEncoder(int compression_level)
    : context_(std::make_unique<Context>(compression_level)) {}
SectionEncoder::~SectionEncoder() = default;

std::span<const std::uint8_t> SectionEncoder::encode(std::uint32_t tag, LaunchId launch, std::uint64_t number,
                                                     std::span<const std::uint8_t> payload) {
  if (payload.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw InputError(fmt::format("section {} of launch {} takes {} bytes, expected less than 4 GiB", number,
                                 launch.value(), payload.size()));
  }
  // Never shortened, because what it grows by is filled with zeros.
  section_.resize(std::max(section_.size(), kSectionHeaderBytes + ZSTD_compressBound(payload.size())));
  const std::span<std::uint8_t> stored = std::span(section_).subspan(kSectionHeaderBytes);
  std::size_t size = payload.size();
  if (size >= kLeastPackedBytes) size = context_->pack(tag, payload, stored);
  if (!carries_data(tag) && payload.size() > kMostHeaderBytes) {
    throw InputError(
        fmt::format("a header takes {} bytes, expected at most {}", payload.size(), kMostHeaderBytes));
  }
  if (tag == section_tag("PART") && size < payload.size() && !may_unpack(tag, size, payload.size()))
    size = pad(stored, size, payload.size());
  // What packs too well to be trusted by a reader is stored as it is.
  if (size >= payload.size() || !may_unpack(tag, size, payload.size())) {
    size = payload.size();
    std::copy(payload.begin(), payload.end(), stored.begin());
  }
  const auto section = std::span(section_).first(kSectionHeaderBytes + size);
  put_header(section, tag, launch, number, payload.size());
  return section;
}

struct SectionDecoder::Context {
  Context() : zstd(ZSTD_createDCtx()) {
    if (zstd == nullptr) throw std::bad_alloc();
  }
  ~Context() { ZSTD_freeDCtx(zstd); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ZSTD_DCtx* zstd;
};

SectionDecoder::SectionDecoder() : context_(std::make_unique<Context>()) {}
SectionDecoder::~SectionDecoder() = default;

std::span<const std::uint8_t> SectionDecoder::decode(std::span<const std::uint8_t> section,
                                                     const std::string& where) {
  const SectionHeader header = parse_section_header(section.first<kSectionHeaderBytes>());
  const auto stored = section.subspan(kSectionHeaderBytes);
  if (header.stored_size != stored.size() || section_checksum(section) != header.checksum) {
    throw InputError(where + ": checksum does not match, expected an undamaged file; make it again");
  }
  if (header.raw_size == header.stored_size && may_unpack(header.tag, header.stored_size, header.raw_size))
    return stored;
  const auto refuse = [&] {
    throw InputError(where + ": does not decompress, expected a zstd frame; make it again");
  };
  if (!may_unpack(header.tag, header.stored_size, header.raw_size)) {
    throw InputError(fmt::format(
        "{}: {} bytes unpack to {}, expected at most {} times as many and {} MiB of a header; make it again",
        where, header.stored_size, header.raw_size, kMostTimesPacked, kMostHeaderBytes >> 20));
  }
  payload_.resize(header.raw_size);
  const std::size_t size =
      ZSTD_decompressDCtx(context_->zstd, payload_.data(), payload_.size(), stored.data(), stored.size());
  if (ZSTD_isError(size) != 0 || size != header.raw_size) refuse();
  return payload_;
}

SectionScanner::Status SectionScanner::next() {
  for (;;) {
    const Status status = read_header();
    if (status != Status::Section) return status;
    if (!unwanted_ || !unwanted_(header_)) return read_rest();
    if (pass_over() == Status::Cut) return Status::Cut;
  }
}

SectionScanner::Status SectionScanner::read_header() {
  offset_ = next_;
  size_ = 0;
  if (buffer_.size() < kSectionHeaderBytes) buffer_.resize(kSectionHeaderBytes);
  const std::size_t got = read_some(descriptor_, std::span(buffer_).first(kSectionHeaderBytes), path_);
  if (got == 0) return Status::End;
  if (got < kSectionHeaderBytes) return Status::Cut;
  size_ = kSectionHeaderBytes;
  header_ = parse_section_header(section().first<kSectionHeaderBytes>());
  return Status::Section;
}

SectionScanner::Status SectionScanner::read_rest() {
  const std::size_t total = kSectionHeaderBytes + header_.stored_size;
  while (size_ < total) {
    const std::size_t step = std::min(total - size_, kReadStep);
    if (buffer_.size() < size_ + step) buffer_.resize(size_ + step);
    if (read_some(descriptor_, std::span(buffer_).subspan(size_, step), path_) < step) return Status::Cut;
    size_ += step;
  }
  next_ = offset_ + total;
  return Status::Section;
}

SectionScanner::Status SectionScanner::pass_over() {
  next_ = offset_ + kSectionHeaderBytes + header_.stored_size;
  if (next_ > file_size(descriptor_, path_)) return Status::Cut;
  seek_to(descriptor_, next_, path_);
  return Status::Section;
}

}  // namespace warpscope
