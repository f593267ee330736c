#pragma once
// Random programs of several launches: kernels with divergent control flow in all address spaces, launched
// with different sizes on buffers that they share.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/property/laws/program_on_disk.h"
#include "tests/property/scheduler/random_kernel.h"
#include "traces/base/random.h"

namespace warpscope::testing {

/// How a site's lanes walk through a buffer in one launch.
struct Walk {
  BufferId buffer;
  BufferId others;                             ///< of every third work-item; mostly the same
  std::int64_t item = 4, group = 0, step = 0;  ///< bytes from one work-item, group, execution to the next
  std::uint64_t start = 0, size = 0;           ///< of the smaller buffer: addresses wrap around
  bool scattered = false;                      ///< anywhere, a few lines at a time
};

class RandomProgram {
 public:
  explicit RandomProgram(std::uint64_t seed) : random_(seed) {}

  Program make() {
    program_.mixes_buffers = random_.below(6) == 0;
    add_buffers();
    const std::uint64_t kernels = 1 + random_.below(3);
    for (std::uint64_t k = 0; k < kernels; ++k) kernels_.push_back(make_kernel(k));
    const std::uint64_t launches = 2 + random_.below(4);
    for (std::uint64_t l = 0; l < launches; ++l)
      program_.launches.push_back(launch(kernels_[random_.below(kernels_.size())]));
    return std::move(program_);
  }

 private:
  static constexpr std::uint64_t kWidest = 32;  ///< access, bytes

  std::uint64_t pick(std::initializer_list<std::uint64_t> values) {
    return *(values.begin() + random_.below(values.size()));
  }

  void add_buffers() {
    const std::uint64_t globals = 1 + random_.below(4);
    for (std::uint64_t b = 0; b < globals; ++b)
      program_.add_buffer("g" + std::to_string(b), AddressSpace::Global, pick({512, 4096, 10000, 65536}));
    program_.add_buffer("c", AddressSpace::Constant, 1024);
    program_.add_buffer("l", AddressSpace::Local, 2048);
    program_.add_buffer("p", AddressSpace::Private, pick({36, 64, 100}));
    program_.add_buffer("q", AddressSpace::Private, 40);
  }

  BufferId buffer_in(AddressSpace space) {
    if (space == AddressSpace::Generic) space = AddressSpace::Global;
    std::vector<BufferId> there;
    for (const BufferInfo& buffer : program_.buffers)
      if (buffer.space == space) there.push_back(buffer.id);
    return there[random_.below(there.size())];
  }

  KernelInfo make_kernel(std::uint64_t number) {
    KernelInfo kernel;
    while (kernel.blocks.empty() || kernel.sites.empty())
      kernel = random_.below(2) == 0 ? random_graph(random_) : StructuredKernel(random_).make();
    kernel.name = "k" + std::to_string(number);
    for (SiteInfo& site : kernel.sites) describe(site);
    place_sites(kernel);
    if (random_.below(2) == 0) kernel.static_local_bytes = 2048;
    kernel.registers_estimate = static_cast<std::uint32_t>(random_.below(40));
    return kernel;
  }

  void describe(SiteInfo& site) {
    if (site.kind == AccessKind::Fence && random_.below(2) == 0) site.kind = AccessKind::Barrier;
    if (!has_address(site.kind)) return;
    site.width = static_cast<std::uint32_t>(pick({1, 2, 4, 4, 4, 8, 12, 16, 32}));
    site.alignment = static_cast<std::uint32_t>(pick({1, 4, 4, 8, 16}));
    site.is_volatile = random_.below(16) == 0;
    switch (random_.below(10)) {
      case 0:
        site.space = AddressSpace::Generic;
        break;
      case 1:
        site.space = AddressSpace::Local;
        break;
      case 2:
      case 3:
        if (site.kind != AccessKind::Atomic) site.space = AddressSpace::Private;
        break;
      case 4:
        if (site.kind == AccessKind::Load) site.space = AddressSpace::Constant;
        break;
      default:
        break;
    }
  }

