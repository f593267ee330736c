#include "tests/fuzzers/section_mutation.h"

#include <algorithm>
#include <random>

#include "tests/fuzzers/json_mutation.h"
#include "tests/fuzzers/section_file.h"
#include "traces/base/varint.h"
#include "traces/files/section.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace warpscope::fuzzing {
namespace {

constexpr std::size_t kGrowth = 256;  ///< bytes by which one mutation may lengthen a payload

void mutate_bytes(std::vector<std::uint8_t>& bytes) {
  const std::size_t size = bytes.size();
  bytes.resize(size + kGrowth);
  bytes.resize(LLVMFuzzerMutate(bytes.data(), size, bytes.size()));
}

/// Chunks and blocks begin with, and mostly consist of, varints.
void mutate_varint(std::vector<std::uint8_t>& bytes, std::minstd_rand& random) {
  if (bytes.empty()) return;
  std::size_t start = random() % bytes.size();
  while (start > 0 && (bytes[start - 1] & 0x80) != 0) --start;
  std::size_t stop = start;
  while (stop + 1 < bytes.size() && (bytes[stop] & 0x80) != 0) ++stop;
  std::vector<std::uint8_t> value;
  const unsigned shift = random() % 64;
  put_varint(value, (std::uint64_t{1} << shift) + random() % 3 - 1);
  bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(start),
              bytes.begin() + static_cast<std::ptrdiff_t>(std::min(stop + 1, bytes.size())));
  bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(start), value.begin(), value.end());
}

void mutate_payload(FileSection& section, std::minstd_rand& random) {
  std::string text(section.payload.begin(), section.payload.end());
  const auto kind = random() % 4;
  if (kind < 2 && mutate_json(text, random)) {
    section.payload.assign(text.begin(), text.end());
  } else if (kind == 2) {
    mutate_varint(section.payload, random);
  } else {
    mutate_bytes(section.payload);
  }
}

void mutate_header(FileSection& section, std::minstd_rand& random) {
  const std::uint64_t step = random() % 5;
  switch (random() % 4) {
    case 0:
      section.launch = static_cast<std::uint32_t>(step);
      break;
    case 1:
      section.number += step - 2;
      break;
    case 2:
      section.number = std::uint64_t{1} << (random() % 64);
      break;
    default:
      section.launch = static_cast<std::uint32_t>(~step);
      break;
  }
}

void mutate_order(std::vector<FileSection>& sections, std::minstd_rand& random) {
  const auto at = static_cast<std::ptrdiff_t>(random() % sections.size());
  const auto other = random() % sections.size();
  switch (random() % 3) {
    case 0:
      sections.erase(sections.begin() + at);
      break;
    case 1:
      sections.insert(sections.begin() + at, FileSection(sections[other]));
      break;
    default:
      std::swap(sections[static_cast<std::size_t>(at)], sections[other]);
      break;
  }
}

/// Sizes in a section's header, the index and the footer are wrong, the checksums right.
void mutate_frame(std::vector<std::uint8_t>& file, std::minstd_rand& random) {
  const std::vector<std::size_t> offsets = section_offsets(file);
  if (offsets.empty()) return;
  const std::size_t offset = offsets[random() % offsets.size()];
  const std::size_t end = offset + 32 + load_le<std::uint32_t>(file.data() + offset + 4);
  const bool in_header = random() % 2 == 0;
  const std::size_t at = in_header ? offset + random() % 24 : offset + random() % (end - offset);
  file[at] = static_cast<std::uint8_t>(random() % 3 == 0 ? random() : file[at] ^ (1u << (random() % 8)));
  refresh_checksum(file, offset);
}

}  // namespace

std::vector<std::uint8_t> mutated_sections(Bytes seed, std::minstd_rand& random) {
  std::vector<std::uint8_t> bytes(seed.begin(), seed.end());
  auto file = SectionFile::unpack(seed);
  const auto kind = random() % 20;
  if (!file || file->sections.empty() || kind == 0) {
    mutate_bytes(bytes);
    return bytes;
  }
  if (kind < 3) {
    mutate_frame(bytes, random);
    return bytes;
  }
  if (kind == 3) file->has_index = !file->has_index;
  if (kind == 4 || kind == 5) {
    mutate_order(file->sections, random);
  } else if (kind == 6 || kind == 7) {
    mutate_header(file->sections[random() % file->sections.size()], random);
  } else {
    mutate_payload(file->sections[random() % file->sections.size()], random);
  }
  return file->pack();
}

}  // namespace warpscope::fuzzing
