#pragma once
// What several commands of cachesim share.
#include <optional>
#include <string>

#include "cachesim/simulate/launch_count.h"
#include "tools/options/option_values.h"
#include "traces/stream/stream.h"

namespace warpscope {

/// What --launches says: true for all, the default. Throws InputError.
bool lists_launches(const OptionValues& values);
/// What --threads says: 1 … 1024; by default those of this machine. Throws InputError.
std::uint32_t host_threads(const OptionValues& values);
/// What --sample-launches says, if it is there. Throws InputError.
std::optional<LaunchCount> sample_launches(const OptionValues& values);
/// Throws InputError where `values` has --sample-launches and any of `others`.
void refuse_with_sample_launches(const OptionValues& values, std::initializer_list<const char*> others);
/// What --budget says, in look-ups and memory instructions, if it is there. Throws InputError, also where `others` or a sample are asked for.
std::optional<double> budget_of(const OptionValues& values, std::initializer_list<const char*> others);

/// Throws InputError for an input that cannot be simulated, and where it cannot obey an option about the order
/// or the coalescing of accesses.
void check_order_options(const OptionValues& values, const std::string& input, FileKind kind);

}  // namespace warpscope
