#pragma once
// Which sections a capture holds and where: kept while it is written, stored as INDX, read back when it is
// opened.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "traces/base/types.h"
#include "traces/files/extent_copier.h"

namespace warpscope {

struct StoredSection {
  Extent extent;
  std::uint64_t checksum = 0;
  bool is_fresh = false;  ///< not in the file yet, but made to finish it
};

/// The sections of a capture that is being written.
struct CaptureContents {
  struct Launch {
    LaunchId id;
    StoredSection section;
    std::size_t buffers_before = 0;  ///< number of BUFF sections that precede it in the finished file
    std::uint64_t groups = 0;        ///< work-groups of the launch
  };
  struct Chunk {
    LaunchId launch;
    WorkGroupId group;
    StoredSection section;
    bool is_split = false;  ///< the section says which parts are the payload's
  };

  /// Work-groups that repeat others of the launch.
  struct Runs {
    LaunchId launch;
    WorkGroupId lowest;
    StoredSection section;
    std::uint64_t groups = 0;  ///< how many there are
  };

  /// A piece of a work-group's payload.
  struct Part {
    LaunchId launch;
    std::uint64_t number = 0;  ///< part_number()
    StoredSection section;
  };

  /// The machine code of a launch, or how often it was executed.
  struct Code {
    LaunchId launch;
    bool is_totals = false;
    bool is_reference = false;  ///< to the code of another launch
    StoredSection section;
  };

  StoredSection file;
  std::vector<StoredSection> buffers;
  std::vector<Launch> launches;  ///< ascending ids
  std::vector<Chunk> chunks;
  std::vector<Runs> runs;
  std::vector<Part> parts;  ///< also those of work-groups that were not recorded to their end
  std::vector<Code> machine_code;

  /// Puts chunks, runs, parts and codes into the order of the finished file. InputError "PATH: …" when one is there twice.
  void sort(const std::string& path);
  /// The least format version of a file with these sections.
  [[nodiscard]] std::uint64_t version() const;
  /// True when the sections are in the file in the finished order already.
  [[nodiscard]] bool is_in_order() const;
  /// Payload of INDX for sections in the finished order.
  [[nodiscard]] std::vector<std::uint8_t> index() const;
  /// Chains the checksums of all BUFF, then all LNCH, then all CHNK, then all RUNS sections, each in the finished
  /// order.
  [[nodiscard]] std::uint64_t identity() const;

  /// Calls visit(section) for every section in the finished order.
  template <class Visit>
  void for_each_in_order(Visit visit) const {
    visit(file);
    std::size_t buffer = 0;
    std::size_t chunk = 0;
    for (const Launch& launch : launches) {
      while (buffer < launch.buffers_before) visit(buffers[buffer++]);
      visit(launch.section);
      while (chunk < chunks.size() && chunks[chunk].launch == launch.id) visit(chunks[chunk++].section);
    }
    while (buffer < buffers.size()) visit(buffers[buffer++]);
    for (const Runs& some : runs) visit(some.section);
    for (const Part& part : parts) visit(part.section);
    for (const Code& code : machine_code) visit(code.section);
  }
};

/// What INDX says. The chunks of a launch follow each other, after its LNCH section.
struct CaptureIndex {
  struct Launch {
    std::uint64_t offset = 0;  ///< offset of its LNCH section
    std::vector<WorkGroupId> groups;
    std::vector<std::uint32_t> stored_sizes;
  };
  std::vector<std::uint64_t> buffers;  ///< offsets of the BUFF sections
  std::vector<Launch> launches;
};

/// Throws InputError on damage; group numbers are below 2^32 and ascend.
CaptureIndex parse_index(std::span<const std::uint8_t> payload);

}  // namespace warpscope
