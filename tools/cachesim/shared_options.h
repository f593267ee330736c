#pragma once
// What several commands of cachesim share.
#include <string>

#include "tools/options/option_values.h"
#include "traces/stream/stream.h"

namespace warpscope {

/// What --launches says: true for all, the default. Throws InputError.
bool lists_launches(const OptionValues& values);
/// What --threads says: 1 … 1024; by default those of this machine. Throws InputError.
std::uint32_t host_threads(const OptionValues& values);

/// Throws InputError for an input that cannot be simulated, and where it cannot obey an option about the order
/// or the coalescing of accesses.
void check_order_options(const OptionValues& values, const std::string& input, FileKind kind);

}  // namespace warpscope
