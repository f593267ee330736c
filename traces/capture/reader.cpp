#include "traces/capture/reader.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>

#include "traces/base/error.h"
#include "traces/base/json_fields.h"
#include "traces/base/object_pool.h"
#include "traces/capture/capture_format.h"
#include "traces/capture/capture_index.h"
#include "traces/capture/group_parts.h"
#include "traces/files/file_io.h"
#include "traces/program/group_selection.h"

namespace warpscope {
namespace {

constexpr const char* kMakeAgain = "trace-kernel writes captures";

struct ReadContext {
  SectionDecoder decoder;
  std::vector<std::uint8_t> section;
};

/// What a section has to be.
struct SectionKind {
  std::uint32_t tag = 0;
  std::uint32_t or_tag = tag;
};
constexpr SectionKind kGroupKind = {kChunkTag, kSplitTag};

/// What only launches with work-groups in parts have.
struct LaunchParts {
  GroupParts parts;
  std::vector<std::uint32_t> stored_sizes;  ///< of the work-groups, with their parts
};

struct LaunchChunks {
  std::vector<WorkGroupId> groups;     ///< ascending
  std::vector<std::uint64_t> offsets;  ///< where their sections begin
  std::vector<std::uint32_t> stored_sizes;
  std::unique_ptr<LaunchParts> split;                        ///< mostly none: there may be a million launches
  std::shared_ptr<const std::vector<bool>> carries_address;  ///< per site; launches of a kernel share it
};

}  // namespace

struct CaptureReader::State {
  State(const std::string& given, bool allow_partial);
  [[nodiscard]] bool lacks_work_groups() const;
  void open(const std::string& given);
  void read_start();
  [[nodiscard]] bool has_footer() const;
  void read_whole();
  void read_behind_chunks(std::uint64_t offset, std::uint64_t end);
  void add_part(const SectionHeader& header, std::uint64_t offset);
  [[nodiscard]] std::shared_ptr<const MappedSpool> unpack(const LaunchChunks& entry, WorkGroupId group,
                                                          std::span<const std::uint8_t> list) const;
  void read_partial(bool allow_partial);
  void take_scanned(const SectionHeader& header, std::span<const std::uint8_t> payload, std::uint64_t offset);
  void sort_scanned();
  [[noreturn]] void refuse_cut(std::uint64_t end, const std::string& why) const;
  void add_file_header(const SectionHeader& header, std::span<const std::uint8_t> payload);
  void add_buffer(std::span<const std::uint8_t> payload, const std::string& where);
  void add_launch(std::span<const std::uint8_t> payload, const std::string& where);
  void check_buffer(BufferId id) const;
  [[nodiscard]] SectionHeader header_at(std::uint64_t offset) const;
  [[nodiscard]] std::span<const std::uint8_t> payload_at(std::uint64_t offset, std::uint64_t size,
                                                         const SectionKind& kind, ReadContext& context) const;
  [[nodiscard]] std::string at(std::uint64_t offset) const {
    return fmt::format("{}: byte {}", path, offset);
  }
  [[nodiscard]] std::size_t position_of(LaunchId launch) const;
  template <class Decode>
  auto read_group(LaunchId launch, WorkGroupId group, Decode decode) const;

  std::string path;
  Descriptor file;
  std::uint64_t size = 0;
  bool partial = false;
  std::uint64_t identity = 0;
  std::vector<std::uint64_t> buffer_checksums,
      launch_checksums;  ///< only while a file without an index is scanned
  std::string hash;
  nlohmann::json header;
  nlohmann::json notes;
  SharedList<BufferInfo> buffers;
  LaunchList launches;
  std::vector<LaunchChunks> chunks;  ///< indexed like launches
  std::optional<LaunchInterner> interner = std::optional<LaunchInterner>(std::in_place);  ///< while reading
  std::map<const void*, std::shared_ptr<const std::vector<bool>>> carries_of_kernel;      ///< while reading
  std::vector<std::vector<std::uint64_t>> scanned_checksums;  ///< by launch, of a file without an index
  mutable ObjectPool<ReadContext> contexts;
};

CaptureReader::State::State(const std::string& given, bool allow_partial) {
  open(given);
  read_start();
  if (has_footer()) {
    read_whole();
  } else {
    read_partial(allow_partial);
  }
  interner.reset();
  carries_of_kernel.clear();
  for (LaunchChunks& entry : chunks)
    if (entry.split)
      entry.split->stored_sizes = entry.split->parts.with_parts(entry.groups, entry.stored_sizes);
  scanned_checksums = {};
  hash = fmt::format("{:016x}", identity);
  partial = partial || lacks_work_groups();
}

// True when a launch did not run to its end: fewer work-groups than its sampling selects.
bool CaptureReader::State::lacks_work_groups() const {
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const auto selection = GroupSelection::parse(launches[i].sampling);
    if (chunks[i].groups.size() < selection.count(launches[i].id, launches[i].groups().count())) return true;
  }
  return false;
}

