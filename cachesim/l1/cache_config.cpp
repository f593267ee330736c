#include "cachesim/l1/cache_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "cachesim/l1/l1_cache.h"
#include "traces/base/error.h"
#include "traces/base/names.h"

namespace warpscope {
namespace {

#define WRITE_POLICY(name, allocates, back, removes, by_line, help) \
  WritePolicy{name, allocates, back, removes, by_line, help},
constexpr std::array kWritePolicies = {
#include "cachesim/l1/write_policy.def"
};
#undef WRITE_POLICY

void validate_shape(const CacheConfig& config) {
  constexpr std::uint64_t kMaxKib = 1u << 20;
  constexpr std::uint32_t kMostWays = 1u << 20;  // every launch visits all of them
  if (config.size_kib == 0 || config.size_kib > kMaxKib)
    throw InputError(fmt::format("cache size: {} KiB, expected 1 to {} KiB", config.size_kib, kMaxKib));
  if (!std::has_single_bit(config.line_bytes) || config.line_bytes < 4 || config.line_bytes > 65536)
    throw InputError(
        fmt::format("cache line: {} bytes, expected a power of two from 4 to 65536", config.line_bytes));
  const std::uint64_t bytes = config.size_kib * 1024;
  if (bytes % config.line_bytes != 0)
    throw InputError(
        fmt::format("cache size: {} KiB is not a multiple of the line of {} bytes, expected at least one "
                    "whole line",
                    config.size_kib, config.line_bytes));
  const std::uint64_t lines = bytes / config.line_bytes;
  if (config.ways > kMostWays)
    throw InputError(fmt::format("cache ways: {}, expected at most {}", config.ways, kMostWays));
  if (config.ways == 0) throw InputError("cache ways: 0, expected at least 1 (1 = direct mapped)");
  if (config.ways > lines)
    throw InputError(
        fmt::format("cache ways: {} is more than the {} lines of a {} KiB cache, expected at most {}",
                    config.ways, lines, config.size_kib, lines));
  if (config.tag_sets != 0) {
    if (std::uint64_t{config.tag_sets} * config.ways < lines)
      throw InputError(
          fmt::format("cache tags: {} sets of {} ways are fewer than the {} lines of a {} KiB cache",
                      config.tag_sets, config.ways, lines, config.size_kib));
    return;
  }
  if (lines % config.ways != 0) {
    std::uint32_t fitting = config.ways;
    while (lines % fitting != 0) --fitting;
    throw InputError(
        fmt::format("cache size: {} KiB is not a multiple of ways x line ({} x {} bytes), expected for "
                    "example {} ways",
                    config.size_kib, config.ways, config.line_bytes, fitting));
  }
}

void validate_replacement(const CacheConfig& config) {
  const ReplacementEntry& replacement = replacement_policy(config.replacement);
  if (!replacement.takes(config.ways))
    throw InputError(
        fmt::format("replacement policy: {} is defined for {} ways, this cache has {}; expected another "
                    "policy or {} ways",
                    config.replacement, replacement.only_ways, config.ways, replacement.only_ways));
  if (config.has_spare_tags() && !replacement.takes_spare_tags)
    throw InputError(
        fmt::format("replacement policy: {} is not defined for a cache with more tags than lines, expected "
                    "SLRU, or --set l1_keeps_tags=false",
                    config.replacement));
}

void validate_sectors(const CacheConfig& config) {
  constexpr std::uint32_t kMostSectors = 8;
  if (config.sector_bytes == 0) return;
  if (!std::has_single_bit(config.sector_bytes) || config.sector_bytes < 4 ||
      config.sector_bytes > config.line_bytes || config.line_bytes / config.sector_bytes > kMostSectors)
    throw InputError(
        fmt::format("cache sector: {} bytes, expected a power of two from {} to the line of {} bytes",
                    config.sector_bytes, std::max(4u, config.line_bytes / kMostSectors), config.line_bytes));
  for (const std::string& policy : {config.write_policy, config.private_writes()})
    if (config.sector_shift() != 0 && write_policy(policy).store_hit_removes)
      throw InputError(fmt::format(
          "write policy: {} is defined for whole lines, expected another one for lines with sectors",
          policy));
}

void validate_index(const CacheConfig& config) {
  const SetIndexEntry& index = set_index(config.set_index);
  if (!index.takes(config.sets(), config.line_bytes))
    throw InputError(
        fmt::format("set index: {} is defined for {}, this cache has {} sets of {}-byte lines; use linear",
                    index.name, index.needs, config.sets(), config.line_bytes));
}

}  // namespace

std::span<const WritePolicy> write_policies() {
  return kWritePolicies;
}

const WritePolicy& write_policy(const std::string& name, const char* whose) {
  if (const WritePolicy* policy = find_named(kWritePolicies, name)) return *policy;
  throw unknown_name(std::string(whose) + ": '" + name + "' is not known", names_of(kWritePolicies));
}

void validate(const CacheConfig& config) {
  validate_shape(config);
  validate_replacement(config);
  write_policy(config.write_policy);
  write_policy(config.private_writes(), kOfPrivateMemory);
  validate_sectors(config);
  validate_index(config);
}

}  // namespace warpscope
