#include "whatif/kernel_change.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "whatif/objects.h"

namespace warpscope::whatif {
namespace {

/// Instructions that splitting adds to a kernel, and joining takes away.
class Additions {
 public:
  Additions(const KernelInfo& kernel, const std::vector<SiteFit>& fits) : by_block_(kernel.blocks.size()) {
    for (std::size_t s = 0; s < fits.size(); ++s) {
      const SiteInfo& info = kernel.sites[s];
      if (parts_of(fits[s]) != 1 && info.point.block.value() < by_block_.size())
        by_block_[info.point.block.value()].push_back(
            {info.point.position, static_cast<std::int32_t>(parts_of(fits[s])) - 1, s});
    }
  }

  [[nodiscard]] ProgramPoint moved(ProgramPoint point) const {
    if (point.block.value() >= by_block_.size()) return point;
    const std::uint32_t before = point.position;
    for (const Added& added : by_block_[point.block.value()])
      if (added.position < before) point.position = sum(point.position, added.count);
    return point;
  }

  void add_to(BlockInfo& block, std::size_t number, const KernelInfo& kernel) const {
    // The graph of the new block is not known.
    if (!by_block_[number].empty()) block.parallelism.reset();
    for (const Added& added : by_block_[number]) {
      block.instructions = sum(block.instructions, added.count);
      const SiteInfo& info = kernel.sites[added.site];
      const std::string memory_class = std::string(name_of(info.kind)) + "_" + name_of(info.space);
      const auto found = block.mix.find(info.kind == AccessKind::Atomic ? "atomic" : memory_class);
      if (found != block.mix.end()) found->second = sum(found->second, added.count);
    }
  }