void CaptureReader::State::open(const std::string& given) {
  path = given == "-" ? "standard input" : given;
  file = open_input(given);
  if (given == "-" || is_special_file(given)) {
    Descriptor spool = open_spool();
    std::vector<std::uint8_t> start(kMagicBytes);
    start.resize(read_some(file.get(), start, path));
    write_all(spool.get(), start, "temporary file");
    // What is no capture, such as /dev/zero, may never end.
    if (looks_like_capture(start)) copy_all(file.get(), path, spool.get(), "temporary file");
    file = std::move(spool);
  }
  size = file_size(file.get(), path);
}

void CaptureReader::State::read_start() {
  std::vector<std::uint8_t> magic(kMagicBytes);
  magic.resize(read_some_at(file.get(), 0, magic, path));
  if (magic.empty()) throw InputError(fmt::format("{}: is empty, expected a capture; {}", path, kMakeAgain));
  if (text_of(magic) == kCaptureMagic) return;
  if (kCaptureMagic.starts_with(text_of(magic))) refuse_cut(magic.size(), "its first bytes");
  throw InputError(
      fmt::format("{}: is not a capture, expected it to start with {}; {}", path, kCaptureMagic, kMakeAgain));
}

bool CaptureReader::State::has_footer() const {
  if (size < kMagicBytes + kSectionHeaderBytes + kCaptureFooterBytes) return false;
  std::vector<std::uint8_t> magic(kCaptureEndMagic.size());
  read_some_at(file.get(), size - magic.size(), magic, path);
  return text_of(magic) == kCaptureEndMagic;
}

SectionHeader CaptureReader::State::header_at(std::uint64_t offset) const {
  std::array<std::uint8_t, kSectionHeaderBytes> bytes{};
  if (offset > size || read_some_at(file.get(), offset, bytes, path) != bytes.size()) {
    throw InputError(at(offset) + ": is outside the file, expected a section; capture it again");
  }
  return parse_section_header(bytes);
}

// Payload of the section of `section_size` bytes at `offset`, valid as long as the context is not used again.
std::span<const std::uint8_t> CaptureReader::State::payload_at(std::uint64_t offset,
                                                               std::uint64_t section_size,
                                                               const SectionKind& kind,
                                                               ReadContext& context) const {
  if (offset > size || section_size > size - offset) {
    throw InputError(at(offset) + ": section goes beyond the end of the file; capture it again");
  }
  context.section.resize(section_size);
  if (read_some_at(file.get(), offset, context.section, path) != section_size) {
    throw InputError(path + ": became shorter while it was read");
  }
  const auto payload = context.decoder.decode(context.section, at(offset));
  const auto found =
      parse_section_header(std::span<const std::uint8_t>(context.section).first<kSectionHeaderBytes>());
  if (found.tag != kind.tag && found.tag != kind.or_tag)
    throw InputError(at(offset) + ": section is of another kind than the index says; capture it again");
  return payload;
}

