#include "wrapper/recording/address_guard.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "wrapper/recording/summary.h"

namespace warpscope {
namespace {

constexpr std::uint64_t kLowAddresses = 1U << 16U;
/// Beyond it an allocation says nothing about where a pointer came from.
constexpr std::uint64_t kNear = std::uint64_t{1} << 30U;
constexpr std::uint64_t kGpuPage = std::uint64_t{2} << 20U;
/// A GPU's accesses are of at most so many bytes.
constexpr std::uint32_t kWidestAccess = 16;

bool has_checked_address(const SiteInfo& site) {
  return has_address(site.kind) && site.space != AddressSpace::Private && site.space != AddressSpace::Local;
}

/// Bytes from the end of the allocation to the address, or from the address to its begin; 0 inside.
std::uint64_t distance(std::uint64_t address, const AddressGuard::Range& range) {
  if (address < range.base) return range.base - address;
  return address - range.base < range.size ? 0 : address - (range.base + range.size);
}

std::string relation_to(std::uint64_t address, std::uint32_t width, const NearestAllocation& nearest) {
  const auto [base, size] = nearest.range;
  const std::string allocation = fmt::format("{} of {} bytes", nearest.name, size);
  if (address < kLowAddresses) return fmt::format("null pointer (address {:#x})", address);
  const std::uint64_t away = distance(address, nearest.range);
  if (size == 0 || away >= kNear) return fmt::format("wild pointer (address {:#x})", address);
  if (nearest.is_freed) return fmt::format("in {}, which was freed", allocation);
  if (address >= base && address - base < size)
    return fmt::format("its last {} bytes are behind {}", width - (base + size - address), allocation);
  return fmt::format("{} bytes {} {}{}", away, address < base ? "before" : "behind", allocation,
                     away > std::max(size, kGpuPage) ? ", the nearest allocation" : "");
}

/// The process has memory there.
bool is_mapped(std::uint64_t address, std::uint32_t bytes) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t first = address / page * page;
  std::array<unsigned char, 2> ignored{};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address that may be nobody's
  return ::mincore(reinterpret_cast<void*>(first), address + bytes - first, ignored.data()) == 0;
}

std::string place_of(const BadAccess& access) {
  const SiteInfo& site = access.kernel->sites[access.site.value()];
  return fmt::format("kernel '{}', {}: {} of {} bytes", access.kernel->name, location_of(site),
                     name_of(site.kind), site.width);
}

}  // namespace

std::vector<SiteRoom> initial_rooms(const KernelInfo& kernel) {
  std::vector<SiteRoom> rooms(kernel.sites.size());
  for (std::size_t index = 0; index < rooms.size(); ++index)
    if (const SiteInfo& site = kernel.sites[index]; has_checked_address(site))
      rooms[index] = {~std::uint64_t{0}, 0, std::min(site.alignment, kWidestAccess) - 1};
  return rooms;
}

bool passes_on_gpu(const BadAccess& access, const NearestAllocation& nearest) {
  const SiteInfo& site = access.kernel->sites[access.site.value()];
  if (access.is_misaligned || site.width > kWidestAccess) return false;
  if (nearest.is_freed || nearest.range.size == 0 || access.address < kLowAddresses) return false;
  const auto [room, room_size] = nearest.room;
  if (access.address >= room && access.address - room + site.width <= room_size) return true;
  if (site.kind != AccessKind::Load) return false;
  return distance(access.address, nearest.range) < kGpuPage && is_mapped(access.address, site.width);
}

std::string describe_passed(const BadAccess& access, const NearestAllocation& nearest) {
  return fmt::format(
      "{} outside of {} of {} bytes; a GPU does not notice that within a page, so the kernel goes on with "
      "what is there",
      place_of(access), nearest.name, nearest.range.size);
}

std::string describe(const BadAccess& access, const NearestAllocation& nearest) {
  const SiteInfo& site = access.kernel->sites[access.site.value()];
  const std::string what = access.is_misaligned
                               ? fmt::format("address {:#x} is not a multiple of {}", access.address,
                                             std::min(site.alignment, kWidestAccess))
                               : relation_to(access.address, site.width, nearest);
  const auto& [block, thread] = std::pair(access.block, access.thread);
  return fmt::format("{}: {}; block [{},{},{}], thread [{},{},{}]", place_of(access), what, block.x, block.y,
                     block.z, thread.x, thread.y, thread.z);
}

}  // namespace warpscope
