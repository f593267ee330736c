#include "whatif/join.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "traces/base/error.h"
#include "traces/base/printable.h"
#include "traces/base/refused.h"
#include "whatif/facts/locations.h"

namespace warpscope::whatif {
namespace {

constexpr std::uint32_t kWidest = 16;  ///< bytes of a load of one lane

bool is_at(const SiteInfo& site, const Change& place) {
  return std::any_of(site.locations.begin(), site.locations.end(), [&](const SourceLocation& at) {
    const bool is_file = at.file == place.object || at.file.ends_with("/" + place.object);
    return is_file && at.line >= place.numbers[0] && at.line <= place.numbers[1];
  });
}

bool is_candidate(const SiteInfo& site) {
  return site.kind == AccessKind::Load && !site.is_volatile && site.width > 0 && site.width < kWidest &&
         (site.width & (site.width - 1)) == 0;
}

/// A load does not move across these.
bool separates(const SiteInfo& site) {
  return site.kind != AccessKind::Load;
}

std::uint64_t bits_of(const SiteColumn& column) {
  std::uint64_t bits = 0;
  for (std::uint32_t item = 0; item < column.shape_of.size(); ++item)
    if (column.shape_of[item] != SiteColumn::kNone) bits |= column.first[item];
  for (std::size_t shape = 0; shape < column.shapes.size(); ++shape)
    for (const DeltaRun& run : column.shapes[shape]) bits |= static_cast<std::uint64_t>(run.delta);
  return bits;
}

/// Whether `second` is always equally far behind `first`; `distance` is that, or becomes it if not `known`.
bool is_always_so_far(const SiteColumn& first, const SiteColumn& second, bool& known,
                      std::int64_t& distance) {
  if (first.shape_of.size() != second.shape_of.size()) return false;
  std::set<std::pair<std::uint32_t, std::uint32_t>> equal;  // shapes of both
  for (std::uint32_t item = 0; item < first.shape_of.size(); ++item) {
    const std::pair shapes{first.shape_of[item], second.shape_of[item]};
    if (shapes.first == SiteColumn::kNone && shapes.second == SiteColumn::kNone) continue;
    if (shapes.first == SiteColumn::kNone || shapes.second == SiteColumn::kNone) return false;
    const auto apart = static_cast<std::int64_t>(second.first[item] - first.first[item]);
    if (known && apart != distance) return false;
    known = true;
    distance = apart;
    if (equal.contains(shapes)) continue;
    const auto left = first.shapes[shapes.first].coded(), right = second.shapes[shapes.second].coded();
    if (!std::equal(left.begin(), left.end(), right.begin(), right.end())) return false;
    equal.insert(shapes);
  }
  return true;
}

std::uint64_t alignment_of(std::uint64_t bits) {
  return bits == 0 ? kWidest : std::min<std::uint64_t>(kWidest, bits & (~bits + 1));
}

}  // namespace

void check_places(const CaptureReader& capture, const Plan& plan) {
  for (const Change& place : plan.widened) {
    std::set<std::string> known;
    bool found = false;
    for (const LaunchInfo& launch : capture.launches()) {
      for (const SiteInfo& site : launch.kernel->sites) {
        if (site.kind != AccessKind::Load) continue;
        found = found || is_at(site, place);
        if (!site.locations.empty())
          known.insert(fmt::format("{}:{}", site.locations.front().file, site.locations.front().line));
      }
    }
    if (found) continue;
    std::string places;
    for (const std::string& text : known) places += (places.empty() ? "" : ", ") + text;
    throw InputError(
        fmt::format("{}: no kernel loads there, expected one of {}", place.text,
                    places.empty() ? "none (the capture has no source lines)" : quotable(places, 1000)));
  }
}

Join::Join(const KernelInfo& kernel, const Plan& plan) : kernel_(kernel) {
  for (const Change& place : plan.widened)
    for (const BlockInfo& block : kernel.blocks) add_runs(place, block);
}

void Join::add_runs(const Change& place, const BlockInfo& block) {
  Run run{&place, {}, {}, {}};
  const auto end_run = [&] {
    if (run.sites.empty()) return;
    run.bits.resize(run.sites.size());
    for (std::uint32_t second = 0; second < run.sites.size(); ++second)
      for (std::uint32_t first = 0; first < second; ++first)
        if (kernel_.sites[run.sites[first].value()].width == kernel_.sites[run.sites[second].value()].width)
          run.pairs.push_back({first, second});
    runs_.push_back(std::move(run));
    run = Run{&place, {}, {}, {}};
  };
  for (const SiteId id : block.sites) {
    const SiteInfo& site = kernel_.sites[id.value()];
    if (separates(site)) end_run();
    if (is_candidate(site) && is_at(site, place)) run.sites.push_back(id);
  }
  end_run();
}

void Join::add(const WorkGroupTrace& trace) {
  for (Run& run : runs_) {
    for (std::size_t i = 0; i < run.sites.size(); ++i) {
      const SiteColumn& column = trace.columns[run.sites[i].value()];
      run.executed = run.executed || column.shapes.size() != 0;
      run.bits[i] |= bits_of(column);
    }
    std::erase_if(run.pairs, [&](Pair& pair) {
      return !is_always_so_far(trace.columns[run.sites[pair.first].value()],
                               trace.columns[run.sites[pair.second].value()], pair.known, pair.distance);
    });
  }
}

std::vector<WideLoad> Join::wide_loads(const Run& run) const {
  std::vector<WideLoad> found;
  std::vector<bool> taken(run.sites.size());
  for (std::uint32_t base = 0; base < run.sites.size(); ++base) {
    if (taken[base]) continue;
    std::vector<std::pair<std::int64_t, std::uint32_t>> along{{0, base}};  // distance from it, site
    for (const Pair& pair : run.pairs)
      if (pair.first == base && pair.known && !taken[pair.second])
        along.emplace_back(pair.distance, pair.second);
    std::sort(along.begin(), along.end());
    const auto is_same = [](const auto& a, const auto& b) { return a.first == b.first; };
    along.erase(std::unique(along.begin(), along.end(), is_same), along.end());  // of equal places the first
    const std::uint32_t width = kernel_.sites[run.sites[base].value()].width;
    for (std::size_t at = 0; at < along.size();) {
      std::size_t count = kWidest / width;
      const auto fits = [&] {
        if (at + count > along.size() || alignment_of(run.bits[along[at].second]) < count * width)
          return false;
        return along[at + count - 1].first - along[at].first ==
               static_cast<std::int64_t>((count - 1) * width);
      };
      while (count > 1 && !fits()) count /= 2;
      if (count > 1) {
        WideLoad wide;
        wide.bytes = wide.alignment = static_cast<std::uint32_t>(count * width);
        for (std::size_t i = at; i < at + count; ++i) {
          wide.sites.push_back(run.sites[along[i].second]);
          taken[along[i].second] = true;
        }
        found.push_back(std::move(wide));
      }
      at += count;
    }
  }
  return found;
}

std::string Join::why_not(const Run& run) const {
  const SiteInfo& site = kernel_.sites[run.sites.front().value()];
  for (const Pair& pair : run.pairs) {
    const auto width = static_cast<std::int64_t>(kernel_.sites[run.sites[pair.first].value()].width);
    if (!pair.known || (pair.distance != width && pair.distance != -width)) continue;
    const std::uint32_t lower = pair.distance > 0 ? pair.first : pair.second;
    return fmt::format(
        "has a neighbour, but its offsets are only multiples of {} bytes, expected of {} or more",
        alignment_of(run.bits[lower]), 2 * width);
  }
  return fmt::format(
      "has no neighbour: no load there is {} bytes behind it in every execution, with no store or barrier "
      "between them",
      site.width);
}

void Join::apply(std::vector<SiteFit>& fits, std::vector<std::string>& said) const {
  for (std::size_t i = 0; i < runs_.size();) {
    const Change* place = runs_[i].place;
    bool joined = false;
    const Run* executed = nullptr;
    for (; i < runs_.size() && runs_[i].place == place; ++i) {
      const Run& run = runs_[i];
      if (!run.executed) continue;
      if (executed == nullptr) executed = &run;
      for (const WideLoad& wide : wide_loads(run)) {
        joined = true;
        mark(wide, *place, fits, said);
      }
    }
    if (executed != nullptr && !joined)
      refuse(executed->sites.front(), fmt::format("{}: {}", place->text, why_not(*executed)));
  }
}

void Join::mark(const WideLoad& wide, const Change& place, std::vector<SiteFit>& fits,
                std::vector<std::string>& said) const {
  for (const SiteId id : wide.sites) {
    SiteFit& fit = fits[id.value()];
    if (fit.moves || fit.joined || fit.wide)
      refuse(id, fmt::format("{}: is changed twice, expected a layout that stays; change the capture that "
                             "another trace-change wrote",
                             place.text));
    fit.joined = true;
  }
  // Sites of a block are in program order.
  const SiteId first = *std::min_element(wide.sites.begin(), wide.sites.end());
  fits[first.value()].joined = false;
  fits[first.value()].wide = wide;
  said.push_back(fmt::format("{}: {} loads of {} bytes become one of {} (kernel {})",
                             place_of(kernel_, first), wide.sites.size(), kernel_.sites[first.value()].width,
                             wide.bytes, kernel_.name));
}

void Join::refuse(SiteId site, const std::string& why) const {
  const SiteInfo& info = kernel_.sites[site.value()];
  throw Refused(fmt::format("{}: load of {} bytes (site {} of kernel {}): {}", place_of(kernel_, site),
                            info.width, site.value(), kernel_.name, why));
}

}  // namespace warpscope::whatif
