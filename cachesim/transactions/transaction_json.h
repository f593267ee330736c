#pragma once
// JSON parts of a transaction stream.
#include <nlohmann/json.hpp>
#include <string>

#include "cachesim/transactions/transaction_sink.h"
#include "traces/stream/descriptions.h"

namespace warpscope {

/// 2: tallies with wavefronts, and degrees; 3: buffers and launches in their own sections.
constexpr std::uint64_t kTransactionVersion = 4;

nlohmann::json to_json(const TransactionHeader& header);
nlohmann::json to_json(const Origin& origin);
/// Throw InputError "WHERE: …" on missing keys and values out of range.
/// `descriptions`: as stream_header_from_json().
TransactionHeader transaction_header_from_json(const nlohmann::json& json, const std::string& where,
                                               DescriptionReader& descriptions);
Origin origin_from_json(const nlohmann::json& json, const std::string& where);

}  // namespace warpscope
