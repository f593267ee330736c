#include "cachesim/transactions/transaction_json.h"

#include <fmt/format.h>

#include "cachesim/access/coalescer.h"
#include "traces/base/json_fields.h"
#include "traces/program/context.h"

namespace warpscope {
namespace {

constexpr Destination kDestinations[] = {Destination::L1, Destination::Bypass, Destination::Local,
                                         Destination::Constant, Destination::NoObject};

LayoutOptions layout_from_json(const JsonFields& fields) {
  LayoutOptions layout;
  layout.base = fields.number("base");
  layout.granule = fields.number("granule");
  layout.large_from = fields.number("large_from");
  layout.large_granule = fields.number("large_granule");
  layout.seed = fields.number("seed");
  return layout;
}

/// Files before version 4 do not name them.
std::vector<std::string> old_tallies(std::uint64_t version) {
  if (version < 2) return {"lanes", "outside_requests"};
  return {"lanes",       "outside_requests",   "bytes",
          "tag_lookups", "tag_wavefronts",     "data_wavefronts",
          "wavefronts",  "outside_wavefronts", "outside_conflicts"};
}

}  // namespace

nlohmann::json to_json(const TransactionHeader& header) {
  const StreamHeader& stream = header.stream;
  nlohmann::json json = {{"version", kTransactionVersion},
                         {"line_bytes", header.transaction_bytes},
                         {"coalescing", header.coalescing},
                         {"line_limit", header.line_limit},
                         {"wavefronts", header.stages},
                         {"warp_size", stream.warp_size},
                         {"cores", stream.cores},
                         {"carries_core", stream.carries_core},
                         {"work_groups", stream.work_groups},
                         {"context", stream.context},
                         {"layout", layout_json(stream.layout)},
                         {"descriptions", stream.buffers.size() + stream.launches.size()}};
  if (header.private_from < kNoPrivateMemory) json["private_from"] = header.private_from;
  OriginTally tally;
  each_tally_counter([&](const char* name, std::uint64_t) { json["tallies"].push_back(name); }, tally);
  return json;
}

nlohmann::json to_json(const Origin& origin) {
  return {{"site", origin.site.value()},
          {"buffer", origin.buffer.value()},
          {"kind", name_of(origin.kind)},
          {"to", name_of(origin.destination)}};
}

TransactionHeader transaction_header_from_json(const nlohmann::json& json, const std::string& where,
                                               DescriptionReader& descriptions) {
  const JsonFields fields(json, where);
  const std::uint64_t version = fields.number("version");
  if (version > kTransactionVersion)
    throw InputError(
        fmt::format("{}: transaction stream of version {}, expected {} or older; use a newer cachesim", where,
                    version, kTransactionVersion));
  TransactionHeader header;
  header.transaction_bytes = static_cast<std::uint32_t>(fields.number("line_bytes", {}, 65536));
  if (header.transaction_bytes == 0) fields.fail("line_bytes", "at least one byte");
  header.coalescing = current_rule_name(fields.text("coalescing"));
  header.line_limit = fields.number("line_limit", {}, Transaction::kMaxLine + 1);
  header.private_from = fields.number("private_from", kNoPrivateMemory, kNoPrivateMemory);
  header.stages = fields.flag("wavefronts", false);
  fields.each("tallies", [&](const nlohmann::json& name, const std::string& at) {
    if (!name.is_string())
      throw InputError(fmt::format("{}: {}, expected the name of a counter", at, name.dump()));
    header.tallies.push_back(name);
  });
  if (header.tallies.empty()) header.tallies = old_tallies(version);
  StreamHeader& stream = header.stream;
  stream.warp_size = static_cast<std::uint32_t>(fields.number("warp_size", {}, kMaxWarpSize));
  stream.cores = static_cast<std::uint32_t>(fields.number("cores", {}, 1u << 16));
  if (stream.warp_size == 0 || stream.cores == 0)
    fields.fail("cores", "at least one core, and a warp size from 1 to 64");
  stream.carries_core = fields.flag("carries_core", true);
  stream.work_groups = fields.number("work_groups");
  if (const auto* context = fields.find("context")) stream.context = *context;
  if (const auto* layout = fields.find("layout"))
    stream.layout = layout_from_json(JsonFields(*layout, where + ": layout"));
  fields.each("buffers", [&](const nlohmann::json& buffer, const std::string&) {
    stream.buffers.push_back(buffer_info_from_json(buffer));
  });
  fields.each("launches", [&](const nlohmann::json& launch, const std::string&) {
    descriptions.add_launch(launch, stream);
  });
  descriptions.expect(fields.number("descriptions", 0));
  return header;
}

Origin origin_from_json(const nlohmann::json& json, const std::string& where) {
  const JsonFields fields(json, where);
  Origin origin;
  origin.site = SiteId(fields.number32("site"));
  origin.buffer = BufferId(fields.number32("buffer"));
  origin.kind = access_kind_from(fields.text("kind"));
  if (!has_address(origin.kind)) fields.fail("kind", "load, store or atomic");
  const std::string to = fields.text("to");
  for (const Destination destination : kDestinations)
    if (to == name_of(destination)) {
      origin.destination = destination;
      return origin;
    }
  fields.fail("to", "l1, bypass, local, constant or no_object");
}

}  // namespace warpscope