void CaptureReader::State::read_whole() {
  ReadContext context;
  std::array<std::uint8_t, 8> footer{};
  read_some_at(file.get(), size - kCaptureFooterBytes, footer, path);
  const auto index_offset = load_le<std::uint64_t>(footer.data());
  const auto section = [&](std::uint64_t offset, std::uint32_t tag) {
    return payload_at(offset, kSectionHeaderBytes + header_at(offset).stored_size, {tag}, context);
  };
  add_file_header(header_at(kMagicBytes), section(kMagicBytes, kFileTag));
  CaptureIndex index;
  const SectionHeader index_header = header_at(index_offset);
  // An entry of the index is shorter than the section that it names.
  if (index_header.raw_size > size)
    throw InputError(at(index_offset) + ": the index is larger than the file; capture it again");
  try {
    index = parse_index(section(index_offset, kIndexTag));
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: index: {}", path, error.what()));
  }
  if (index_offset + kSectionHeaderBytes + index_header.stored_size + kCaptureFooterBytes != size) {
    throw InputError(at(index_offset) + ": the index is not at the end; capture it again");
  }
  identity = index_header.number;
  for (const std::uint64_t offset : index.buffers) add_buffer(section(offset, kBufferTag), at(offset));
  std::uint64_t end_of_sections = kMagicBytes;
  for (CaptureIndex::Launch& launch : index.launches) {
    add_launch(section(launch.offset, kLaunchTag), at(launch.offset));
    std::uint64_t offset = launch.offset + kSectionHeaderBytes + header_at(launch.offset).stored_size;
    LaunchChunks& entry = chunks.back();
    entry.groups = std::move(launch.groups);
    entry.stored_sizes = std::move(launch.stored_sizes);
    entry.offsets.reserve(entry.stored_sizes.size());
    for (const std::uint32_t stored_size : entry.stored_sizes) {
      entry.offsets.push_back(offset);
      offset += stored_size + kSectionHeaderBytes;
    }
    if (offset > size)
      throw InputError(at(offset) + ": is outside the file, expected a work-group; capture it again");
    end_of_sections = offset;
  }
  read_behind_chunks(end_of_sections, index_offset);
}

// Between the last launch and the index there may be sections of other kinds.
void CaptureReader::State::read_behind_chunks(std::uint64_t offset, std::uint64_t end) {
  ReadContext context;
  while (offset < end) {
    const SectionHeader found = header_at(offset);
    const std::uint64_t section_size = kSectionHeaderBytes + std::uint64_t{found.stored_size};
    if (found.tag == kNoteTag)
      notes = parse_json(text_of(payload_at(offset, section_size, {kNoteTag}, context)), at(offset));
    if (found.tag == kPartTag) add_part(found, offset);
    offset += section_size;
  }
}

/// Of a launch that is not in the file, it is nobody's.
void CaptureReader::State::add_part(const SectionHeader& found, std::uint64_t offset) {
  const std::size_t position = launches.position_of(found.launch);
  if (position == launches.size()) return;
  std::unique_ptr<LaunchParts>& split = chunks[position].split;
  if (!split) split = std::make_unique<LaunchParts>();
  split->parts.add(WorkGroupId(static_cast<std::uint32_t>(found.number)),
                   {found.checksum, offset, found.stored_size});
}

// Reads and checks every section from the start: the way into a file that has no index.
void CaptureReader::State::read_partial(bool allow_partial) {
  partial = true;
  ::lseek(file.get(), kMagicBytes, SEEK_SET);
  SectionScanner scanner(file.get(), path, kMagicBytes);
  SectionDecoder decoder;
  SectionScanner::Status status{};
  std::string place = "between two sections";
  while ((status = scanner.next()) == SectionScanner::Status::Section) {
    const auto payload = decoder.decode(scanner.section(), at(scanner.offset()));
    if (scanner.header().tag == kIndexTag) {
      place = "behind its index";
      break;
    }
    take_scanned(scanner.header(), payload, scanner.offset());
  }
  if (status == SectionScanner::Status::Cut) place = "inside a section";
  if (!allow_partial || header.is_null()) refuse_cut(size, place);
  sort_scanned();
}

void CaptureReader::State::take_scanned(const SectionHeader& found, std::span<const std::uint8_t> payload,
                                        std::uint64_t offset) {
  const std::string where = at(offset);
  if (header.is_null() != (found.tag == kFileTag)) {
    throw InputError(where + ": expected one FILE section, at the start; capture it again");
  }
  if (found.tag == kFileTag) return add_file_header(found, payload);
  if (found.tag == kBufferTag) {
    add_buffer(payload, where);
    buffer_checksums.push_back(found.checksum);
  }
  if (found.tag == kLaunchTag) {
    add_launch(payload, where);
    launch_checksums.push_back(found.checksum);
  }
  if (found.tag == kPartTag) return add_part(found, offset);
  if (found.tag != kChunkTag && found.tag != kSplitTag) return;
  const std::size_t position = position_of(found.launch);
  LaunchChunks& entry = chunks[position];
  entry.groups.emplace_back(static_cast<std::uint32_t>(found.number));
  entry.offsets.push_back(offset);
  entry.stored_sizes.push_back(found.stored_size);
  scanned_checksums.resize(chunks.size());
  scanned_checksums[position].push_back(found.checksum);
}

