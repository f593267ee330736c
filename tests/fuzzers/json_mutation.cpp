#include "tests/fuzzers/json_mutation.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

namespace warpscope::fuzzing {
namespace {

using nlohmann::json;

void collect(json& node, std::vector<json*>& nodes) {
  nodes.push_back(&node);
  if (node.is_structured())
    for (json& child : node) collect(child, nodes);
}

json interesting_value(std::minstd_rand& random) {
  static const std::vector<json> kValues = {
      nullptr,
      true,
      false,
      0,
      1,
      -1,
      2,
      3,
      7,
      31,
      32,
      33,
      64,
      65,
      255,
      1u << 16,
      (1u << 16) + 1,
      1u << 31,
      0xffffffffu,
      std::uint64_t{1} << 32,
      std::uint64_t{1} << 40,
      std::uint64_t{1} << 62,
      std::numeric_limits<std::int64_t>::min(),
      std::numeric_limits<std::uint64_t>::max(),
      1e300,
      0.5,
      -0.0,
      "",
      "\n\x1b[2J",
      "unknown",
      "-",
      "0",
      "every:0",
      "0-4294967295",
      std::string(300, 'x'),
      json::array(),
      json::object(),
      json::array({0, 0, 0}),
      json::array({1u << 20, 1u << 20, 1u << 20}),
      json::array({json::array(), json::object()}),
  };
  return kValues[random() % kValues.size()];
}

json nested(json value, std::minstd_rand& random) {
  for (auto depth = random() % 100; depth > 0; --depth) value = json::array({std::move(value)});
  return value;
}

/// Removes or repeats a child of `parent`.
void change_children(json& parent, std::minstd_rand& random) {
  if (parent.empty()) return;
  auto child = parent.begin();
  std::advance(child, static_cast<std::ptrdiff_t>(random() % parent.size()));
  if (parent.is_array() && random() % 2 == 0)
    parent.push_back(json(*child));
  else
    parent.erase(child);
}

}  // namespace

bool mutate_json(std::string& text, std::minstd_rand& random) {
  json document = json::parse(text, nullptr, false, true);
  if (document.is_discarded()) return false;
  std::vector<json*> nodes;
  collect(document, nodes);
  json& node = *nodes[random() % nodes.size()];
  const json other = *nodes[random() % nodes.size()];
  switch (random() % 8) {
    case 0:
      node = other;
      break;
    case 1:
      node = nested(node, random);
      break;
    case 2:
    case 3:
      if (node.is_structured()) {
        change_children(node, random);
        break;
      }
      [[fallthrough]];
    case 4:
      if (node.is_number_integer()) {
        node = node.get<std::uint64_t>() + random() % 5 - 2;  // wraps, as damage does
        break;
      }
      [[fallthrough]];
    default:
      node = interesting_value(random);
      break;
  }
  text = document.dump(-1, ' ', false, json::error_handler_t::replace);
  return true;
}

}  // namespace warpscope::fuzzing
