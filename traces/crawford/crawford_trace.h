#pragma once
// The scheduler input of Crawford 2014 (listing 5.1; fields: sections 4.3 and 4.4).
#include <array>
#include <cstdint>
#include <string>

#include "traces/capture/reader.h"
#include "traces/program/layout.h"

namespace warpscope {

/// One line. Lines of one work-item are in program order; nothing else in the order of lines means anything.
struct CrawfordTraceRecord {
  enum class Kind : std::uint8_t { Read, Write, LocalBarrier, GlobalBarrier, End };
  struct Loop {
    std::uint32_t label = 0;      ///< 0 .. 15; an outer loop has a smaller label than the loops in it
    std::uint32_t iteration = 0;  ///< 1 .. 65535
  };

  Kind kind = Kind::Read;
  ByteAddr address;    ///< address below 2^32; set for reads and writes only
  SiteId site;         ///< the number in the instruction's name: M1 = 1
  Dim3 item{0, 0, 0};  ///< global id, each below 2^20
  std::uint32_t loop_count = 0;
  std::array<Loop, 3> loops{};  ///< outermost first
  std::uint64_t line = 0;       ///< of the file, from 1; set by the reader
};

class CrawfordTraceSink {
 public:
  virtual ~CrawfordTraceSink() = default;
  virtual void begin(Dim3 local_size) = 0;  ///< called once, first
  virtual void record(const CrawfordTraceRecord& record) = 0;
};

/// Feeds every line of the file to `sink`. `path` "-" = standard input. Throws InputError "FILE:LINE: …".
void read_crawford_trace(const std::string& path, CrawfordTraceSink& sink);

/// The text of a record, without the end of line. Throws InputError when a field does not fit its bits.
std::string crawford_trace_line(const CrawfordTraceRecord& record);

/// Writes one launch of a capture: global accesses (atomics as a read, then a write), barriers and fences of
/// every work-item, one after the other, then "--". Throws InputError when an address, id, loop or site does
/// not fit.
void write_crawford_trace(const CaptureReader& capture, LaunchId launch, const LayoutOptions& layout,
                          const std::string& path);

}  // namespace warpscope
