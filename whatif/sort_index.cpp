#include "whatif/sort_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <tuple>

#include "traces/base/error.h"
#include "traces/base/refused.h"
#include "traces/capture/walk.h"
#include "whatif/facts/locations.h"

namespace warpscope::whatif {
namespace {

constexpr std::size_t kMostLocations = std::size_t{1} << 28;  ///< 2 GiB

bool is_same_place(const SiteInfo& a, const SiteInfo& b) {
  const auto is_equal = [](const SourceLocation& x, const SourceLocation& y) {
    return std::tie(x.file, x.line, x.column) == std::tie(y.file, y.line, y.column);
  };
  return a.width == b.width &&
         std::equal(a.locations.begin(), a.locations.end(), b.locations.begin(), b.locations.end(), is_equal);
}

bool reaches(const SiteColumn& column, BufferId object, bool& others) {
  const Reach reach(column);
  const AlikeItems alike(column);
  bool found = false;
  for (const AlikeItems::Kind& kind : alike.kinds()) {
    bool several = false;
    const BufferId only = reach.only_object(kind.item, several);
    if (!several) {
      (only == object ? found : others) = true;
      continue;
    }
    for (LocationCursor cursor(column, WorkItemId(kind.item)); cursor.has_next();)
      (cursor.next().buffer() == object ? found : others) = true;
  }
  return found;
}

}  // namespace

/// The elements that a work-item has loaded, one at a time of each load.
class IndexSort::Elements {
 public:
  explicit Elements(const IndexSort& sort) : sort_(sort), current_(sort.root_.size()) {}

  struct Element {
    bool loaded = false;
    std::uint64_t offset = 0;
    std::uint32_t repetition = 0;  ///< how often this load has loaded it in a row before
    std::vector<std::uint64_t> locations;
  };
  using Done = std::function<void(SiteId load, const Element&)>;

  /// Calls `done` for every element, when it was replaced or the work-item is done.
  void walk(const WorkGroupTrace& trace, WorkItemId item,
            const std::function<void(const WalkStep&, Element&)>& request,
            const std::function<void(SiteId, Element&)>& load, const Done& done) {
    for (Element& element : current_) element = {};
    walk_work_item(sort_.kernel_, trace, item, [&](const WalkStep& step) {
      if (sort_.loads_index_[step.site.value()]) {
        Element& element = current_[step.site.value()];
        if (element.loaded) done(step.site, element);
        const bool again = element.loaded && element.offset == step.where.offset();
        element.repetition = again ? element.repetition + 1 : 0;
        element.loaded = true;
        element.offset = step.where.offset();
        element.locations.clear();
        load(step.site, element);
      } else if (sort_.depends(step.site)) {
        Element& element = current_[sort_.root_[step.site.value()]];
        if (!element.loaded)
          sort_.refuse(step.site, "is executed before the load that its address depends on");
        request(step, element);
      }
    });
    for (std::size_t site = 0; site < current_.size(); ++site)
      if (current_[site].loaded) done(SiteId(static_cast<std::uint32_t>(site)), current_[site]);
  }

 private:
  const IndexSort& sort_;
  std::vector<Element> current_;  ///< indexed by load
};

IndexSort::IndexSort(const CaptureReader& capture, const LaunchInfo& launch, const SortedObject& object)
    : launch_(launch),
      kernel_(*launch.kernel),
      object_(object),
      executed_(kernel_.sites.size()),
      loads_index_(kernel_.sites.size()),
      root_(kernel_.sites.size(), kNone),
      role_(kernel_.sites.size(), kNone) {
  find_index_loads(capture);
  if (std::none_of(loads_index_.begin(), loads_index_.end(), std::identity())) return;
  if (*launch.sampling != "all")
    throw InputError(
        fmt::format("{}: launch {} holds a part of its work-groups ({}), expected all of them; capture it "
                    "without --work-groups",
                    object.text, launch.id.value(), *launch.sampling));
  find_requests();
  if (std::all_of(root_.begin(), root_.end(), [](std::uint32_t root) { return root == kNone; })) return;
  check_branches(capture);
  collect(capture);
  for (auto& [key, table] : tables_) sort(key, table);
  check_roles();
}

void IndexSort::find_index_loads(const CaptureReader& capture) {
  std::vector<bool> reaches_others(kernel_.sites.size());
  for (const WorkGroupId group : capture.groups(launch_.id)) {
    const WorkGroupTrace trace = capture.read(launch_.id, group);
    for (std::uint32_t s = 0; s < trace.columns.size(); ++s) {
      if (trace.columns[s].shapes.empty()) continue;
      executed_[s] = true;
      bool others = false;
      if (reaches(trace.columns[s], object_.id, others)) loads_index_[s] = true;
      if (others) reaches_others[s] = true;
    }
  }
  for (std::uint32_t s = 0; s < loads_index_.size(); ++s) {
    if (!loads_index_[s]) continue;
    if (kernel_.sites[s].kind != AccessKind::Load)
      refuse(SiteId(s), "writes to the index, expected one that is only read");
    if (reaches_others[s]) refuse(SiteId(s), "loads from other objects, too");
    for (std::uint32_t first = 0; first <= s && role_[s] == kNone; ++first)
      if (loads_index_[first] && is_same_place(kernel_.sites[first], kernel_.sites[s])) role_[s] = first;
  }
}

void IndexSort::find_requests() {
  // Until nothing is added: a phi may name a load of a later block.
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t s = 0; s < root_.size(); ++s) {
      if (!executed_[s] || root_[s] != kNone) continue;
      const auto& sources = kernel_.sites[s].address_from;
      if (!sources)
        throw InputError(fmt::format(
            "{}: what addresses depend on is not recorded in this capture, capture again", object_.text));
      take_sources(SiteId(s), *sources);
      changed = changed || root_[s] != kNone;
    }
  }
}

