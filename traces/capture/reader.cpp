#include "traces/capture/reader.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "traces/base/error.h"
#include "traces/base/json_fields.h"
#include "traces/capture/capture_index.h"
#include "traces/capture/reader_state.h"
#include "traces/capture/runs/run_table.h"
#include "traces/program/group_selection.h"

namespace warpscope {
namespace {

constexpr const char* kMakeAgain = "trace-kernel writes captures";

}  // namespace

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
      entry.split->stored_sizes = entry.split->parts.with_parts(entry.records, entry.stored_sizes);
  scanned_checksums = {};
  hash = fmt::format("{:016x}", identity);
  partial = partial || lacks_work_groups();
}

// True when a launch did not run to its end: fewer work-groups than its sampling selects.
bool CaptureReader::State::lacks_work_groups() const {
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const auto selection = GroupSelection::parse(launches[i].sampling);
    if (chunks[i].groups().size() < selection.count(launches[i].id, launches[i].groups().count()))
      return true;
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
    entry.records = std::move(launch.groups);
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
    if (found.tag == kCodeTag || found.tag == kTotalsTag) machine_code.add(found, offset);
    if (found.tag == kPartTag) add_part(found, offset);
    if (found.tag == kRunsTag) add_runs(found, offset, payload_at(offset, section_size, {kRunsTag}, context));
    offset += section_size;
  }
  for (LaunchChunks& entry : chunks) {
    if (!entry.repeats) continue;
    try {
      entry.repeats->groups = entry.repeats->runs.with(entry.records);
    } catch (const InputError& error) {
      throw InputError(at(entry.repeats->runs.sections().front().offset) + ": runs: " + error.what());
    }
  }
}

