#include "whatif/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "traces/base/progress.h"
#include "traces/base/refused.h"
#include "whatif/facts/locations.h"
#include "whatif/join.h"

namespace warpscope::whatif {
namespace {

/// What is known of a site while the capture is read.
struct SiteState {
  SiteFit fit;
  std::set<BufferId> moving;  ///< objects that move, and that it accesses
  bool reaches_bypassing = false, reaches_others = false;
  bool reaches_read_only = false, reaches_writable = false;
};

std::string text_of(const std::vector<Piece>& pieces) {
  std::string text;
  for (const Piece& piece : pieces) text += (text.empty() ? "" : " + ") + std::to_string(piece.bytes);
  return text;
}

/// The accesses of one kernel.
class KernelFit {
 public:
  KernelFit(const KernelInfo& kernel, const Plan& plan)
      : kernel_(kernel), plan_(plan), join_(kernel, plan), states_(kernel.sites.size()) {}

  void add(const WorkGroupTrace& trace) {
    join_.add(trace);
    for (std::size_t s = 0; s < trace.columns.size(); ++s) {
      const SiteColumn& column = trace.columns[s];
      if (column.shapes.empty()) continue;
      site_ = SiteId(static_cast<std::uint32_t>(s));
      const Reach reach(column);
      const AlikeItems alike(column);
      for (const AlikeItems::Kind& kind : alike.kinds()) add_item(column, reach, kind.item);
    }
  }

  /// Adds to `said` which loads are joined.
  std::vector<SiteFit> result(std::vector<std::string>& said) {
    refuse_loaded_pointers();
    refuse_loaded_indices();
    std::vector<SiteFit> fits;
    for (std::size_t s = 0; s < states_.size(); ++s) {
      SiteState& state = states_[s];
      site_ = SiteId(static_cast<std::uint32_t>(s));
      if (state.reaches_bypassing && state.reaches_others)
        refuse(
            "reaches an object that bypasses the L1 and others that do not, expected an instruction that "
            "does one of both");
      state.fit.bypasses = state.reaches_bypassing;
      state.fit.read_only = state.reaches_read_only && !state.reaches_writable;
      fits.push_back(std::move(state.fit));
    }
    join_.apply(fits, said);
    return fits;
  }

 private:
  void add_item(const SiteColumn& column, const Reach& reach, std::uint32_t item) {
    bool several = false;
    const BufferId id = reach.only_object(item, several);
    if (!several && !plan_.moves(id)) return add_unmoved(id);
    for (LocationCursor cursor(column, WorkItemId(item)); cursor.has_next();) {
      const BufferAddr at = cursor.next();
      if (const OffsetMap* map = plan_.map_of(at.buffer()))
        add_moved(*map, at);
      else
        add_unmoved(at.buffer());
    }
  }

  void add_unmoved(BufferId id) {
    const SiteInfo& info = kernel_.sites[site_.value()];
    pieces_ = {{0, info.width, info.alignment}};
    note(id);
  }

  void add_moved(const OffsetMap& map, BufferAddr at) {
    const SiteInfo& info = kernel_.sites[site_.value()];
    pieces_.clear();
    for (std::uint32_t start = 0; start < info.width;) {
      const std::uint64_t offset = at.offset() + start;
      if (!map.moved(offset))
        refuse(fmt::format("does not fit the new layout of '{}': {}", plan_.names[at.buffer().value()],
                           map.why_not(offset)));
      const auto bytes =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(info.width - start, map.together(offset)));
      const std::uint32_t proven =
          start == 0 ? info.alignment : std::min(info.alignment, start & (~start + 1));
      const auto kept = std::min<std::uint64_t>(proven, map.alignment_kept(offset));
      pieces_.push_back({start, bytes, static_cast<std::uint32_t>(kept)});
      start += bytes;
    }
    states_[site_.value()].fit.moves = true;
    states_[site_.value()].moving.insert(at.buffer());
    note(at.buffer());
  }

