#pragma once
// The ordered stream of warp accesses (warpsched's output): binary (FORMAT.md, "Stream file") and text
// (Crawford 2014, listing 5.3).
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "traces/program/capture.h"
#include "traces/program/layout.h"
#include "traces/stream/warp_access.h"

namespace warpscope {

/// What a stream says about itself, once.
struct StreamHeader {
  std::uint32_t warp_size = 32;
  std::uint32_t cores = 1;
  bool carries_core = true;       ///< false for text streams
  std::uint64_t work_groups = 0;  ///< over all launches
  nlohmann::json context;  ///< policy, seeds, preset, capture hash, "partial": …; goes into every result
  SharedList<BufferInfo> buffers;
  LayoutOptions layout;
  LaunchList launches;  ///< site tables; empty for text streams (sites are numbered as seen)
};

/// Receives a schedule in order. Implemented by stream writers and by the cache simulator.
class WarpAccessSink {
 public:
  virtual ~WarpAccessSink() = default;
  virtual void begin(const StreamHeader& header) = 0;  ///< called once, first
  virtual void begin_launch(LaunchId launch) = 0;      ///< called before the launch's accesses
  virtual void access(const WarpAccess& access) = 0;
  virtual void end() = 0;  ///< called once, last
};

/// Binary writer. `path` "-" = standard output. Writes NAME.part and renames in end(). Throws InputError on
/// I/O failure.
std::unique_ptr<WarpAccessSink> make_binary_stream_writer(const std::string& path);
/// Text writer, listing 5.3: "warp_size groups", then "0xADDRESS R|W group warp site" for every lane of every
/// access to global memory; atomics are written as R then W. Later launches continue the numbering of the
/// groups, and other kernels that of the sites.
std::unique_ptr<WarpAccessSink> make_text_stream_writer(const std::string& path);

/// Reads either kind (found out from its content) and feeds `sink`. `path` "-" = standard input. For text,
/// the lanes of one warp access are the consecutive lines with equal group, warp, site and kind, at most
/// warp_size of them (Crawford 2014, 6.5), and they are lanes 0, 1, …; the location of an access is its
/// address (below 2^62); a site is its number (below 2^16), also when written as a name (M1 = 1). Throws
/// InputError with "file:line:" or "file: byte N:" on anything malformed. With `partial`, a binary stream cut
/// short is fed up to its last complete block, and context["partial"] is true.
void read_stream(const std::string& path, WarpAccessSink& sink, bool partial = false);

enum class FileKind { Capture, BinaryStream, TextStream, TransactionStream, CrawfordTrace, Empty, Unknown };
/// What a file is, from its first bytes. `path` "-" looks at standard input without taking anything from it.
FileKind detect_file_kind(const std::string& path);

}  // namespace warpscope
