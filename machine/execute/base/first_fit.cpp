#include "machine/execute/base/first_fit.h"

#include <algorithm>
#include <iterator>

namespace warpscope::machine {
namespace {

constexpr std::uint64_t kAlignment =
    16;  // of malloc() in device code, as the CUDA C++ Programming Guide says

}  // namespace

std::uint64_t FirstFit::allocate(std::uint64_t bytes) {
  if (bytes == 0 || bytes > ~std::uint64_t{0} - kAlignment) return 0;
  bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  const auto fits = [&](const auto& block) { return block.second >= bytes; };
  const auto found = std::find_if(free_.begin(), free_.end(), fits);
  if (found == free_.end()) return 0;
  const auto [address, size] = *found;
  free_.erase(found);
  if (size > bytes) free_.emplace(address + bytes, size - bytes);
  used_.emplace(address, bytes);
  return address;
}

bool FirstFit::release(std::uint64_t address) {
  if (address == 0) return true;
  const auto found = used_.find(address);
  if (found == used_.end()) return false;
  const auto here = free_.emplace(found->first, found->second).first;
  used_.erase(found);
  if (const auto next = std::next(here); next != free_.end() && here->first + here->second == next->first) {
    here->second += next->second;
    free_.erase(next);
  }
  if (here == free_.begin()) return true;
  if (const auto before = std::prev(here); before->first + before->second == here->first) {
    before->second += here->second;
    free_.erase(here);
  }
  return true;
}

}  // namespace warpscope::machine
