// JSON forms of buffers and launches; traces/FORMAT.md, "Buffer" and "Launch".
#include "traces/program/capture.h"

#include <xxhash.h>

#include <algorithm>
#include <map>

#include "traces/base/json_fields.h"
#include "traces/program/work_group_trace.h"

namespace warpscope {
namespace {

using nlohmann::json;

using Hash128 = std::pair<std::uint64_t, std::uint64_t>;

Hash128 hash_of(const std::string& text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return {hash.low64, hash.high64};
}

/// The object that represents this content: the first one that came with it.
template <class Value>
Value first_of(std::map<Hash128, Value>& known, const Hash128& content, Value value) {
  constexpr std::size_t kMostKept = 4096;  // where none comes twice, the table must not be what takes memory
  const auto found = known.find(content);
  if (found != known.end()) return found->second;
  if (known.size() < kMostKept) known.emplace(content, value);
  return value;
}

}  // namespace

struct LaunchInterner::Tables {
  std::map<Hash128, Shared<KernelInfo>> kernels;
  std::map<Hash128, Shared<std::string>> texts;
  std::map<Hash128, Shared<LaunchName>> names;
  std::map<Hash128, SharedList<ArgumentValue>> arguments;
  std::map<Hash128, SharedList<BufferId>> objects;