void IndexSort::take_sources(SiteId site, const AddressSources& sources) {
  const auto is_index = [&](SiteId from) { return loads_index_[from.value()] || depends(from); };
  const auto through_memory = [&](SiteId from) {
    const AddressSpace space = kernel_.sites[from.value()].space;
    return executed_[from.value()] && (space == AddressSpace::Local || space == AddressSpace::Private);
  };
  bool any = false;
  for (const auto* list : {&sources.value, &sources.part, &sources.choice}) {
    const auto hidden = std::find_if(list->begin(), list->end(), through_memory);
    if (hidden != list->end())
      refuse(site,
             fmt::format(
                 "takes its address from what {} loads from {} memory: what was stored there is not known",
                 place_of(kernel_, *hidden), name_of(kernel_.sites[hidden->value()].space)));
    any = any || std::any_of(list->begin(), list->end(), is_index);
  }
  if (!any) return;
  if (loads_index_[site.value()])
    refuse(site, "takes its address from the index itself, expected indices into other objects");
  for (const auto* list : {&sources.part, &sources.choice})
    for (const SiteId from : *list)
      if (is_index(from))
        refuse(site, fmt::format("takes its address from what {} loads through a condition, a loop or as an "
                                 "element of a vector: "
                                 "which element decides is not known",
                                 place_of(kernel_, from)));
  if (sources.value.size() != 1 || !sources.part.empty() || !sources.choice.empty())
    refuse(site, "takes its address from several loads, expected the index alone");
  if (sources.work_item)
    refuse(site, "takes its address from the number of the work-item, too, expected the index alone");
  const SiteId from = sources.value.front();
  root_[site.value()] = loads_index_[from.value()] ? from.value() : root_[from.value()];
}

void IndexSort::check_branches(const CaptureReader& capture) const {
  const auto decides = [&](SiteId site) { return loads_index_[site.value()] || depends(site); };
  std::optional<SiteId> decisive;
  for (const BlockInfo& block : kernel_.blocks)
    for (const SiteId site : block.branch_from)
      if (!decisive && decides(site)) decisive = site;
  if (!decisive) return;
  std::optional<Path> only;
  for (const WorkGroupId group : capture.groups(launch_.id)) {
    const WorkGroupTrace trace = capture.read(launch_.id, group);
    if (!only && !trace.paths.empty()) only = trace.paths.front();
    const bool is_alone = trace.paths.size() == 1 && trace.paths.front().bit_count == only->bit_count &&
                          trace.paths.front().bits == only->bits;
    if (!is_alone)
      refuse(*decisive, "decides about branches, and work-items take different ways: their accesses differ");
  }
}

void IndexSort::collect(const CaptureReader& capture) {
  Elements elements(*this);
  for (const WorkGroupId group : capture.groups(launch_.id)) {
    const WorkGroupTrace trace = capture.read(launch_.id, group);
    for (std::uint32_t item = 0; item < trace.work_items; ++item)
      elements.walk(
          trace, WorkItemId(item),
          [](const WalkStep& step, Elements::Element& element) {
            element.locations.push_back(step.where.key());
          },
          [](SiteId, Elements::Element&) {},
          [this](SiteId load, const Elements::Element& element) {
            add({role_[load.value()], element.repetition}, load, element.offset, element.locations);
          });
  }
}

