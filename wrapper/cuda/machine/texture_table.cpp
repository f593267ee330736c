#include "wrapper/cuda/machine/texture_table.h"

#include <algorithm>

namespace warpscope::cuda {

TextureTable& TextureTable::get() {
  static auto* const table = new TextureTable;
  return *table;
}

std::uint64_t TextureTable::add(const machine::Texture& texture) {
  const std::lock_guard lock(mutex_);
  const auto free = std::ranges::find_if(textures_, [](const auto& one) { return !one.has_value(); });
  const auto place = free - textures_.begin();
  if (free == textures_.end())
    textures_.emplace_back(texture);
  else
    *free = texture;
  return static_cast<std::uint64_t>(place) + 1;
}

void TextureTable::remove(std::uint64_t handle) {
  const std::lock_guard lock(mutex_);
  if (handle == 0 || handle > textures_.size()) return;
  textures_[handle - 1].reset();
  while (!textures_.empty() && !textures_.back()) textures_.pop_back();
}

std::vector<machine::Texture> TextureTable::textures() const {
  const std::lock_guard lock(mutex_);
  std::vector<machine::Texture> all;
  all.reserve(textures_.size());
  for (const std::optional<machine::Texture>& one : textures_)
    all.push_back(one.value_or(machine::Texture{}));
  return all;
}

}  // namespace warpscope::cuda