  Shared<std::string> text(const std::string& content) {
    return first_of(texts, hash_of(content), Shared<std::string>(content));
  }
  Shared<KernelInfo> kernel(const json& description) {
    const Hash128 content = hash_of(dump(description));
    const auto known = kernels.find(content);
    if (known != kernels.end()) return known->second;
    return first_of(kernels, content, Shared<KernelInfo>(kernel_info_from_json(description)));
  }
};

namespace {

constexpr std::uint64_t kBufferIdLimit = (1u << 22) - 1;
constexpr std::uint64_t kBufferSizeLimit = std::uint64_t{1} << BufferAddr::kOffsetBits;
constexpr std::uint64_t kDimensionLimit = std::uint64_t{1} << 32;
constexpr std::uint64_t kMostInCluster =
    16;  // where the program asks for it (CUDA C++ Programming Guide, "Thread Block Clusters")

json to_json(Dim3 size) {
  return json::array({size.x, size.y, size.z});
}

Dim3 dim3_from(const JsonFields& fields, const char* key, std::uint64_t least) {
  const auto values = fields.numbers(key, kDimensionLimit, true);
  if (values.size() != 3) fields.fail(key, "three numbers");
  for (const std::uint64_t value : values) {
    if (value < least) fields.fail(key, fmt::format("numbers of at least {}", least));
  }
  return {values[0], values[1], values[2]};
}

BufferId buffer_id(std::uint64_t value) {
  return BufferId(static_cast<std::uint32_t>(value));
}

// Divides instead of multiplying, which could overflow. All sizes are at least 1.
bool product_within(Dim3 size, std::uint64_t limit) {
  return size.x <= limit && size.y <= limit / size.x && size.z <= limit / size.x / size.y;
}

void read_range(const JsonFields& fields, LaunchInfo& launch) {
  launch.dimensions = static_cast<std::uint32_t>(fields.number("dimensions", 1, 3));
  launch.global = dim3_from(fields, "global", 1);
  launch.local = dim3_from(fields, "local", 1);
  launch.offset = dim3_from(fields, "offset", 0);
  const Dim3 global = launch.global;
  const Dim3 local = launch.local;
  if (global.x % local.x != 0 || global.y % local.y != 0 || global.z % local.z != 0) {
    fields.fail("global", "multiples of the local size");
  }
  if (!product_within(local, kMaxWorkItemsPerGroup)) {
    fields.fail("local", fmt::format("at most {} work-items", kMaxWorkItemsPerGroup));
  }
  if (!product_within(launch.groups(), kDimensionLimit)) fields.fail("global", "at most 2^32 work-groups");
  if (fields.find("cluster") == nullptr) return;
  launch.cluster = dim3_from(fields, "cluster", 1);
  const Dim3 cluster = launch.cluster, groups = launch.groups();
  if (!product_within(cluster, kMostInCluster))
    fields.fail("cluster", fmt::format("at most {} work-groups", kMostInCluster));
  if (groups.x % cluster.x != 0 || groups.y % cluster.y != 0 || groups.z % cluster.z != 0)
    fields.fail("cluster", "a divisor of the work-groups along each axis");
}

// What a launch may share with an earlier one.
void read_own(const JsonFields& fields, LaunchInterner::Tables& tables, LaunchInfo& launch) {
  const json* kernel = fields.find("kernel");
  if (kernel == nullptr) fields.fail("kernel", "a kernel description");
  launch.kernel = tables.kernel(*kernel);
  launch.build_options = tables.text(fields.text("build_options", ""));
  launch.optimize = tables.text(fields.text("optimize", "gpu"));
  launch.source_name = tables.text(fields.text("source_name", ""));
  launch.source = tables.text(fields.text("source", ""));
}

void copy_shared(const JsonFields& fields, std::span<const LaunchInfo> earlier, LaunchInfo& launch) {
  const LaunchId id(fields.number32("shares"));
  const auto found =
      std::lower_bound(earlier.begin(), earlier.end(), id,
                       [](const LaunchInfo& info, LaunchId wanted) { return info.id < wanted; });
  if (found == earlier.end() || found->id != id) fields.fail("shares", "the id of an earlier launch");
  launch.kernel = found->kernel;
  launch.build_options = found->build_options;
  launch.optimize = found->optimize;
  launch.source_name = found->source_name;
  launch.source = found->source;
}

}  // namespace

std::uint64_t LaunchInfo::cluster_of(WorkGroupId group) const {
  const Dim3 all = groups();
  const std::uint64_t number = group.value();
  const std::uint64_t x = number % all.x / cluster.x, y = number / all.x % all.y / cluster.y,
                      z = number / (all.x * all.y) / cluster.z;
  return (z * (all.y / cluster.y) + y) * (all.x / cluster.x) + x;
}

LaunchInterner::LaunchInterner() : tables_(std::make_unique<Tables>()) {}
LaunchInterner::~LaunchInterner() = default;

std::size_t LaunchList::position_of(LaunchId id) const {
  const auto found = std::lower_bound(
      begin(), end(), id, [](const LaunchInfo& launch, LaunchId wanted) { return launch.id < wanted; });
  return found != end() && found->id == id ? static_cast<std::size_t>(found - begin()) : size();
}

nlohmann::json to_json(const BufferInfo& buffer) {
  json result{{"id", buffer.id.value()},
              {"name", buffer.name},
              {"space", name_of(buffer.space)},
              {"size", buffer.size},
              {"flags", buffer.flags}};
  if (buffer.has_own_name) result["own_name"] = true;
  return result;
}

BufferInfo buffer_info_from_json(const nlohmann::json& value) {
  const JsonFields fields(value, "buffer");
  BufferInfo buffer;
  buffer.id = buffer_id(fields.number("id", {}, kBufferIdLimit));
  if (buffer.id.value() == 0) fields.fail("id", "at least 1");
  buffer.name = fields.text("name");
  buffer.space = address_space_from(fields.text("space"));
  buffer.size = fields.number("size", {}, kBufferSizeLimit);
  buffer.flags = fields.text("flags", "");
  buffer.has_own_name = fields.flag("own_name", false);
  return buffer;
}

nlohmann::json to_json(const LaunchInfo& launch, std::optional<LaunchId> shares) {
  json result{{"id", launch.id.value()},          {"dimensions", launch.dimensions},
              {"global", to_json(launch.global)}, {"local", to_json(launch.local)},
              {"offset", to_json(launch.offset)}, {"arguments", json::array()},
              {"objects", json::array()},         {"dynamic_local_bytes", launch.dynamic_local_bytes},
              {"sampling", *launch.sampling}};
  if (launch.cluster.count() > 1) result["cluster"] = to_json(launch.cluster);
  if (launch.has_open_local) result["open_local"] = true;
  if (shares) {
    result["shares"] = shares->value();
  } else {
    result["kernel"] = to_json(*launch.kernel);
    result["build_options"] = *launch.build_options;
    result["optimize"] = *launch.optimize;
    result["source_name"] = *launch.source_name;
    result["source"] = *launch.source;
  }
  for (const ArgumentValue& argument : launch.arguments) {
    json entry = json::object();
    if (argument.buffer.value() != 0) entry["buffer"] = argument.buffer.value();
    if (argument.offset != 0) entry["offset"] = argument.offset;
    if (!argument.value.empty()) entry["value"] = argument.value;
    result["arguments"].push_back(std::move(entry));
  }
  for (const BufferId object : launch.objects) result["objects"].push_back(object.value());
  if (!launch.name->call_site.empty()) result["call_site"] = launch.name->call_site;
  if (!launch.name->range.empty()) result["range"] = launch.name->range;
  return result;
}

LaunchInfo launch_info_from_json(const nlohmann::json& value, std::span<const LaunchInfo> earlier,
                                 LaunchInterner* interner) {
  LaunchInterner own;
  LaunchInterner::Tables& tables = interner != nullptr ? interner->tables() : own.tables();
  const JsonFields fields(value, "launch");
  LaunchInfo launch;
  if (fields.find("shares") != nullptr) {
    copy_shared(fields, earlier, launch);
  } else {
    read_own(fields, tables, launch);
  }
  launch.id = LaunchId(fields.number32("id"));
  read_range(fields, launch);
  std::vector<ArgumentValue> arguments;
  fields.each("arguments", [&](const json& entry, const std::string& at) {
    const JsonFields argument(entry, at);
    arguments.push_back({buffer_id(argument.number("buffer", 0, kBufferIdLimit)),
                         argument.number("offset", 0, kBufferSizeLimit), argument.text("value", "")});
  });
  if (arguments.size() != launch.kernel->arguments.size())
    fields.fail("arguments", "one per kernel argument");
  if (!arguments.empty())
    launch.arguments =
        first_of(tables.arguments, hash_of(dump(value.at("arguments"))), SharedList(std::move(arguments)));
  std::vector<BufferId> objects;
  for (const auto id : fields.numbers("objects", kBufferIdLimit)) objects.push_back(buffer_id(id));
  if (!objects.empty())
    launch.objects =
        first_of(tables.objects, hash_of(dump(value.at("objects"))), SharedList(std::move(objects)));
  if (launch.objects.size() != launch.kernel->objects.size())
    fields.fail("objects", "one per object of the kernel");
  launch.dynamic_local_bytes = fields.number("dynamic_local_bytes", 0);
  launch.has_open_local = fields.flag("open_local", false);
  launch.sampling = tables.text(fields.text("sampling", "all"));
  if (const LaunchName name{fields.text("call_site", ""), fields.text("range", "")};
      !name.call_site.empty() || !name.range.empty())
    launch.name =
        first_of(tables.names, hash_of(name.call_site + '\n' + name.range), Shared<LaunchName>(name));
  return launch;
}

}  // namespace warpscope