 private:
  static std::uint32_t sum(std::uint32_t value, std::int32_t more) {
    return static_cast<std::uint32_t>(std::max<std::int64_t>(0, std::int64_t{value} + more));
  }
  struct Added {
    std::uint32_t position;
    std::int32_t count;
    std::size_t site;
  };
  std::vector<std::vector<Added>> by_block_;
};

bool is_later(const ProgramPoint& a, const ProgramPoint& b) {
  return std::pair(a.block.value(), a.position) > std::pair(b.block.value(), b.position);
}

/// `site`, the first in program order, as one load in place of all of `wide`: it can issue when all of them
/// can (their addresses are one), and whoever waits for one of them waits for it.
SiteInfo joined(SiteInfo site, const WideLoad& wide, const std::vector<SiteInfo>& sites) {
  site.width = wide.bytes;
  site.alignment = wide.alignment;
  site.locations.clear();
  site.consumers.clear();
  for (const SiteId id : wide.sites) {
    const SiteInfo& part = sites[id.value()];
    for (const SourceLocation& at : part.locations) {
      const auto is_same = [&](const SourceLocation& known) {
        return std::tie(known.file, known.line, known.column) == std::tie(at.file, at.line, at.column);
      };
      if (std::none_of(site.locations.begin(), site.locations.end(), is_same)) site.locations.push_back(at);
    }
    site.consumers.insert(site.consumers.end(), part.consumers.begin(), part.consumers.end());
    if (part.earliest && (!site.earliest || is_later(*part.earliest, *site.earliest)))
      site.earliest = part.earliest;
  }
  if (site.earliest && is_later(*site.earliest, site.point)) site.earliest = site.point;
  return site;
}

std::vector<SiteInfo> sites_of(const SiteInfo& site, const SiteFit& fit, const Additions& additions) {
  SiteInfo moved = site;
  moved.point = additions.moved(site.point);
  if (site.earliest) moved.earliest = additions.moved(*site.earliest);
  for (ProgramPoint& use : moved.consumers) use = additions.moved(use);
  moved.is_bypass = moved.is_bypass || fit.bypasses;
  moved.is_read_only = moved.is_read_only || (fit.read_only && site.kind == AccessKind::Load);
  std::vector<SiteInfo> sites(parts_of(fit), moved);
  for (std::size_t i = 0; i < fit.pieces.size() && !fit.wide && !fit.joined; ++i) {
    sites[i].width = fit.pieces[i].bytes;
    sites[i].alignment = fit.pieces[i].alignment;
    sites[i].point.position += static_cast<std::uint32_t>(i);
  }
  return sites;
}

/// The sites with their new numbers: of a load that splits all parts, in place of a joined one the wide load.
std::vector<SiteId> renumbered(const std::vector<SiteId>& sites, const std::vector<std::uint32_t>& first,
                               const std::vector<SiteFit>& fits) {
  std::vector<SiteId> result;
  for (const SiteId site : sites) {
    std::uint32_t from = site.value();
    for (std::uint32_t wide = 0; fits[from].joined && wide < fits.size(); ++wide)
      if (fits[wide].wide && std::count(fits[wide].wide->sites.begin(), fits[wide].wide->sites.end(), site))
        from = wide;
    for (std::uint32_t part = 0; part < parts_of(fits[from]); ++part) result.emplace_back(first[from] + part);
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace

KernelInfo changed_kernel(const LaunchInfo& launch, const std::vector<SiteFit>& fits, const Plan& plan,
                          const std::vector<BufferInfo>& buffers) {
  const KernelInfo& old = *launch.kernel;
  KernelInfo kernel = old;
  const Additions additions(old, fits);
  kernel.sites.clear();
  std::vector<std::uint32_t> first(old.sites.size());
  for (std::size_t s = 0; s < old.sites.size(); ++s) {
    first[s] = static_cast<std::uint32_t>(kernel.sites.size());
    const auto& wide = fits[s].wide;
    const SiteInfo site = wide ? joined(old.sites[s], *wide, old.sites) : old.sites[s];
    for (SiteInfo& part : sites_of(site, fits[s], additions)) kernel.sites.push_back(std::move(part));
  }
  for (SiteInfo& site : kernel.sites)
    if (auto& from = site.address_from)
      for (auto* list : {&from->value, &from->part, &from->choice}) *list = renumbered(*list, first, fits);
  for (std::size_t b = 0; b < kernel.blocks.size(); ++b) {
    kernel.blocks[b].branch_from = renumbered(old.blocks[b].branch_from, first, fits);
    additions.add_to(kernel.blocks[b], b, old);
    kernel.blocks[b].sites.clear();
    for (const SiteId site : old.blocks[b].sites)
      for (std::uint32_t part = 0; part < parts_of(fits[site.value()]); ++part)
        kernel.blocks[b].sites.emplace_back(first[site.value()] + part);
  }
  for (std::size_t i = 0; i < kernel.objects.size(); ++i) {
    const BufferId id = launch.objects[i];
    if (!plan.moves(id)) continue;
    kernel.objects[i].size = plan.map_of(id)->new_size();
    if (kernel.objects[i].space == AddressSpace::Local)
      kernel.static_local_bytes += kernel.objects[i].size - buffers[id.value() - 1].size;
  }
  return kernel;
}

LaunchInfo changed_launch(const LaunchInfo& launch, const Shared<KernelInfo>& kernel, const Plan& plan,
                          const std::vector<BufferInfo>& buffers) {
  LaunchInfo changed = launch;
  changed.kernel = kernel;
  for (const BufferInfo& buffer : buffers) {
    if (!plan.moves(buffer.id) || buffer.space != AddressSpace::Local) continue;
    const std::size_t at = local_argument_of(launch, buffer);
    if (at == launch.arguments.size()) continue;
    const std::uint64_t bytes = plan.map_of(buffer.id)->new_size();
    changed.arguments.edit()[at].value = std::to_string(bytes);
    changed.dynamic_local_bytes += bytes - buffer.size;
  }
  return changed;
}

}  // namespace warpscope::whatif
