#pragma once
// Tables of the whole: what the L1 took, what it did not, why it missed, how long it was occupied. Columns are
// those of cachesim/access/counters.def.
#include <cstdint>
#include <iosfwd>
#include <nlohmann/json.hpp>

#include "cachesim/access/counters.h"

namespace warpscope {

constexpr const char* kKindNames[] = {"load", "store", "atomic"};
/// Heading of a ratio to the warp accesses.
constexpr const char* kPerAccess = "per warp access";

inline std::uint64_t counter_of(const nlohmann::ordered_json& counts, const char* key) {
  return counts.at(key).get<std::uint64_t>();
}

/// `total` is that of result.json, `result` the whole.
void write_totals(const nlohmann::ordered_json& total, std::ostream& out);
void write_outside(const nlohmann::ordered_json& total, std::ostream& out);
void write_classes(const nlohmann::ordered_json& total, std::ostream& out);
/// What all cores or launches would count, where some were drawn; of launches, too, which are alike.
void write_estimate(const nlohmann::ordered_json& result, std::ostream& out);
void write_stages(const nlohmann::ordered_json& result, std::ostream& out);

}  // namespace warpscope
