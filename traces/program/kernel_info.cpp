// JSON form of a kernel description; its keys are listed in traces/FORMAT.md, "Kernel description".
#include "traces/program/kernel_info.h"

#include <array>
#include <bit>

#include "traces/base/json_fields.h"
#include "traces/base/names.h"
#include "traces/base/parse_number.h"

namespace warpscope {
namespace {

using nlohmann::json;

constexpr std::array kAccessKinds = {"load", "store", "atomic", "barrier", "fence"};
constexpr std::array kAddressSpaces = {"private", "global", "constant", "local", "generic"};
constexpr std::array kObjectKinds = {"unknown", "argument", "local", "private", "program_scope"};

// Far above what compilers emit; readers make tables of as many entries.
constexpr std::uint32_t kMaxAccessWidth = 4096;
constexpr std::uint64_t kMaxInstructions = 1u << 24;  ///< limit for all blocks together

template <std::size_t N>
std::size_t index_in(const std::array<const char*, N>& names, const std::string& name, const char* what) {
  if (const auto* found = find_named(names, name)) return static_cast<std::size_t>(found - names.data());
  throw unknown_name(fmt::format("{} '{}' is unknown", what, name), names_of(names));
}

json to_json(const ProgramPoint& point) {
  return json::array({point.block.value(), point.position});
}

std::string place_text(const SourceLocation& at) {
  return fmt::format("{}:{}:{}", at.file, at.line, at.column);
}

json to_json(const std::vector<SiteId>& sites) {
  json result = json::array();
  for (const SiteId site : sites) result.push_back(site.value());
  return result;
}

/// Empty lists are left out.
json to_json(const AddressSources& sources) {
  json result = json::object();
  if (!sources.value.empty()) result["value"] = to_json(sources.value);
  if (!sources.part.empty()) result["part"] = to_json(sources.part);
  if (!sources.choice.empty()) result["choice"] = to_json(sources.choice);
  if (sources.work_item) result["work_item"] = true;
  return result;
}

json to_json(const NamedBarrier& named) {
  json result{{"arrives", named.arrives}};
  if (named.is_known) result.update({{"number", named.number}, {"work_items", named.work_items}});
  return result;
}

json to_json(const SiteInfo& site) {
  json result{{"kind", name_of(site.kind)},  {"space", name_of(site.space)}, {"width", site.width},
              {"alignment", site.alignment}, {"function", site.function},    {"point", to_json(site.point)}};
  if (site.is_volatile) result["volatile"] = true;
  if (site.is_streaming) result["streaming"] = true;
  if (site.stores_constant) result["same_value"] = true;
  if (site.is_strong) result["strong"] = true;
  if (site.releases) result["releases"] = true;
  if (site.is_bypass) result["bypass"] = true;
  if (site.is_read_only) result["read_only"] = true;
  if (site.named) result["named"] = to_json(*site.named);
  if (!site.operation.empty()) result["operation"] = site.operation;
  json& locations = result["locations"] = json::array();
  for (const SourceLocation& at : site.locations) {
    locations.push_back(place_text(at));
  }
  if (site.object.kind != StaticObject::Kind::Unknown) {
    result["object"] = {{"kind", kObjectKinds[static_cast<std::size_t>(site.object.kind)]},
                        {"index", site.object.index}};
  }
  if (site.earliest) result["earliest"] = to_json(*site.earliest);
  for (const ProgramPoint& consumer : site.consumers) result["consumers"].push_back(to_json(consumer));
  if (site.address_from) result["address_from"] = to_json(*site.address_from);
  return result;
}

json to_json(const Meeting& meeting) {
  json result{{"position", meeting.position}};
  if (meeting.of_group) result["of_group"] = true;
  if (meeting.mask != 0) result["mask"] = meeting.mask;
  return result;
}

json to_json(const BlockInfo& block) {
  json result{
      {"successors", json::array()}, {"instructions", block.instructions}, {"sites", to_json(block.sites)}};
  for (const BlockId successor : block.successors) result["successors"].push_back(successor.value());
  if (block.immediate_post_dominator) result["post_dominator"] = block.immediate_post_dominator->value();
  if (block.loop) result["loop"] = *block.loop;
  if (!block.mix.empty()) result["mix"] = block.mix;
  for (const Meeting& meeting : block.meetings) result["meetings"].push_back(to_json(meeting));
  if (!block.fences.empty()) result["fences"] = block.fences;
  if (!block.branch_from.empty()) result["branch_from"] = to_json(block.branch_from);
  if (const auto& found = block.parallelism)
    result["parallelism"] = {{"path", found->path},
                             {"loads", found->loads},
                             {"load_steps", found->load_steps},
                             {"load_groups", found->load_groups}};
  return result;
}

SourceLocation location_from(const json& value, const std::string& where) {
  const std::string text = value.is_string() ? value.get<std::string>() : std::string();
  const std::size_t second = text.rfind(':');
  const std::size_t first =
      second == std::string::npos || second == 0 ? std::string::npos : text.rfind(':', second - 1);
  const auto number = [&](const std::string& digits) {
    const auto value_of_digits = parse_number(digits, 0, 999'999'999);
    if (!value_of_digits) throw InputError(where + " is not file:line:column");
    return static_cast<std::uint32_t>(*value_of_digits);
  };
  if (first == std::string::npos) throw InputError(where + " is not file:line:column");
  return {text.substr(0, first), number(text.substr(first + 1, second - first - 1)),
          number(text.substr(second + 1))};
}

// Reads a kernel and checks every id against the tables it points into.
class KernelReader {
 public:
  explicit KernelReader(const json& value) : fields_(value, "kernel") {}