// Chunks are in order of completion; after this they are as if read from an index.
void CaptureReader::State::sort_scanned() {
  for (const std::uint64_t checksum : buffer_checksums) identity = chain_checksum(identity, checksum);
  for (const std::uint64_t checksum : launch_checksums) identity = chain_checksum(identity, checksum);
  scanned_checksums.resize(chunks.size());
  for (std::size_t launch = 0; launch < chunks.size(); ++launch) {
    LaunchChunks& entry = chunks[launch];
    std::vector<std::size_t> order(entry.groups.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return entry.groups[a] < entry.groups[b]; });
    LaunchChunks sorted;
    sorted.carries_address = std::move(entry.carries_address);
    sorted.split = std::move(entry.split);
    for (const std::size_t position : order) {
      if (!sorted.groups.empty() && sorted.groups.back() == entry.groups[position]) {
        throw InputError(fmt::format("{}: work-group {} is there twice; capture it again",
                                     at(entry.offsets[position]), entry.groups[position].value()));
      }
      sorted.groups.push_back(entry.groups[position]);
      sorted.offsets.push_back(entry.offsets[position]);
      sorted.stored_sizes.push_back(entry.stored_sizes[position]);
      identity = chain_checksum(identity, scanned_checksums[launch][position]);
    }
    entry = std::move(sorted);
  }
}

void CaptureReader::State::refuse_cut(std::uint64_t end, const std::string& why) const {
  std::uint64_t intact = 0;
  std::uint64_t expected = 0;
  for (const LaunchChunks& entry : chunks) intact += entry.groups.size();
  for (const LaunchInfo& launch : launches) expected += launch.groups().count();
  const std::string rest = intact == 0 ? "nothing in it is usable, capture it again"
                                       : "use --partial to work with them, or capture it again";
  throw InputError(fmt::format("{}: byte {}: is cut short {}, {} of {} work-groups are intact; {}", path, end,
                               why, intact, expected, rest));
}

void CaptureReader::State::add_file_header(const SectionHeader& found,
                                           std::span<const std::uint8_t> payload) {
  if (found.number > kCaptureVersion) {
    throw InputError(fmt::format("{}: has format version {}, expected at most {}; use a newer Warpscope",
                                 path, found.number, kCaptureVersion));
  }
  header = parse_json(text_of(payload), path);
  if (JsonFields(header, path).number("version") != found.number) {
    throw InputError(path + ": states two different format versions; capture it again");
  }
}

void CaptureReader::State::add_buffer(std::span<const std::uint8_t> payload, const std::string& where) {
  try {
    buffers.push_back(buffer_info_from_json(parse_json(text_of(payload), "buffer")));
  } catch (const InputError& error) {
    throw InputError(where + ": " + error.what());
  }
  if (buffers.back().id.value() != buffers.size()) {
    throw InputError(fmt::format("{}: buffer {} is in place {}, expected ascending ids from 1", where,
                                 buffers.back().id.value(), buffers.size()));
  }
}

void CaptureReader::State::add_launch(std::span<const std::uint8_t> payload, const std::string& where) {
  try {
    LaunchInfo launch = launch_info_from_json(parse_json(text_of(payload), "launch"), launches, &*interner);
    for (const ArgumentValue& argument : launch.arguments) check_buffer(argument.buffer);
    for (const BufferId object : launch.objects) check_buffer(object);
    if (!launches.empty() && launches.back().id >= launch.id)
      throw InputError("launches are not in ascending order");
    launches.push_back(std::move(launch));
  } catch (const InputError& error) {
    throw InputError(where + ": " + error.what());
  }
  auto& carries = carries_of_kernel[launches.back().kernel.identity()];
  if (!carries) {
    std::vector<bool> sites;
    for (const SiteInfo& site : launches.back().kernel->sites) sites.push_back(has_address(site.kind));
    carries = std::make_shared<const std::vector<bool>>(std::move(sites));
  }
  chunks.emplace_back().carries_address = carries;
}

void CaptureReader::State::check_buffer(BufferId id) const {
  if (id.value() > buffers.size()) {
    throw InputError(
        fmt::format("launch uses buffer {}, expected one of the {} before it", id.value(), buffers.size()));
  }
}

std::size_t CaptureReader::State::position_of(LaunchId launch) const {
  const std::size_t position = launches.position_of(launch);
  if (position == launches.size()) {
    throw InputError(fmt::format("{}: has no launch {}, expected one of its {} launches", path,
                                 launch.value(), launches.size()));
  }
  return position;
}

