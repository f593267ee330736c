#pragma once
// Control flow that loop counters describe. A loop's body has elements in a fixed order: accesses, barriers and the loops in it. A
// work-item takes some of them in every pass. Where it takes one that comes earlier than the last (a loop that has no counter, or more
// than three nested loops), it passes the body again.
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "traces/crawford/crawford_lines.h"
#include "traces/program/kernel_info.h"

namespace warpscope {

/// Something in a body. The number of a loop is its label, of a barrier its place among those of the iteration, of an access that of the
/// instruction.
struct CrawfordElement {
  enum class What : std::uint8_t { Access, Barrier, Loop };
  What what = What::Access;
  AccessKind kind = AccessKind::Load;
  std::uint32_t number = 0;
  std::uint32_t node = 0;          ///< of a loop: its body
  std::string scope;               ///< of a barrier: "local" or "global"
  std::uint64_t line = 0;          ///< of the file, where it occurs first
  std::uint64_t address_bits = 0;  ///< all addresses, or-ed
  SiteId site;
  std::uint64_t taken = 0;  ///< by how many passes
  std::uint32_t place = 0;  ///< in the order of the body
  bool is_guarded = true;   ///< not every pass takes it
};

/// The body of a loop, or of the kernel.
struct CrawfordNode {
  std::uint32_t label = 0;
  std::vector<CrawfordElement> elements;
  std::map<std::tuple<CrawfordElement::What, AccessKind, std::uint32_t, std::string>, std::uint32_t> known;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>
      followed;                      ///< element, next in the same pass
  std::vector<std::uint32_t> order;  ///< elements in the order of the body
  std::uint64_t passes = 0;
  bool goes_again = false;
};

class CrawfordFlow {
 public:
  /// Gives every event of `lines` its place. `path` goes into messages.
  CrawfordFlow(CrawfordLines& lines, const std::string& path);
  /// The kernel's description; `element_bytes` as in import_crawford_trace(), `file`: the name of the trace for lines.
  [[nodiscard]] KernelInfo kernel(const std::string& file, std::optional<std::uint32_t> element_bytes);
  /// Outcomes of the kernel's branches for one work-item; empty where it has no event. Throws InputError where the counters run so far
  /// ahead that they are too many.
  [[nodiscard]] std::vector<bool> outcomes(CrawfordItem item) const;
  [[nodiscard]] SiteId site_of(const CrawfordEvent& event) const {
    return nodes_[event.node].elements[event.element].site;
  }

 private:
  std::uint32_t node_of(const CrawfordTraceRecord& record);
  std::uint32_t element_of(std::uint32_t node, const CrawfordElement& element);
  void place_item(CrawfordItem item);
  void sort_bodies();
  void count_passes(CrawfordLines& lines);

  std::string path_;
  std::vector<CrawfordNode> nodes_ = std::vector<CrawfordNode>(1);
};

}  // namespace warpscope
