#pragma once
// JSON parts of a transaction stream.
#include <nlohmann/json.hpp>
#include <string>

#include "cachesim/transaction_sink.h"

namespace warpscope {

constexpr std::uint64_t kTransactionVersion = 2;  ///< 2: tallies with wavefronts, and degrees

nlohmann::json to_json(const TransactionHeader& header);
nlohmann::json to_json(const Origin& origin);
/// Throw InputError "WHERE: …" on missing keys and values out of range.
TransactionHeader transaction_header_from_json(const nlohmann::json& json, const std::string& where);
Origin origin_from_json(const nlohmann::json& json, const std::string& where);

}  // namespace warpscope
