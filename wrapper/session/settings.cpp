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

nlohmann::json json_of(const DeviceLike& like) {
  return {{"name", like.name},
          {"work_items", like.work_items},
          {"work_item_sizes", like.work_item_sizes},
          {"local_bytes", like.local_bytes},
          {"constant_bytes", like.constant_bytes},
          {"warp_size", like.warp_size},
          {"cores", like.cores}};
}

DeviceLike device_like_from(const nlohmann::json& json) {
  DeviceLike like;
  json.at("name").get_to(like.name);
  json.at("work_items").get_to(like.work_items);
  json.at("work_item_sizes").get_to(like.work_item_sizes);
  json.at("local_bytes").get_to(like.local_bytes);
  json.at("constant_bytes").get_to(like.constant_bytes);
  json.at("warp_size").get_to(like.warp_size);
  json.at("cores").get_to(like.cores);
  return like;
}

}  // namespace

void write_settings(const std::string& directory, const TraceSettings& settings) {
  const nlohmann::json json = {{"output", settings.output},
                               {"options_text", settings.options_text},
                               {"optimize", settings.optimize},
                               {"pass_options", settings.pass_options},
                               {"kernels", settings.kernels},
                               {"launches", settings.launches},
                               {"max_launches", settings.max_launches},
                               {"work_groups", settings.work_groups},
                               {"size_limit", settings.size_limit},
                               {"group_memory", settings.group_memory},
                               {"cache_directory", settings.cache_directory},
                               {"device_like", json_of(settings.device_like)},
                               {"time_only", settings.time_only}};
  std::ofstream file(file_of(directory));
  file << dump(json);
  file.close();
  if (!file) throw InputError(file_of(directory) + ": cannot write, expected a writable $TMPDIR");
}

TraceSettings read_settings(const std::string& directory) {
  std::ifstream file(file_of(directory));
  if (!file) throw InputError(file_of(directory) + ": cannot read");
  std::stringstream text;
  text << file.rdbuf();
  const nlohmann::json json = parse_json(text.str(), file_of(directory));
  TraceSettings settings;
  json.at("output").get_to(settings.output);
  json.at("options_text").get_to(settings.options_text);
  json.at("optimize").get_to(settings.optimize);
  json.at("pass_options").get_to(settings.pass_options);
  json.at("kernels").get_to(settings.kernels);
  json.at("launches").get_to(settings.launches);
  json.at("max_launches").get_to(settings.max_launches);
  json.at("work_groups").get_to(settings.work_groups);
  json.at("size_limit").get_to(settings.size_limit);
  json.at("group_memory").get_to(settings.group_memory);
  json.at("cache_directory").get_to(settings.cache_directory);
  settings.device_like = device_like_from(json.at("device_like"));
  json.at("time_only").get_to(settings.time_only);
  return settings;
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
