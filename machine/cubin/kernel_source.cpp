#include "machine/cubin/kernel_source.h"

#include <filesystem>

#include "machine/cubin/source_name.h"
#include "traces/base/error.h"
#include "traces/files/text_file.h"

namespace warpscope::machine {
namespace {

namespace fs = std::filesystem;

/// The row of a function itself into which a row's code was inlined, over all calls; the row itself if its code was not.
const LineRow& own_row(const LineSequence& sequence, const LineRow& row) {
  const LineRow* own = &row;
  for (std::size_t step = 0; own->inlined_at != 0 && own->inlined_at <= sequence.contexts.size(); ++step) {
    if (step == sequence.contexts.size()) break;  // a damaged table
    own = &sequence.contexts[own->inlined_at - 1];
  }
  return *own;
}

/// How much of the kernels' own code comes from each file, by LineTable::files: of `kernel`, if it is one of them.
std::vector<std::size_t> rows_of_files(const Cubin& cubin, const std::string& kernel) {
  std::vector<std::size_t> named(cubin.lines().files.size()), all = named;
  bool is_known = false;
  for (const Function& function : cubin.functions()) {
    const LineSequence* const sequence = cubin.lines().of_section(function.section);
    if (!function.is_kernel || sequence == nullptr) continue;
    const std::string name = source_name(function.name);
    const bool is_named =
        function.name == kernel || name.substr(0, name.find('<')) == kernel || name == kernel;
    is_known = is_known || is_named;
    for (const LineRow& row : sequence->rows) {
      const LineRow& own = own_row(*sequence, row);
      if (own.line == 0 || own.file >= all.size()) continue;
      ++all[own.file];
      if (is_named) ++named[own.file];
    }
  }
  return is_known ? named : all;
}

/// The file with most of it; headers only if there is nothing else.
std::string file_of_kernels(const Cubin& cubin, const std::string& kernel) {
  const std::vector<std::size_t> rows = rows_of_files(cubin, kernel);
  std::size_t best = 0, most = 0;
  bool is_main = false;
  for (std::size_t file = 0; file < rows.size(); ++file) {
    const std::string ending = fs::path(cubin.lines().files[file]).extension();
    const bool is_source = ending == ".cu" || ending == ".cl";
    if (rows[file] == 0 || (is_main && !is_source)) continue;
    if (rows[file] <= most && is_main == is_source) continue;
    best = file;
    most = rows[file];
    is_main = is_source;
  }
  return most == 0 ? "" : cubin.lines().files[best];
}

}  // namespace

SourceFile source_of(const Cubin& cubin, const std::string& code, const std::string& kernel) {
  const std::string file = file_of_kernels(cubin, kernel);
  if (file.empty() && code.empty()) return {};
  const fs::path path = file.empty() ? fs::path(code).replace_extension(".cu") : fs::path(file);
  SourceFile source{path.filename().string(), ""};
  for (const fs::path& place : {fs::path(code).parent_path() / path.filename(), path}) {
    std::error_code error;
    if (!fs::is_regular_file(place, error)) continue;
    try {
      source.text = read_text_file(place.string(), "the kernel's source");
      break;
    } catch (const InputError&) {  // a compiler's path, which is not ours to read: as if it were not there
    }
  }
  if (source.text.find('\0') != std::string::npos) source.text.clear();
  return source;
}

}  // namespace warpscope::machine