  /// Sites between other instructions, and the first uses of what they load.
  void place_sites(KernelInfo& kernel) {
    for (std::uint32_t b = 0; b < kernel.blocks.size(); ++b) {
      BlockInfo& block = kernel.blocks[b];
      std::uint32_t position = 0;
      for (const SiteId site : block.sites) {
        const auto others = static_cast<std::uint32_t>(random_.below(3));
        position += others;
        if (others != 0) block.mix["int_alu"] += others;
        kernel.sites[site.value()].point = {BlockId(b), position++};
      }
      block.instructions = position + 1;
      block.mix["branch"] = 1;
    }
    for (SiteInfo& site : kernel.sites) {
      if (site.kind != AccessKind::Load) continue;
      const auto b = static_cast<std::uint32_t>(random_.below(kernel.blocks.size()));
      site.consumers.push_back(
          {BlockId(b), static_cast<std::uint32_t>(random_.below(kernel.blocks[b].instructions + 1))});
      if (random_.below(2) == 0) site.earliest = site.point;
    }
  }

  Walk walk_of(const SiteInfo& site) {
    Walk walk;
    walk.buffer = buffer_in(site.space);
    walk.others = walk.buffer;
    if (program_.mixes_buffers && site.space == AddressSpace::Generic)
      walk.others = BufferId(static_cast<std::uint32_t>(1 + random_.below(program_.buffers.size())));
    else if (program_.mixes_buffers)
      walk.others = buffer_in(site.space);
    walk.size = std::min(program_.buffers[walk.buffer.value() - 1].size,
                         program_.buffers[walk.others.value() - 1].size);
    const std::uint64_t unit = std::max(1u, site.width);
    walk.item = static_cast<std::int64_t>(unit * pick({0, 1, 1, 1, 2, 3, 16, 32, 33, 64}));
    if (random_.below(6) == 0) walk.item = -walk.item;
    walk.group = static_cast<std::int64_t>(unit * pick({0, 32, 40, 64}));
    walk.step = static_cast<std::int64_t>(unit * pick({0, 1, 1, 32, 64, 128}));
    walk.start = site.alignment * random_.below(64);
    walk.scattered = random_.below(5) == 0;
    return walk;
  }

  static std::uint64_t address(const Walk& walk, std::uint64_t alignment, std::uint32_t group,
                               std::uint32_t item, std::uint64_t count) {
    std::uint64_t offset = 0;
    if (walk.scattered) {
      SplitMix64 where(group * 31 + item / 4 * 7 + count % 5);
      offset = where.next() >> 1;
    } else {
      offset = walk.start + static_cast<std::uint64_t>(walk.item) * item +
               static_cast<std::uint64_t>(walk.group) * group + static_cast<std::uint64_t>(walk.step) * count;
      offset &= ~std::uint64_t{0} >> 1;
    }
    offset %= walk.size > kWidest ? walk.size - kWidest : 1;
    return BufferAddr(item % 3 == 2 ? walk.others : walk.buffer, offset / alignment * alignment).key();
  }

  VectorSource launch(const KernelInfo& kernel) {
    const auto groups = static_cast<std::uint32_t>(1 + random_.below(6));
    const auto items = static_cast<std::uint32_t>(pick({1, 8, 16, 32, 40, 64}));
    VectorSource source(kernel, {groups, 1, 1}, {items, 1, 1});
    source.mutable_launch().dynamic_local_bytes = random_.below(3) == 0 ? pick({512, 8192}) : 0;
    std::vector<Walk> walks;
    for (const SiteInfo& site : kernel.sites) walks.push_back(walk_of(site));
    // Barriers are for all work-items: where there are some, all go the same way. Else some do not.
    const bool has_barrier = std::any_of(kernel.sites.begin(), kernel.sites.end(), [](const SiteInfo& site) {
      return site.kind == AccessKind::Barrier;
    });
    const std::uint64_t paths = has_barrier ? 1 : pick({1, 1, 2, 5}), base = random_.next();
    const auto outcomes = [&](std::uint32_t group, std::uint32_t item) {
      SplitMix64 way(base + (has_barrier ? group : (group * items + item) % paths));
      return random_walk(kernel, way, 12);
    };
    const auto where = [&](std::uint32_t group, std::uint32_t item, SiteId site, std::uint64_t count) {
      const std::uint32_t alignment = kernel.sites[site.value()].alignment;
      return address(walks[site.value()], alignment, group, item, count);
    };
    for (std::uint32_t g = 0; g < groups; ++g) source.add(make_group(kernel, g, items, outcomes, where));
    return source;
  }

  SplitMix64 random_;
  Program program_;
  std::vector<KernelInfo> kernels_;
};

}  // namespace warpscope::testing
