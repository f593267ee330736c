#pragma once
// The two readers behind read_stream().
#include <span>
#include <string>

#include "traces/files/file_io.h"
#include "traces/stream/stream.h"

namespace warpscope {

/// `file` is positioned after the magic.
void read_binary_stream(Descriptor file, const std::string& path, WarpAccessSink& sink, bool partial);
/// `start`: bytes already taken from `file`.
void read_text_stream(const Descriptor& file, const std::string& path, std::span<const std::uint8_t> start,
                      WarpAccessSink& sink);

}  // namespace warpscope
