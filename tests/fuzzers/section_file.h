#pragma once
// Captures, streams and transaction streams taken apart and put together again, so that a mutation reaches
// the decoders behind checksums, offsets and compression. Seeds and findings stay files that every tool
// reads.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/fuzzers/fuzzer.h"

namespace warpscope::fuzzing {

struct FileSection {
  std::uint32_t tag = 0;
  std::uint32_t launch = 0;
  std::uint64_t number = 0;
  std::vector<std::uint8_t> payload;  ///< decompressed
};

struct SectionFile {
  std::string magic;  ///< 8 bytes
  std::vector<FileSection> sections;
  bool has_index = false;  ///< a capture's index and footer: pack() makes them again

  /// Nothing if the bytes are no file of sections. Reads up to the first damaged section; payloads of more
  /// than 4 MiB count as damage.
  static std::optional<SectionFile> unpack(Bytes bytes);
  /// A file in which every checksum, size and offset is right.
  [[nodiscard]] std::vector<std::uint8_t> pack() const;
};

/// Computes the checksum of the section at `offset` again, if it lies in `file` as a whole.
void refresh_checksum(std::vector<std::uint8_t>& file, std::size_t offset);
/// Where the sections of a file begin, as their sizes say.
std::vector<std::size_t> section_offsets(Bytes file);

}  // namespace warpscope::fuzzing
