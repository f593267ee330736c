#include "wrapper/recording/address_guard.h"

#include <fmt/format.h>

#include <algorithm>

#include "wrapper/recording/summary.h"

namespace warpscope {
namespace {

constexpr std::uint64_t kLowAddresses = 1U << 16U;
/// Beyond it an allocation says nothing about where a pointer came from.
constexpr std::uint64_t kNear = std::uint64_t{1} << 30U;
/// A GPU's accesses are of at most so many bytes.
constexpr std::uint32_t kWidestAccess = 16;

bool has_checked_address(const SiteInfo& site) {
  return has_address(site.kind) &&
         (site.space == AddressSpace::Global || site.space == AddressSpace::Generic);
}

std::string relation_to(std::uint64_t address, std::uint32_t width, const NearestAllocation& nearest) {
  const auto [base, size] = nearest.range;
  const std::uint64_t end = base + size;
  if (address < kLowAddresses) return fmt::format("at address {:#x}: null pointer", address);
  if (size != 0 && address >= end && address - end < kNear)
    return fmt::format("{} bytes behind {} of {} bytes", address - end, nearest.name, size);
  if (size != 0 && address < base && base - address < kNear)
    return fmt::format("{} bytes before {} of {} bytes", base - address, nearest.name, size);
  if (size != 0 && address >= base && address < end)
    return fmt::format("{} bytes of it behind {} of {} bytes", width - (end - address), nearest.name, size);
  return fmt::format("at address {:#x}: wild pointer", address);
}

}  // namespace

std::vector<SiteRoom> initial_rooms(const KernelInfo& kernel) {
  std::vector<SiteRoom> rooms(kernel.sites.size());
  for (std::size_t index = 0; index < rooms.size(); ++index)
    if (const SiteInfo& site = kernel.sites[index]; has_checked_address(site))
      rooms[index] = {~std::uint64_t{0}, 0, std::min(site.alignment, kWidestAccess) - 1};
  return rooms;
}

std::string describe(const BadAccess& access, const NearestAllocation& nearest) {
  const SiteInfo& site = access.kernel->sites[access.site.value()];
  const std::string what = access.is_misaligned
                               ? fmt::format("at address {:#x}, which is not a multiple of {}",
                                             access.address, std::min(site.alignment, kWidestAccess))
                               : relation_to(access.address, site.width, nearest);
  const auto& [block, thread] = std::pair(access.block, access.thread);
  return fmt::format("kernel '{}', {}: {} of {} bytes {}; block [{},{},{}], thread [{},{},{}]",
                     access.kernel->name, location_of(site), name_of(site.kind), site.width, what, block.x,
                     block.y, block.z, thread.x, thread.y, thread.z);
}

}  // namespace warpscope