/// Of a launch that is not in the file, they are nobody's.
void CaptureReader::State::add_runs(const SectionHeader& found, std::uint64_t offset,
                                    std::span<const std::uint8_t> payload) {
  const std::size_t position = launches.position_of(found.launch);
  if (position == launches.size()) return;
  std::unique_ptr<LaunchRepeats>& repeats = chunks[position].repeats;
  if (!repeats) repeats = std::make_unique<LaunchRepeats>();
  try {
    repeats->runs.add(offset, found.stored_size, decode_runs(payload), launches[position].groups().count());
  } catch (const InputError& error) {
    throw InputError(at(offset) + ": runs: " + error.what());
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
StoredCode::Source CaptureReader::State::source_of_code() const {
  return {path, [this](Extent place, std::uint32_t tag) {
            ReadContext context;
            return std::string(text_of(payload_at(place.offset, place.size, {tag}, context)));
          }};
}

std::optional<MachineCode> CaptureReader::machine_code(LaunchId launch) const {
  return state_->machine_code.code(launch, state_->source_of_code());
}

std::vector<InstructionTotals> CaptureReader::totals(LaunchId launch) const {
  return state_->machine_code.totals(launch, state_->source_of_code());
}

const nlohmann::json& CaptureReader::notes() const {
  return state_->notes;
}

const std::vector<WorkGroupId>& CaptureReader::groups(LaunchId launch) const {
  return state_->chunks[state_->position_of(launch)].groups();
}

const std::vector<std::uint32_t>& CaptureReader::stored_bytes(LaunchId launch) const {
  const LaunchChunks& entry = state_->chunks[state_->position_of(launch)];
  if (!entry.repeats) return entry.record_sizes();
  const std::lock_guard lock(entry.repeats->mutex);
  if (entry.repeats->stored_sizes.empty()) entry.repeats->stored_sizes = state_->sizes_of(launch, entry);
  return entry.repeats->stored_sizes;
}

/// A work-group in a run counts as the one that it repeats.
std::vector<std::uint32_t> CaptureReader::State::sizes_of(LaunchId launch, const LaunchChunks& entry) const {
  std::vector<std::uint32_t> sizes;
  sizes.reserve(entry.groups().size());
  for (const WorkGroupId group : entry.groups()) {
    std::size_t record = entry.record_of(group);
    if (record == entry.records.size())
      record =
          entry.record_of(load_runs(launch, entry, *entry.repeats->runs.section_of(group))->record_of(group));
    sizes.push_back(entry.record_sizes()[record]);
  }
  return sizes;
}

std::shared_ptr<const MappedSpool> CaptureReader::State::unpack(const LaunchChunks& entry, WorkGroupId group,
                                                                std::span<const std::uint8_t> list) const {
  auto context = contexts.acquire();
  static const GroupParts none;  // of a section that names parts where there are none
  return (entry.split ? entry.split->parts : none).unpack(group, list, [&](const GroupParts::Place& part) {
    return payload_at(part.offset, kSectionHeaderBytes + part.stored_size, {kPartTag}, *context);
  });
}

/// The payload of the work-group whose section is `index`, or the list of its parts.
std::span<const std::uint8_t> CaptureReader::State::record_of(LaunchId launch, const LaunchChunks& entry,
                                                              std::size_t index, ReadContext& context) const {
  const std::uint64_t offset = entry.offsets[index];
  const auto payload =
      payload_at(offset, kSectionHeaderBytes + entry.stored_sizes[index], kGroupKind, context);
  const auto section =
      parse_section_header(std::span<const std::uint8_t>(context.section).first<kSectionHeaderBytes>());
  const WorkGroupId group = entry.records[index];
  if (section.launch != launch || section.number != group.value())
    throw InputError(place_of(offset, launch, group) + ": another one is in its place; capture it again");
  return payload;
}

/// A section of runs, with the work-groups that they repeat.
std::shared_ptr<const LoadedRuns> CaptureReader::State::load_runs(LaunchId launch, const LaunchChunks& entry,
                                                                  const LaunchRuns::Section& section) const {
  return run_cache.get(section.offset, [&] {
    auto context = contexts.acquire();
    auto loaded = std::make_shared<LoadedRuns>();
    loaded->table = decode_runs(
        payload_at(section.offset, kSectionHeaderBytes + section.stored_size, {kRunsTag}, *context));
    for (const RunTable::Form& form : loaded->table.forms) {
      const std::size_t index = entry.record_of(form.record);
      try {
        if (index == entry.records.size()) throw InputError("is not in the file; capture it again");
        const auto payload = record_of(launch, entry, index, *context);
        loaded->forms.push_back(GroupForm::of({payload.begin(), payload.end()}, *entry.carries_address));
        if (loaded->forms.back().places.size() != form.numbers)
          throw InputError("has another count of numbers; capture it again");
      } catch (const InputError& error) {
        throw InputError(fmt::format("{}: runs: work-group {} of launch {}, which is repeated, {}",
                                     at(section.offset), form.record.value(), launch.value(), error.what()));
      }
    }
    return loaded;
  });
}

/// What `decode` makes of the payload of a work-group, of which sites carry an address, and of where the payload is if
/// it is not in memory.
template <class Decode>
auto CaptureReader::State::read_group(LaunchId launch, WorkGroupId group, Decode decode) const {
  const std::size_t position = position_of(launch);
  const LaunchChunks& entry = chunks[position];
  const std::size_t index = entry.record_of(group);
  const bool is_record = index != entry.records.size();
  const LaunchRuns::Section* const in_runs =
      is_record || !entry.repeats ? nullptr : entry.repeats->runs.section_of(group);
  if (!is_record && in_runs == nullptr)
    throw InputError(
        fmt::format("{}: does not hold work-group {} of launch {}", path, group.value(), launch.value()));
  auto context = contexts.acquire();
  std::span<const std::uint8_t> payload;
  std::shared_ptr<const MappedSpool> pages;
  if (is_record) payload = record_of(launch, entry, index, *context);
  const auto runs = is_record ? nullptr : load_runs(launch, entry, *in_runs);
  try {
    if (is_record && load_le<std::uint32_t>(context->section.data()) == kSplitTag) {
      pages = unpack(entry, group, payload);
      payload = pages->bytes();
    } else if (!is_record) {
      runs->put(group, context->repeated);
      payload = context->repeated;
    }
    auto read = decode(payload, *entry.carries_address, pages);
    if (read.work_items != launches[position].local.count()) {
      throw InputError(fmt::format("has {} work-items, expected the local size {}", read.work_items,
                                   launches[position].local.count()));
    }
    return read;
  } catch (const InputError& error) {
    const std::uint64_t offset = is_record ? entry.offsets[index] : in_runs->offset;
    throw InputError(place_of(offset, launch, group) + ": " + error.what());
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
