#pragma once
// An index array that is sorted before the kernel runs (--sort-index): which work-item gets which request.
#include <map>
#include <string>
#include <vector>

#include "traces/capture/reader.h"
#include "whatif/plan.h"

namespace warpscope::whatif {

/// Sorts the index array of one launch. An element's *requests* are the accesses whose addresses depend on it (or on what was
/// loaded with it), in order, since the work-item loaded it. Sorted, the elements that the launch loads are in the order of the
/// first of their requests' addresses: the load of the k-th smallest offset is followed by the requests that are k-th in this
/// order. Everything else stays.
class IndexSort {
 public:
  /// Reads the launch. Both must outlive this. Throws Refused (status 3) with the source place: an address that depends on more
  /// than one element, on the number of the work-item or on values that went through local or private memory; requests whose
  /// number differs between elements; a branch that depends on them and goes two ways; an index into itself, or one that is
  /// written. InputError: a capture that does not hold what addresses depend on, or not all work-groups.
  IndexSort(const CaptureReader& capture, const LaunchInfo& launch, const SortedObject& object);
  /// How many accesses change places; 0 if nothing in the launch depends on the object.
  [[nodiscard]] std::uint64_t requests() const { return requests_; }
  [[nodiscard]] std::uint64_t elements() const { return elements_; }
  /// Gives every work-item its new requests.
  void apply(WorkGroupTrace& trace) const;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  /// What is sorted together: the loads at one source place, each time that they load an element again.
  struct Table {
    std::uint32_t length = 0;              ///< requests of an element
    std::vector<std::uint64_t> offsets;    ///< offsets of elements; ascending after sort()
    std::vector<std::uint64_t> locations;  ///< `length` of each, in the same order
  };
  using TableKey = std::pair<std::uint32_t, std::uint32_t>;  ///< role of the load, repetition
  class Elements;

  void find_index_loads(const CaptureReader& capture);
  void find_requests();
  void take_sources(SiteId site, const AddressSources& sources);
  void check_branches(const CaptureReader& capture) const;
  void collect(const CaptureReader& capture);
  void add(TableKey key, SiteId load, std::uint64_t offset, const std::vector<std::uint64_t>& locations);
  void sort(TableKey key, Table& table);
  void check_roles() const;
  [[nodiscard]] bool depends(SiteId site) const { return root_[site.value()] != kNone; }
  [[noreturn]] void refuse(SiteId site, const std::string& why) const;

  const LaunchInfo& launch_;
  const KernelInfo& kernel_;
  const SortedObject& object_;
  std::vector<bool> executed_;       ///< indexed by site: whether it was executed with an address
  std::vector<bool> loads_index_;    ///< indexed by site
  std::vector<std::uint32_t> root_;  ///< indexed by site: the load of the index that its address depends on
  std::vector<std::uint32_t>
      role_;  ///< indexed by site that loads the index: the first such site at its source place
  std::map<TableKey, Table> tables_;
  std::uint64_t requests_ = 0, elements_ = 0;
};

}  // namespace warpscope::whatif
