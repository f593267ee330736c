#include "machine/execute/source_line.h"

#include <filesystem>

namespace warpscope::machine {
namespace {

/// A header of the toolkit, where nvcc has it: /usr/local/cuda/bin/../targets/x86_64-linux/include/….
bool is_of_toolkit(const std::string& path) {
  const auto targets = path.find("/targets/");
  return path.starts_with("/usr/include/") || path.starts_with("/usr/lib/") ||
         (targets != std::string::npos && path.find("/include/", targets) != std::string::npos);
}

/// The row itself; of __ldg and the like, which are functions in headers of the toolkit, the one of the call.
const LineRow* own_row(const LineRow* row, const LineSequence& lines, const std::vector<std::string>& files) {
  const LineRow* own = row;
  for (std::size_t depth = 0; depth < lines.contexts.size(); ++depth) {
    if (!is_of_toolkit(files[own->file])) return own;
    if (own->inlined_at == 0 || own->inlined_at > lines.contexts.size()) return row;
    own = &lines.contexts[own->inlined_at - 1];
  }
  return row;
}

}  // namespace

SourceLine source_line(const Code& code, std::uint32_t place) {
  const std::uint64_t at = std::uint64_t{place} * kInstructionBytes;
  const LineRow* row = nullptr;
  for (const CodeSection& section : code.image().sections()) {
    if (at - section.base >= section.bytes) continue;
    const LineSequence* lines = code.cubin().lines().of_section(section.section);
    if (lines == nullptr) continue;
    row = row_at(*lines, at - section.base);
    if (row != nullptr) row = own_row(row, *lines, code.cubin().lines().files);
  }
  if (row == nullptr || row->line == 0) return {};
  const std::string& path = code.cubin().lines().files[row->file];
  return {std::filesystem::path(path).filename().string(), row->line};
}

}  // namespace warpscope::machine
