#include "cachesim/simulate/result_bytes.h"

#include <algorithm>

namespace warpscope {
namespace {

void put(const SiteKey& site, std::vector<std::uint8_t>& out) {
  put_varint(out, site.kernel);
  put_varint(out, site.site.value());
  put_varint(out, static_cast<std::uint64_t>(site.kind));
}

SiteKey site_from(ByteReader& in, std::size_t kernels) {
  SiteKey site;
  site.kernel = in.varint("kernel");
  if (site.kernel >= std::max<std::size_t>(1, kernels)) in.fail("kernel", "is not there");
  site.site = SiteId(static_cast<std::uint32_t>(in.varint("site")));
  const std::uint64_t kind = in.varint("kind");
  if (kind > static_cast<std::uint64_t>(AccessKind::Atomic)) in.fail("kind", "is not known");
  site.kind = static_cast<AccessKind>(kind);
  return site;
}

void add_launches(std::span<ByteReader> parts, SimulationResult& sum) {
  std::uint64_t launches = 0;
  for (ByteReader& in : parts) {
    const std::uint64_t here = in.count("launches");
    if (&in != parts.data() && here != launches) in.fail("launches", "differ from those of other cores");
    launches = here;
  }
  for (std::uint64_t launch = 0; launch < launches; ++launch) {
    LaunchRecord record;
    for (ByteReader& in : parts) {
      record.l1_kib = in.varint("size of the L1");
      record.counts += decode_counts(in);
    }
    sum.all_launches += record.counts;
    sum.launches.add(sum.launches.size(), record, 0);
  }
}

void add_rest(ByteReader& in, SimulationResult& sum) {
  for (std::uint64_t left = in.count("cores"); left != 0; --left) {
    const CoreId core(static_cast<std::uint32_t>(in.varint("core")));
    sum.cores[core] += decode_counts(in);
  }
  for (std::uint64_t left = in.count("sites"); left != 0; --left) {
    const SiteKey site = site_from(in, sum.kernels.size());
    const BufferId buffer(static_cast<std::uint32_t>(in.varint("buffer")));
    sum.sites[{site, buffer}] += decode_counts(in);
  }
  if (in.count("sets", 2) != sum.sets.size()) in.fail("sets", "are not those of the cache");
  for (SetCounts& set : sum.sets) {
    set.transactions += in.varint("transactions");
    set.misses += in.varint("misses");
  }
  sum.reuse.add(in);
  for (std::uint64_t left = in.count("reuse of sites"); left != 0; --left) {
    const SiteKey site = site_from(in, sum.kernels.size());
    sum.site_reuse.try_emplace(site, in.varint("capacity")).first->second.add(in);
  }
}

}  // namespace

void encode(const SimulationResult& result, std::vector<std::uint8_t>& out) {
  put_varint(out, result.launches.size() - result.launches.first());
  for (std::size_t i = result.launches.first(); i < result.launches.size(); ++i) {
    const LaunchRecord record = result.launches.record(i);
    put_varint(out, record.l1_kib);
    encode(record.counts, out);
  }
  put_varint(out, result.cores.size());
  for (const auto& [core, counts] : result.cores) {
    put_varint(out, core.value());
    encode(counts, out);
  }
  put_varint(out, result.sites.size());
  for (const auto& [key, counts] : result.sites) {
    put(key.first, out);
    put_varint(out, key.second.value());
    encode(counts, out);
  }
  put_varint(out, result.sets.size());
  for (const SetCounts& set : result.sets) {
    put_varint(out, set.transactions);
    put_varint(out, set.misses);
  }
  result.reuse.encode(out);
  put_varint(out, result.site_reuse.size());
  for (const auto& [site, histogram] : result.site_reuse) {
    put(site, out);
    put_varint(out, histogram.capacity());
    histogram.encode(out);
  }
}

void add(std::span<ByteReader> parts, SimulationResult& sum) {
  add_launches(parts, sum);
  for (ByteReader& in : parts) add_rest(in, sum);
}

}  // namespace warpscope
