#include "machine/describe/describe_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "machine/cubin/source_name.h"
#include "machine/describe/consumers.h"
#include "machine/describe/locations.h"
#include "machine/describe/loops.h"
#include "machine/describe/mix.h"
#include "machine/describe/parallelism.h"
#include "machine/describe/sources.h"
#include "machine/execute/base/fault.h"
#include "machine/execute/warp.h"
#include "machine/isa/effects.h"
#include "machine/isa/printer.h"

namespace warpscope::machine {
namespace {

AddressSpace space_of(MemorySpace space) {
  switch (space) {
    case MemorySpace::Shared:
      return AddressSpace::Local;
    case MemorySpace::Local:
      return AddressSpace::Private;
    case MemorySpace::Generic:
      return AddressSpace::Generic;
    default:
      return AddressSpace::Global;
  }
}

/// "add" of ATOMG.E.ADD.STRONG.GPU.
std::string operation_of(const std::string& name) {
  static constexpr std::pair<std::string_view, const char*> kNames[] = {
      {".ADD", "add"},   {".MIN", "min"},     {".MAX", "max"}, {".INC", "inc"},
      {".DEC", "dec"},   {".AND", "and"},     {".OR", "or"},   {".XOR", "xor"},
      {".EXCH", "xchg"}, {".CAS", "cmpxchg"}, {".POPC", "add"}};
  for (const auto& [text, operation] : kNames)
    if (name.find(text) != std::string::npos) return operation;
  return "add";
}

class Description {
 public:
  Description(const Code& code, const CodeFlow& flow, const TextureAccesses& textures)
      : code_(code), flow_(flow), textures_(textures) {
    described_.site_of.assign(code.operations().size(), kNoSite);
    for (const Instruction& instruction : code.instructions())
      effects_.push_back(instruction.is_known() ? effects_of(code.decoder(), instruction) : Effects{});
  }

  DescribedKernel run() {
    KernelInfo& info = described_.info;
    info.registers_estimate = code_.kernel().registers;
    info.static_local_bytes = code_.kernel().shared_bytes;
    info.independent_threads = true;
    for (std::uint32_t block = 0; block < flow_.blocks().size(); ++block) add_block(block);
    add_loops(flow_, info);
    add_untimed();
    const auto successors = successors_of(code_, flow_);
    for (std::uint32_t place = 0; place < described_.site_of.size(); ++place)
      if (described_.site_of[place] != kNoSite)
        add_uses(place, first_uses(code_, effects_, successors, place));
    ValueSources sources(code_, effects_, described_.site_of, successors);
    add_sources(sources);
    return std::move(described_);
  }

 private:
  void add_block(std::uint32_t number) {
    const CodeBlock& block = flow_.blocks()[number];
    BlockInfo info;
    for (const std::uint32_t successor : block.successors) info.successors.emplace_back(successor);
    if (block.post_dominator) info.immediate_post_dominator = BlockId(*block.post_dominator);
    info.instructions = block.count;
    if (block.count == 0 && block.access != 0 && block.kind == CodeBlock::Kind::Code) {
      const std::uint32_t site = described_.site_of[block.first] + block.access;
      info.sites.emplace_back(site);
      SiteInfo& known = described_.info.sites[site];
      known.point = {BlockId(number), 0};
      if (known.kind == AccessKind::Load) known.earliest = known.point;
    }
    for (std::uint32_t place = block.first; place < block.first + block.count; ++place) {
      if (const char* kind = class_of(code_.decoder(), code_.instructions()[place])) ++info.mix[kind];
      if (is_fence(place)) info.fences.push_back(place - block.first);
      if (const auto site = site_at(place)) {
        described_.site_of[place] = static_cast<std::uint32_t>(described_.info.sites.size());
        info.sites.emplace_back(described_.site_of[place]);
        described_.info.sites.push_back(*site);
        described_.info.sites.back().point = {BlockId(number), place - block.first};
        if (site->kind == AccessKind::Load)
          described_.info.sites.back().earliest = described_.info.sites.back().point;
        if (is_copy(place)) add_copy(info, *site);
        if (code_.operations()[place].accesses_texture) add_texels(place);
      }
    }
    if (block.count != 0) info.parallelism = parallelism_of(code_, effects_, block.first, block.count);
    described_.info.blocks.push_back(std::move(info));
  }

  /// What the timed engine does not model, in the mix of the first block.
  void add_untimed() {
    for (std::uint32_t place = 0; place < code_.instructions().size(); ++place) {
      if (flow_.block_of(place) == kNoBlock || !code_.instructions()[place].is_known()) continue;
      const Row& row = code_.decoder().row(code_.instructions()[place]);
      auto& mix = described_.info.blocks.front().mix;
      if (row.name.ends_with("GMMA")) mix["mma"] = 1;  // of four warps
      if (code_.operations()[place].flow == Flow::ClusterWait || row.name == "STAS" || row.name == "REDAS")
        mix["cluster"] = 1;
    }
  }