  KernelInfo read() {
    kernel_.name = fields_.text("name");
    const json* blocks = fields_.find("blocks");
    const json* sites = fields_.find("sites");
    block_count_ = blocks != nullptr && blocks->is_array() ? blocks->size() : 0;
    site_count_ = sites != nullptr && sites->is_array() ? sites->size() : 0;
    if (block_count_ == 0) fields_.fail("blocks", "an array with at least one block");
    read_tables();
    fields_.each(
        "blocks", [&](const json& value, const std::string& at) { read_block(value, at); }, true);
    fields_.each(
        "sites", [&](const json& value, const std::string& at) { read_site(value, at); }, true);
    check_sites_of_blocks();
    kernel_.static_local_bytes = fields_.number("static_local_bytes", 0);
    kernel_.registers_estimate = fields_.number32("registers_estimate", 0);
    kernel_.registers_from = fields_.text("registers_from", kernel_.registers_from.c_str());
    kernel_.machine_code = fields_.text("machine_code", "");
    kernel_.barrier_bound = fields_.number32("barrier_bound", 0);
    kernel_.guard_bound = fields_.number32("guard_bound", 0);
    kernel_.independent_threads = fields_.flag("independent_threads", false);
    return std::move(kernel_);
  }

 private:
  void read_tables() {
    fields_.each("arguments", [&](const json& value, const std::string& at) {
      const JsonFields argument(value, at);
      kernel_.arguments.push_back({argument.text("name"), argument.text("type", ""),
                                   address_space_from(argument.text("space", "private")),
                                   argument.flag("pointer", false)});
    });
    fields_.each("objects", [&](const json& value, const std::string& at) {
      const JsonFields object(value, at);
      kernel_.objects.push_back(
          {object.text("name"), address_space_from(object.text("space")), object.number("size")});
    });
    fields_.each("untraceable", [&](const json& value, const std::string& at) {
      if (!value.is_string()) throw InputError(at + " is not a string");
      kernel_.untraceable.push_back(value.get<std::string>());
    });
    read_loops();
  }

