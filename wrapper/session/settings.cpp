#include "wrapper/session/settings.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "traces/base/error.h"
#include "traces/base/json_fields.h"

namespace warpscope::layer {
namespace {

std::string file_of(const std::string& directory) {
  return directory + "/settings.json";
}

}  // namespace

// Keys of settings.json are the members' names; one that is missing is an error.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeviceLike, name, work_items, work_item_sizes, local_bytes, constant_bytes,
                                   global_bytes, most_allocated_bytes, char_vectors, short_vectors, warp_size,
                                   device_name, cores, cache_bytes, cache_line_bytes, clock_mhz)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TraceSettings, output, options_text, optimize, pass_options, launches,
                                   kernels, max_launches, work_groups, size_limit, group_memory,
                                   cache_directory, device_like, time_only, finds_unwritten, host_writes)

void write_settings(const std::string& directory, const TraceSettings& settings) {
  std::ofstream file(file_of(directory));
  file << dump(nlohmann::json(settings));
  file.close();
  if (!file) throw InputError(file_of(directory) + ": cannot write, expected a writable $TMPDIR");
}

TraceSettings read_settings(const std::string& directory) {
  std::ifstream file(file_of(directory));
  if (!file) throw InputError(file_of(directory) + ": cannot read");
  std::stringstream text;
  text << file.rdbuf();
  return parse_json(text.str(), file_of(directory)).get<TraceSettings>();
}

std::string process_folder(const std::string& directory, unsigned process) {
  return fmt::format("{}/process-{}", directory, process);
}

std::string capture_name(const std::string& output, unsigned process) {
  if (process == 1) return output;
  const std::filesystem::path path(output);
  return (path.parent_path() /
          fmt::format("{}-{}{}", path.stem().string(), process, path.extension().string()))
      .string();
}

}  // namespace warpscope::layer