void IndexSort::add(TableKey key, SiteId load, std::uint64_t offset,
                    const std::vector<std::uint64_t>& locations) {
  const auto [found, is_new] = tables_.try_emplace(key);
  Table& table = found->second;
  if (is_new) table.length = static_cast<std::uint32_t>(locations.size());
  if (locations.size() != table.length)
    refuse(load,
           fmt::format("leads to {} accesses of one work-item and to {} of another, expected equally many",
                       table.length, locations.size()));
  if (table.locations.size() + table.offsets.size() > kMostLocations)
    throw InputError(fmt::format("{}: launch {} has more than {} accesses to sort, expected a smaller launch",
                                 object_.text, launch_.id.value(), kMostLocations));
  table.offsets.push_back(offset);
  table.locations.insert(table.locations.end(), locations.begin(), locations.end());
  requests_ += locations.size();
}

void IndexSort::sort(TableKey key, Table& table) {
  const auto requests_of = [&](std::size_t element) {
    return std::span(table.locations).subspan(element * table.length, table.length);
  };
  std::vector<std::size_t> order(table.offsets.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return table.offsets[a] < table.offsets[b]; });
  // An element that several work-items load is one element.
  const auto is_copy = [&](std::size_t a, std::size_t b) {
    if (table.offsets[a] != table.offsets[b]) return false;
    const auto left = requests_of(a), right = requests_of(b);
    if (!std::equal(left.begin(), left.end(), right.begin()))
      refuse(SiteId(key.first),
             fmt::format("loads the element at offset {} twice, and it leads to different addresses",
                         table.offsets[a]));
    return true;
  };
  order.erase(std::unique(order.begin(), order.end(), is_copy), order.end());
  Table sorted{table.length, {}, {}};
  for (const std::size_t element : order) sorted.offsets.push_back(table.offsets[element]);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    const auto left = requests_of(a), right = requests_of(b);
    return std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end());
  });
  for (const std::size_t element : order) {
    const auto requests = requests_of(element);
    sorted.locations.insert(sorted.locations.end(), requests.begin(), requests.end());
  }
  if (key.second == 0) elements_ = std::max<std::uint64_t>(elements_, sorted.offsets.size());
  table = std::move(sorted);
}

void IndexSort::check_roles() const {
  const Table& first = tables_.begin()->second;
  for (const auto& [key, table] : tables_)
    if (table.offsets != first.offsets)
      refuse(SiteId(key.first),
             fmt::format("loads other elements of the index than {}, expected all of them at every place",
                         place_of(kernel_, SiteId(tables_.begin()->first.first))));
}

void IndexSort::apply(WorkGroupTrace& trace) const {
  if (requests_ == 0) return;
  std::vector<ColumnBuilder> columns;
  for (std::size_t s = 0; s < trace.columns.size(); ++s) columns.emplace_back(trace.work_items);
  Elements elements(*this);
  std::vector<bool> touched(trace.columns.size());
  for (std::uint32_t item = 0; item < trace.work_items; ++item) {
    touched.assign(touched.size(), false);
    elements.walk(
        trace, WorkItemId(item),
        [&](const WalkStep& step, Elements::Element& element) {
          const SiteId site = step.site;
          columns[site.value()].add(BufferAddr(element.locations.back()));
          element.locations.pop_back();
          touched[site.value()] = true;
        },
        [&](SiteId load, Elements::Element& element) {
          const Table& table = tables_.at({role_[load.value()], element.repetition});
          const auto found = std::lower_bound(table.offsets.begin(), table.offsets.end(), element.offset);
          const auto at = table.locations.begin() + (found - table.offsets.begin()) * table.length;
          // The last one first: they are taken from the end.
          element.locations.assign(std::make_reverse_iterator(at + table.length),
                                   std::make_reverse_iterator(at));
        },
        [](SiteId, const Elements::Element&) {});
    for (std::size_t s = 0; s < touched.size(); ++s)
      if (touched[s]) columns[s].end_item(item);
  }
  for (std::uint32_t s = 0; s < trace.columns.size(); ++s)
    if (depends(SiteId(s)) && !trace.columns[s].shapes.empty()) trace.columns[s] = columns[s].result();
}

void IndexSort::refuse(SiteId site, const std::string& why) const {
  const SiteInfo& info = kernel_.sites[site.value()];
  throw Refused(fmt::format("{}: {}: {} of {} bytes (site {} of kernel {}) {}", place_of(kernel_, site),
                            object_.text, name_of(info.kind), info.width, site.value(), kernel_.name, why));
}

}  // namespace warpscope::whatif