  /// Whether it orders what the lane did before for other work-groups.
  [[nodiscard]] bool is_fence(std::uint32_t place) const {
    const Instruction& instruction = code_.instructions()[place];
    if (!instruction.is_known()) return false;
    const std::string name = name_of(code_.decoder(), instruction);
    return name.starts_with("MEMBAR") && name.find(".CTA") == std::string::npos;
  }

  /// Whether a store is of what only constants and parameters flow into.
  [[nodiscard]] bool stores_one_value(std::uint32_t place, ValueSources& sources) const {
    const Instruction& instruction = code_.instructions()[place];
    RegisterSets stored;
    for (std::size_t slot = 0; slot < instruction.operand_count; ++slot) {
      const Operand& operand = instruction.operands[slot];
      if (operand.kind != OperandKind::Register || operand.value == kZeroRegister) continue;
      for (std::uint32_t word = 0; word < std::max(1u, effects_[place].access_bytes / 4u); ++word)
        stored.registers.set((operand.value + word) % stored.registers.size());
    }
    const AddressSources from = sources.of(place, stored).sources;
    return from.value.empty() && from.part.empty() && from.choice.empty() && !from.work_item;
  }

  [[nodiscard]] bool is_copy(std::uint32_t place) const {
    return code_.decoder().row(code_.instructions()[place]).name == "LDGSTS";
  }

  /// What LDGSTS writes, at the place where it reads.
  void add_copy(BlockInfo& block, const SiteInfo& read) {
    SiteInfo written = read;
    written.kind = AccessKind::Store;
    written.space = AddressSpace::Local;
    written.is_read_only = written.is_bypass = written.is_streaming = false;
    written.point = described_.info.sites.back().point;
    block.sites.emplace_back(static_cast<std::uint32_t>(described_.info.sites.size()));
    described_.info.sites.push_back(std::move(written));
  }

  [[nodiscard]] std::uint32_t sites_at(std::uint32_t place) const {
    const auto found = textures_.find(place);
    if (found != textures_.end()) return static_cast<std::uint32_t>(found->second.size());
    return is_copy(place) ? 2 : 1;
  }

  /// The sites of the other accesses; those in their own blocks are placed later.
  void add_texels(std::uint32_t place) {
    const auto found = textures_.find(place);
    if (found == textures_.end()) return;
    const std::uint32_t first = described_.site_of[place];
    for (std::size_t number = 0; number < found->second.size(); ++number) {
      if (number != 0) described_.info.sites.push_back(SiteInfo(described_.info.sites[first]));
      SiteInfo& site = described_.info.sites.back();
      site.width = site.alignment = found->second[number].bytes;
    }
  }

  /// Nothing of __syncthreads().
  [[nodiscard]] std::optional<NamedBarrier> named_barrier(const Operation& operation) const {
    const auto number = immediate(operation.a), count = immediate(operation.b);
    const bool arrives = (operation.bits & 3) == 1;  // Flow::GroupBarrier, as Warp executes it
    if (!number || !count) return NamedBarrier{false, 0, 0, arrives};
    if (*number == 0 && *count == 0 && !arrives) return std::nullopt;
    return NamedBarrier{true, *number % kNamedBarriers, *count, arrives};
  }

  [[nodiscard]] std::optional<std::uint32_t> immediate(const Source& source) const {
    if (!source.is_constant || !code_.constants()[source.low].is_immediate) return std::nullopt;
    return code_.constants()[source.low].value;
  }