  void read_loops() {
    fields_.each("loops", [&](const json& value, const std::string& at) {
      const JsonFields loop(value, at);
      kernel_.loops.push_back({block(loop.number("header", {}, block_count_ - 1)), {}, 0, {}});
      if (loop.find("parent") != nullptr) kernel_.loops.back().parent = loop.number32("parent");
      kernel_.loops.back().left_rolled = loop.number32("left_rolled", 0);
      kernel_.loops.back().is_counted = loop.flag("counted", true);
      if (const json* place = loop.find("location"))
        kernel_.loops.back().location = location_from(*place, at + ".location");
    });
    // A chain of parents that is longer than the table is a circle.
    for (const LoopInfo& loop : kernel_.loops) {
      std::size_t steps = 0;
      for (auto parent = loop.parent; parent; parent = kernel_.loops[*parent].parent) {
        if (*parent >= kernel_.loops.size() || ++steps > kernel_.loops.size()) {
          throw InputError("kernel.loops: a parent does not exist or loops contain each other");
        }
      }
    }
  }

  void read_block(const json& value, const std::string& at) {
    const JsonFields fields(value, at);
    BlockInfo result;
    for (const auto id : fields.numbers("successors", block_count_ - 1))
      result.successors.push_back(block(id));
    if (fields.find("post_dominator") != nullptr) {
      result.immediate_post_dominator = block(fields.number("post_dominator", {}, block_count_ - 1));
    }
    if (fields.find("loop") != nullptr) {
      result.loop = fields.number32("loop");
      if (*result.loop >= kernel_.loops.size()) fields.fail("loop", "an index into loops");
    }
    result.instructions = fields.number32("instructions", 0);
    instructions_ += result.instructions;
    if (instructions_ > kMaxInstructions) fields.fail("instructions", "at most 2^24 in all blocks together");
    result.mix = read_classes(fields, "mix");
    if (const json* found = fields.find("parallelism"))
      result.parallelism = read_parallelism(JsonFields(*found, at + ".parallelism"));
    result.sites = read_sites(fields, "sites");
    result.branch_from = read_sites(fields, "branch_from");
    for (const auto position : fields.numbers("fences", result.instructions))
      result.fences.push_back(static_cast<std::uint32_t>(position));
    fields.each("meetings", [&](const json& entry, const std::string& place) {
      const JsonFields meeting(entry, place);
      result.meetings.push_back(
          {static_cast<std::uint32_t>(meeting.number("position", {}, result.instructions)),
           meeting.number("mask", 0), meeting.flag("of_group", false)});
    });
    kernel_.blocks.push_back(std::move(result));
  }

  [[nodiscard]] std::vector<SiteId> read_sites(const JsonFields& fields, const char* key) const {
    std::vector<SiteId> sites;
    for (const auto id : fields.numbers(key, site_count_ == 0 ? 0 : site_count_ - 1))
      sites.emplace_back(static_cast<std::uint32_t>(id));
    return sites;
  }

  /// Instruction class -> count; an absent key is an empty table.
  static std::map<std::string, std::uint32_t> read_classes(const JsonFields& fields, const char* key) {
    std::map<std::string, std::uint32_t> counts;
    const json* table = fields.find(key);
    if (table == nullptr) return counts;
    if (!table->is_object()) fields.fail(key, "an object");
    const JsonFields classes(*table, fields.where() + "." + key);
    for (const auto& entry : table->items()) counts[entry.key()] = count_in(classes, entry.key().c_str());
    return counts;
  }

  static std::uint32_t count_in(const JsonFields& fields, const char* key) {
    return static_cast<std::uint32_t>(fields.number(key, {}, kMaxInstructions));
  }

  static BlockParallelism read_parallelism(const JsonFields& fields) {
    BlockParallelism found{read_classes(fields, "path"), count_in(fields, "loads"),
                           count_in(fields, "load_steps"), count_in(fields, "load_groups")};
    for (const auto& [key, steps] :
         {std::pair("load_steps", found.load_steps), {"load_groups", found.load_groups}})
      if (steps > found.loads || (steps == 0) != (found.loads == 0))
        fields.fail(key, "a number from 1 to loads, 0 without loads");
    return found;
  }