CaptureReader::CaptureReader(const std::string& path, bool partial)
    : state_(std::make_unique<State>(path, partial)) {}

CaptureReader::~CaptureReader() = default;

const LaunchList& CaptureReader::launches() const {
  return state_->launches;
}
const SharedList<BufferInfo>& CaptureReader::buffers() const {
  return state_->buffers;
}
bool CaptureReader::is_partial() const {
  return state_->partial;
}
const std::string& CaptureReader::hash() const {
  return state_->hash;
}
const nlohmann::json& CaptureReader::file_header() const {
  return state_->header;
}
const nlohmann::json& CaptureReader::notes() const {
  return state_->notes;
}

const std::vector<WorkGroupId>& CaptureReader::groups(LaunchId launch) const {
  return state_->chunks[state_->position_of(launch)].groups;
}

const std::vector<std::uint32_t>& CaptureReader::stored_bytes(LaunchId launch) const {
  const LaunchChunks& entry = state_->chunks[state_->position_of(launch)];
  return entry.split ? entry.split->stored_sizes : entry.stored_sizes;
}

std::shared_ptr<const MappedSpool> CaptureReader::State::unpack(const LaunchChunks& entry, WorkGroupId group,
                                                                std::span<const std::uint8_t> list) const {
  auto context = contexts.acquire();
  static const GroupParts none;  // of a section that names parts where there are none
  return (entry.split ? entry.split->parts : none).unpack(group, list, [&](const GroupParts::Place& part) {
    return payload_at(part.offset, kSectionHeaderBytes + part.stored_size, {kPartTag}, *context);
  });
}

/// What `decode` makes of the payload of a work-group, of which sites carry an address, and of where the payload is if
/// it is not in memory.
template <class Decode>
auto CaptureReader::State::read_group(LaunchId launch, WorkGroupId group, Decode decode) const {
  const std::size_t position = position_of(launch);
  const LaunchChunks& entry = chunks[position];
  const auto found = std::lower_bound(entry.groups.begin(), entry.groups.end(), group);
  if (found == entry.groups.end() || *found != group) {
    throw InputError(
        fmt::format("{}: does not hold work-group {} of launch {}", path, group.value(), launch.value()));
  }
  const auto index = static_cast<std::size_t>(found - entry.groups.begin());
  const std::uint64_t offset = entry.offsets[index];
  auto context = contexts.acquire();
  const auto payload =
      payload_at(offset, kSectionHeaderBytes + entry.stored_sizes[index], kGroupKind, *context);
  const auto section =
      parse_section_header(std::span<const std::uint8_t>(context->section).first<kSectionHeaderBytes>());
  const auto place = [&] {
    return fmt::format("{}: work-group {} of launch {}", at(offset), group.value(), launch.value());
  };
  if (section.launch != launch || section.number != group.value()) {
    throw InputError(place() + ": another one is in its place; capture it again");
  }
  try {
    std::shared_ptr<const MappedSpool> pages;
    if (section.tag == kSplitTag) pages = unpack(entry, group, payload);
    auto read = decode(pages ? pages->bytes() : payload, *entry.carries_address, pages);
    if (read.work_items != launches[position].local.count()) {
      throw InputError(fmt::format("has {} work-items, expected the local size {}", read.work_items,
                                   launches[position].local.count()));
    }
    return read;
  } catch (const InputError& error) {
    throw InputError(place() + ": " + error.what());
  }
}

WorkGroupTrace CaptureReader::read(LaunchId launch, WorkGroupId group) const {
  return state_->read_group(launch, group,
                            [&](auto payload, const std::vector<bool>& carries_address, const auto& pages) {
                              return decode(payload, launch, group, carries_address, pages);
                            });
}

SharedGroup CaptureReader::read(LaunchId launch, WorkGroupId group, FormMemory& memory) const {
  return state_->read_group(launch, group,
                            [&](auto payload, const std::vector<bool>& carries_address, const auto& pages) {
                              if (pages != nullptr)
                                return SharedGroup(decode(payload, launch, group, carries_address, pages));
                              return decode(payload, launch, group, carries_address, memory);
                            });
}

bool looks_like_capture(std::span<const std::uint8_t> first_bytes) {
  return first_bytes.size() >= kMagicBytes && text_of(first_bytes.first(kMagicBytes)) == kCaptureMagic;
}

}  // namespace warpscope