  [[nodiscard]] std::optional<SiteInfo> site_at(std::uint32_t place) const {
    const Instruction& instruction = code_.instructions()[place];
    if (!instruction.is_known()) return std::nullopt;
    const std::string name = name_of(code_.decoder(), instruction);
    const Effects& effects = effects_[place];
    SiteInfo site;
    site.locations = locations_of(code_, place);
    site.function = source_name(code_.kernel().name);
    // The barrier of a cluster is one of its work-groups, too.
    const Flow flow = code_.operations()[place].flow;
    if (flow == Flow::GroupBarrier || flow == Flow::ClusterWait) {
      site.kind = AccessKind::Barrier;
      site.space = AddressSpace::Local;
      site.operation = "local|global";
      if (flow == Flow::GroupBarrier) site.named = named_barrier(code_.operations()[place]);
      return site;
    }
    const bool is_texture = effects.space == MemorySpace::Texture;
    if ((!effects.loads && !effects.stores) || effects.space == MemorySpace::Constant ||
        (is_texture && !code_.operations()[place].accesses_texture))
      return std::nullopt;
    const bool is_atomic = name.starts_with("ATOM") || name.starts_with("RED") || name.starts_with("SURED");
    site.kind = is_atomic ? AccessKind::Atomic : effects.loads ? AccessKind::Load : AccessKind::Store;
    if (is_atomic) site.operation = operation_of(name);
    const bool is_of_group =
        site.kind != AccessKind::Barrier && site.kind != AccessKind::Fence &&
        (name.find(".STRONG.SM") != std::string::npos || name.find(".STRONG.CTA") != std::string::npos);
    if (is_of_group) site.operation += site.operation.empty() ? "group" : ".group";
    site.space = space_of(effects.space);
    // Each row of a matrix has 16 bytes, whatever a register takes of it.
    const bool is_matrix = name.starts_with("LDSM") || name.starts_with("STSM");
    site.width = site.alignment = is_matrix ? 16 : is_texture ? TextureAccess().bytes : effects.access_bytes;
    if (is_texture) return site;  // the orders of surfaces are those of their own accesses
    const bool is_load = site.kind == AccessKind::Load && site.space != AddressSpace::Local &&
                         site.space != AddressSpace::Private;
    site.is_read_only = is_load && name.find(".CONSTANT") != std::string::npos;
    // Loads that other cores' stores must be seen by do not look the L1 up: ld.global.cg and ld.volatile become these.
    site.is_bypass =
        is_load && (name.find(".STRONG.GPU") != std::string::npos ||
                    name.find(".STRONG.SYS") != std::string::npos || name.find(".MMIO") != std::string::npos);
    site.is_streaming = name.find(".EF") != std::string::npos;
    site.is_strong = name.find(".STRONG.") != std::string::npos || name.find(".MMIO") != std::string::npos;
    return site;
  }

  void add_uses(std::uint32_t place, const std::vector<std::uint32_t>& uses) {
    const std::uint32_t first = described_.site_of[place], count = is_copy(place) ? 1 : sites_at(place);
    for (std::uint32_t number = first; number < first + count; ++number) {
      SiteInfo& site = described_.info.sites[number];
      if (site.kind != AccessKind::Load && site.kind != AccessKind::Atomic) return;
      for (const std::uint32_t use : uses) {
        const std::uint32_t block = flow_.block_of(use);
        if (block == kNoBlock) continue;
        site.consumers.push_back({BlockId(block), use - flow_.blocks()[block].first});
      }
    }
  }

  /// The parameter that is the handle of a texture, where that is a constant of the instruction.
  void add_handle(std::uint32_t place, std::set<std::uint32_t>& parameters) const {
    const Operation& operation = code_.operations()[place];
    if (!operation.accesses_texture || !operation.c.is_constant) return;
    const ConstantRow& row = code_.constants()[operation.c.low];
    const std::vector<KernelParameter>& known = code_.kernel().parameters;
    for (std::uint32_t number = 0; row.bank == 0 && number < known.size(); ++number)
      if (row.offset - code_.kernel().parameter_bank_offset - known[number].offset < known[number].bytes)
        parameters.insert(number);
  }

  void add_sources(ValueSources& sources) {
    described_.parameters_of.resize(described_.info.sites.size());
    for (std::uint32_t place = 0; place < described_.site_of.size(); ++place) {
      const std::uint32_t site = described_.site_of[place];
      if (site == kNoSite || described_.info.sites[site].kind == AccessKind::Barrier) continue;
      for (std::uint32_t side = 0; side < sites_at(place); ++side) {
        ValueSources::Found found = sources.of(
            place, address_reads(code_.decoder(), code_.instructions()[place], is_copy(place) && side == 1));
        described_.info.sites[site + side].address_from = std::move(found.sources);
        add_handle(place, found.parameters);
        described_.parameters_of[site + side].assign(found.parameters.begin(), found.parameters.end());
      }
      SiteInfo& info = described_.info.sites[site];
      info.stores_constant = info.kind == AccessKind::Store && stores_one_value(place, sources);
    }
    for (std::uint32_t number = 0; number < flow_.blocks().size(); ++number) {
      const CodeBlock& block = flow_.blocks()[number];
      if (block.successors.size() < 2) continue;
      described_.info.blocks[number].branch_from = sources.of_decision(
          block.kind == CodeBlock::Kind::Gate ? block.first : block.first + block.count - 1);
    }
  }

  const Code& code_;
  const CodeFlow& flow_;
  const TextureAccesses& textures_;
  std::vector<Effects> effects_;
  DescribedKernel described_;
};

}  // namespace

DescribedKernel describe_kernel(const Code& code, const CodeFlow& flow, const TextureAccesses& textures) {
  return Description(code, flow, textures).run();
}

}  // namespace warpscope::machine