  static NamedBarrier named_barrier(const json& value, const std::string& at) {
    const JsonFields fields(value, at);
    const NamedBarrier result{fields.find("number") != nullptr, fields.number32("number", 0),
                              fields.number32("work_items", 0), fields.flag("arrives", false)};
    if (result.number >= kNamedBarriers) fields.fail("number", "at most 15");
    return result;
  }

  void read_site(const json& value, const std::string& at) {
    const JsonFields fields(value, at);
    SiteInfo site;
    site.kind = access_kind_from(fields.text("kind"));
    site.space = address_space_from(fields.text("space", "global"));
    site.width = fields.number32("width", 0);
    site.alignment = fields.number32("alignment", 1);
    if (site.width > kMaxAccessWidth) fields.fail("width", fmt::format("at most {} bytes", kMaxAccessWidth));
    if (!std::has_single_bit(site.alignment)) fields.fail("alignment", "a power of two");
    if (has_address(site.kind) && site.width == 0) fields.fail("width", "at least one byte");
    site.is_volatile = fields.flag("volatile", false);
    site.is_streaming = fields.flag("streaming", false);
    site.stores_constant = fields.flag("same_value", false);
    site.is_strong = fields.flag("strong", false);
    site.releases = fields.flag("releases", false);
    site.is_bypass = fields.flag("bypass", false);
    site.is_read_only = fields.flag("read_only", false);
    if (const json* entry = fields.find("named")) site.named = named_barrier(*entry, at + ".named");
    site.operation = fields.text("operation", "");
    site.function = fields.text("function", "");
    fields.each("locations", [&](const json& entry, const std::string& place) {
      site.locations.push_back(location_from(entry, place));
    });
    site.object = read_object(fields);
    if (const json* entry = fields.find("point")) site.point = point(*entry, at + ".point");
    if (const json* entry = fields.find("earliest")) site.earliest = point(*entry, at + ".earliest");
    fields.each("consumers", [&](const json& entry, const std::string& place) {
      site.consumers.push_back(point(entry, place));
    });
    if (const json* found = fields.find("address_from")) {
      const JsonFields sources(*found, at + ".address_from");
      site.address_from = {read_sites(sources, "value"), read_sites(sources, "part"),
                           read_sites(sources, "choice"), sources.flag("work_item", false)};
    }
    kernel_.sites.push_back(std::move(site));
  }

  StaticObject read_object(const JsonFields& site) const {
    const json* value = site.find("object");
    if (value == nullptr) return {};
    const JsonFields fields(*value, site.where() + ".object");
    StaticObject object;
    object.kind = static_cast<StaticObject::Kind>(index_in(kObjectKinds, fields.text("kind"), "object kind"));
    object.index = fields.number32("index", 0);
    const std::size_t limit =
        object.kind == StaticObject::Kind::Argument ? kernel_.arguments.size() : kernel_.objects.size();
    if (object.kind != StaticObject::Kind::Unknown && object.index >= limit) {
      fields.fail("index", "an index into arguments or objects");
    }
    return object;
  }

  [[nodiscard]] ProgramPoint point(const json& value, const std::string& at) const {
    if (!value.is_array() || value.size() != 2) throw InputError(at + " is not [block, position]");
    ProgramPoint result{block(json_number(value[0], at, block_count_ - 1)), 0};
    result.position = static_cast<std::uint32_t>(
        json_number(value[1], at, kernel_.blocks[result.block.value()].instructions));
    return result;
  }

  // The replay names accesses by walking blocks: a site in no block, or in two, has no meaning.
  void check_sites_of_blocks() const {
    std::vector<int> seen(kernel_.sites.size(), 0);
    for (const BlockInfo& info : kernel_.blocks) {
      for (const SiteId site : info.sites) {
        if (site.value() >= seen.size())
          throw InputError("kernel.blocks: a block names a site that does not exist");
        ++seen[site.value()];
      }
    }
    for (std::size_t site = 0; site < seen.size(); ++site) {
      if (seen[site] != 1) {
        throw InputError(
            fmt::format("kernel.sites[{}] is in {} blocks, expected exactly one", site, seen[site]));
      }
    }
  }

