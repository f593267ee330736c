#include "cachesim/l1/l1_cache.h"

#include <array>

#include "traces/base/names.h"

namespace warpscope {

#define REPLACEMENT(name, suffix, ways, random, spare_tags, help, source)      \
  std::unique_ptr<L1Cache> make_cache_##suffix(const L1CacheOptions& options); \
  std::unique_ptr<AnyReplacement> make_policy_##suffix(const PolicyGeometry& geometry);
#include "cachesim/l1/registry.def"
#undef REPLACEMENT

namespace {

#define REPLACEMENT(name, suffix, ways, random, spare_tags, help, source) \
  ReplacementEntry{name, make_cache_##suffix, make_policy_##suffix, ways, random, spare_tags, help, source},
constexpr std::array kReplacementPolicies = {
#include "cachesim/l1/registry.def"
};
#undef REPLACEMENT

}  // namespace

std::span<const ReplacementEntry> replacement_policies() {
  return kReplacementPolicies;
}

const ReplacementEntry& replacement_policy(const std::string& name) {
  if (const ReplacementEntry* entry = find_named(kReplacementPolicies, name)) return *entry;
  throw unknown_name("replacement policy: '" + name + "' is not known", names_of(kReplacementPolicies));
}

std::unique_ptr<L1Cache> make_l1_cache(const L1CacheOptions& options) {
  return replacement_policy(options.config.replacement).make_cache(options);
}

}  // namespace warpscope