  /// The pieces of one more execution, to an object.
  void note(BufferId id) {
    SiteState& state = states_[site_.value()];
    (plan_.bypasses(id) ? state.reaches_bypassing : state.reaches_others) = true;
    (plan_.is_read_only(id) ? state.reaches_read_only : state.reaches_writable) = true;
    std::vector<Piece>& known = state.fit.pieces;
    if (known.empty()) {
      known = pieces_;
      return;
    }
    const auto alike = [](const Piece& a, const Piece& b) {
      return a.start == b.start && a.bytes == b.bytes;
    };
    if (!std::equal(known.begin(), known.end(), pieces_.begin(), pieces_.end(), alike))
      refuse(
          fmt::format("does not always stay in the same pieces: {} bytes, and {} bytes in another "
                      "execution; expected accesses that all split in the same way",
                      text_of(known), text_of(pieces_)));
    for (std::size_t i = 0; i < known.size(); ++i)
      known[i].alignment = std::min(known[i].alignment, pieces_[i].alignment);
  }

  /// What a capture shows of pointers that are data: the first use of the loaded value is a load.
  void refuse_loaded_pointers() {
    const auto is_point_of = [](const ProgramPoint& point, const SiteInfo& info) {
      return point.block == info.point.block && point.position == info.point.position;
    };
    for (std::size_t s = 0; s < states_.size(); ++s) {
      const SiteInfo& load = kernel_.sites[s];
      if (!states_[s].fit.moves || load.kind != AccessKind::Load) continue;
      for (std::size_t other = 0; other < states_.size(); ++other) {
        const SiteInfo& user = kernel_.sites[other];
        if (user.kind != AccessKind::Load || !states_[other].fit.moves) continue;
        site_ = SiteId(static_cast<std::uint32_t>(other));
        for (const ProgramPoint& use : load.consumers)
          if (is_point_of(use, user))
            refuse(fmt::format("takes its address from what {} loads: a pointer into an object that moves",
                               place_of(kernel_, SiteId(static_cast<std::uint32_t>(s)))));
      }
    }
  }

  /// What a capture says of addresses that are computed from loaded values: the host's new data may hold others.
  void refuse_loaded_indices() {
    for (std::size_t s = 0; s < states_.size(); ++s) {
      const auto& sources = kernel_.sites[s].address_from;
      if (!sources || !states_[s].fit.moves) continue;
      site_ = SiteId(static_cast<std::uint32_t>(s));
      for (const auto* list : {&sources->value, &sources->part})
        for (const SiteId from : *list)
          for (const BufferId id : states_[from.value()].moving)
            if (states_[s].moving.contains(id))
              refuse(
                  fmt::format("takes its address from what {} loads from '{}' itself, whose layout changes",
                              place_of(kernel_, from), plan_.names[id.value()]));
    }
  }

  [[noreturn]] void refuse(const std::string& why) const {
    const SiteInfo& info = kernel_.sites[site_.value()];
    throw Refused(fmt::format("{}: {} of {} bytes (site {} of kernel {}) {}", place_of(kernel_, site_),
                              name_of(info.kind), info.width, site_.value(), kernel_.name, why));
  }

  const KernelInfo& kernel_;
  const Plan& plan_;
  Join join_;
  std::vector<SiteState> states_;
  SiteId site_;                ///< being looked at
  std::vector<Piece> pieces_;  ///< pieces of the current execution
};

}  // namespace

KernelFits fit(const CaptureReader& capture, Plan& plan) {
  check_places(capture, plan);
  std::map<const void*, KernelFit> kernels;
  std::uint64_t total = 0;
  for (const LaunchInfo& launch : capture.launches()) total += capture.groups(launch.id).size();
  Progress progress("fitting", total, "work-groups");
  std::uint64_t done = 0;
  for (const LaunchInfo& launch : capture.launches()) {
    KernelFit& kernel = kernels.try_emplace(launch.kernel.identity(), *launch.kernel, plan).first->second;
    for (const WorkGroupId group : capture.groups(launch.id)) {
      kernel.add(capture.read(launch.id, group));
      progress.update(++done);
    }
  }
  KernelFits fits;
  for (auto& [kernel, found] : kernels) fits.emplace(kernel, found.result(plan.said));
  return fits;
}

}  // namespace warpscope::whatif