  static BlockId block(std::uint64_t id) { return BlockId(static_cast<std::uint32_t>(id)); }

  JsonFields fields_;
  KernelInfo kernel_;
  std::size_t block_count_ = 0;
  std::size_t site_count_ = 0;
  std::uint64_t instructions_ = 0;  ///< number of instructions of the blocks so far
};

}  // namespace

nlohmann::json to_json(const KernelInfo& kernel) {
  json result{{"name", kernel.name},
              {"arguments", json::array()},
              {"blocks", json::array()},
              {"sites", json::array()},
              {"loops", json::array()},
              {"objects", json::array()},
              {"static_local_bytes", kernel.static_local_bytes},
              {"registers_estimate", kernel.registers_estimate},
              {"registers_from", kernel.registers_from},
              {"untraceable", kernel.untraceable}};
  if (!kernel.machine_code.empty()) result["machine_code"] = kernel.machine_code;
  if (kernel.barrier_bound != 0) result["barrier_bound"] = kernel.barrier_bound;
  if (kernel.guard_bound != 0) result["guard_bound"] = kernel.guard_bound;
  if (kernel.independent_threads) result["independent_threads"] = true;
  for (const ArgumentInfo& argument : kernel.arguments) {
    result["arguments"].push_back({{"name", argument.name},
                                   {"type", argument.type},
                                   {"space", name_of(argument.space)},
                                   {"pointer", argument.is_pointer}});
  }
  for (const BlockInfo& block : kernel.blocks) result["blocks"].push_back(to_json(block));
  for (const SiteInfo& site : kernel.sites) result["sites"].push_back(to_json(site));
  for (const LoopInfo& loop : kernel.loops) {
    json entry{{"header", loop.header.value()}};
    if (loop.parent) entry["parent"] = *loop.parent;
    if (loop.left_rolled != 0) entry["left_rolled"] = loop.left_rolled;
    if (loop.location) entry["location"] = place_text(*loop.location);
    if (!loop.is_counted) entry["counted"] = false;
    result["loops"].push_back(std::move(entry));
  }
  for (const ObjectInfo& object : kernel.objects) {
    result["objects"].push_back(
        {{"name", object.name}, {"space", name_of(object.space)}, {"size", object.size}});
  }
  return result;
}

KernelInfo kernel_info_from_json(const nlohmann::json& value) {
  return KernelReader(value).read();
}

std::uint32_t count_in(const BlockInfo& block, const char* name) {
  const auto found = block.mix.find(name);
  return found == block.mix.end() ? 0 : found->second;
}

std::string parallelism_text(const BlockInfo& block) {
  if (!block.parallelism) return {};
  const BlockParallelism& found = *block.parallelism;
  const auto counted = [](std::uint64_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  std::uint64_t instructions = 0;
  for (const auto& [name, count] : block.mix) instructions += name == "phi" ? 0 : count;
  std::uint64_t steps = 0;
  std::string classes;
  for (const auto& [name, count] : found.path) {
    steps += count;
    classes += fmt::format("{}{} {}", classes.empty() ? "" : " ", count, name);
  }
  return fmt::format("{} in {} ({}); {} in {}, {}", counted(instructions, "instruction"),
                     counted(steps, "step"), classes, counted(found.loads, "load"),
                     counted(found.load_steps, "step"), counted(found.load_groups, "group"));
}

const char* name_of(AccessKind kind) {
  return kAccessKinds[static_cast<std::size_t>(kind)];
}
const char* name_of(AddressSpace space) {
  return kAddressSpaces[static_cast<std::size_t>(space)];
}

AccessKind access_kind_from(const std::string& name) {
  return static_cast<AccessKind>(index_in(kAccessKinds, name, "access kind"));
}

AddressSpace address_space_from(const std::string& name) {
  return static_cast<AddressSpace>(index_in(kAddressSpaces, name, "address space"));
}

}  // namespace warpscope
