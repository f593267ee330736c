#include "wrapper/launch/triton/metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "traces/base/error.h"
#include "traces/base/json_fields.h"
#include "traces/base/printable.h"
#include "traces/files/text_file.h"
#include "wrapper/launch/triton/names.h"

namespace warpscope {
namespace {

constexpr std::uint64_t kMostWarps = 32;
constexpr std::uint64_t kMostSharedBytes = std::uint64_t{1} << 24;
constexpr std::uint64_t kMostScratchBytes = std::uint64_t{1} << 32;
constexpr std::uint64_t kMostGroupsOfCluster = 16;

/// A number that Triton leaves out, or writes as null, where it has none.
std::uint64_t number_or(const JsonFields& fields, const char* key, std::uint64_t fallback,
                        std::uint64_t limit) {
  const nlohmann::json* value = fields.find(key);
  return value == nullptr || value->is_null() ? fallback : fields.number(key, {}, limit);
}

void check_target(const nlohmann::json& document, const std::string& path) {
  const auto target = document.find("target");
  if (target == document.end() || !target->is_object()) return;  // before 3.0
  const std::string backend = JsonFields(*target, path + ": target").text("backend", "cuda");
  if (backend != "cuda")
    throw InputError(fmt::format("{}: a kernel for {}, expected one for cuda", path, quotable(backend)));
}

/// "(g0)/(l0)*(g1)/(l1)": how many work-groups the launch has.
std::string groups_of(const LaunchDescription& launch) {
  std::string text;
  for (std::size_t d = 0; d < launch.global.size(); ++d)
    text += fmt::format("{}(({})/({}))", text.empty() ? "" : "*", launch.global[d],
                        d < launch.local.size() ? launch.local[d] : "1");
  return text.empty() ? "1" : text;
}

}  // namespace

TritonMetadata read_triton_metadata(const std::string& path) {
  return parse_triton_metadata(read_text_file(path, "Triton's metadata"), path);
}

TritonMetadata parse_triton_metadata(const std::string& text, const std::string& path) {
  const std::string name = printable(path);
  const nlohmann::json document = parse_json(text, name);
  const JsonFields fields(document, name);
  check_target(document, name);
  TritonMetadata metadata;
  metadata.path = path;
  metadata.kernel = fields.text("name", "");
  const std::uint64_t warp = number_or(fields, "warp_size", 32, 64);
  if (warp != 32) fields.fail("warp_size", "32, as every GPU of NVIDIA's has it");
  const std::uint64_t warps = fields.number("num_warps", {}, kMostWarps);
  if (warps == 0) fields.fail("num_warps", "warps of a work-group, 1 to 32");
  metadata.work_items = static_cast<std::uint32_t>(warps * warp);
  metadata.shared_bytes = number_or(fields, "shared", 0, kMostSharedBytes);
  metadata.groups_per_program = static_cast<std::uint32_t>(
      std::max<std::uint64_t>(number_or(fields, "num_ctas", 1, kMostGroupsOfCluster), 1));
  const std::vector<std::uint64_t> cluster = fields.numbers("cluster_dims", kMostGroupsOfCluster);
  for (std::size_t d = 0; d < std::min<std::size_t>(cluster.size(), 3); ++d)
    metadata.cluster[d] = static_cast<std::uint32_t>(std::max<std::uint64_t>(cluster[d], 1));
  if (cluster.empty()) metadata.cluster[0] = metadata.groups_per_program;
  for (const char* scratch : {"global_scratch", "profile_scratch"}) {
    const std::string key = std::string(scratch) + "_size";
    if (fields.find(key.c_str()) != nullptr)
      metadata.scratch.push_back({scratch, number_or(fields, key.c_str(), 0, kMostScratchBytes)});
  }
  return metadata;
}

void apply_to_options(const TritonMetadata& metadata, CudaLaunchOptions& options, LaunchDescription& launch) {
  const std::string items = std::to_string(metadata.work_items);
  for (const std::vector<std::string>* given : {&options.block, &launch.local})
    if (!given->empty() && given->front() != items)
      throw InputError(fmt::format("--block {}: {} says {} work-items, expected no --block", given->front(),
                                   printable(metadata.path), items));
  if (launch.local.empty() && options.block.empty()) options.block = {items};
  for (std::size_t d = 0; d < options.grid.size(); ++d)
    if (metadata.cluster[d] > 1)
      options.grid[d] = fmt::format("({})*{}", options.grid[d], metadata.cluster[d]);
  const auto [x, y, z] = metadata.cluster;
  if (std::uint64_t{x} * y * z > 1) options.cluster = {x, y, z};
  if (!launch.kernel && !metadata.kernel.empty()) launch.kernel = metadata.kernel;
  if (!options.dynamic_shared && metadata.shared_bytes != 0)
    options.dynamic_shared = std::to_string(metadata.shared_bytes);
}

void apply_to_kernel(const TritonMetadata& metadata, KernelSignature& kernel, LaunchDescription& launch) {
  const auto is_own = [](const ParameterSignature& one) {
    return one.kind != ParameterSignature::Kind::Local && one.fixed_bytes == 0;
  };
  const auto count = static_cast<std::size_t>(std::ranges::count_if(kernel.parameters, is_own));
  const std::size_t scratch = metadata.scratch.size();
  if (count < scratch)
    throw InputError(fmt::format("{}: memory behind the arguments in {} parameters, but kernel '{}' has {}",
                                 printable(metadata.path), scratch, kernel.name, count));
  name_by_ttir(std::filesystem::path(metadata.path).replace_extension(".ttir"), count - scratch, kernel);
  for (std::size_t index = 0; index < scratch; ++index) {
    const TritonScratch& one = metadata.scratch[index];
    ParameterSignature& parameter = kernel.parameters[count - scratch + index];
    parameter.name = one.name;
    parameter.kind = ParameterSignature::Kind::Buffer;
    parameter.type = "memory of Triton's launcher";
    parameter.element = {parameter.type, ElementType::Kind::Opaque, 0, 1};
    ArgumentDescription known;
    known.where = printable(metadata.path);
    known.is_null = one.bytes == 0;
    if (one.bytes != 0) {
      known.bytes = fmt::format("{}*{}", groups_of(launch), one.bytes);
      known.fill = Fill{Fill::Kind::Zero, {}, ""};
    }
    launch.arguments.emplace(one.name, known);
  }
}

}  // namespace warpscope
