#pragma once
// What the changes of a command line mean for the objects of a capture.
#include <optional>
#include <string>
#include <vector>

#include "traces/capture/reader.h"
#include "whatif/change.h"
#include "whatif/layout/offset_map.h"

namespace warpscope::whatif {

/// An index of --sort-index.
struct SortedObject {
  BufferId id;
  std::string text;  ///< text of the change, for messages
};

struct Plan {
  std::vector<OffsetMapPtr> maps;  ///< indexed by buffer id; null: the object stays as it is
  std::vector<bool> bypass;        ///< indexed by buffer id
  std::vector<bool> read_only;     ///< indexed by buffer id
  std::optional<Change> groups;
  std::vector<Change> widened;  ///< the places of --widen
  std::vector<SortedObject> sorted;
  std::vector<std::string> said;  ///< a line per change and object: what it does, and how that was found
  std::vector<std::string> not_simulated;  ///< one line each, for the user
  std::vector<std::string> names;          ///< names of objects, indexed by buffer id

  /// Null for an object that stays as it is, and for one that a damaged capture names and does not have.
  [[nodiscard]] const OffsetMap* map_of(BufferId id) const {
    return id.value() < maps.size() ? maps[id.value()].get() : nullptr;
  }
  [[nodiscard]] bool moves(BufferId id) const { return map_of(id) != nullptr; }
  [[nodiscard]] bool bypasses(BufferId id) const { return id.value() < bypass.size() && bypass[id.value()]; }
  [[nodiscard]] bool is_read_only(BufferId id) const {
    return id.value() < read_only.size() && read_only[id.value()];
  }
};

/// Reads the capture where a change says "find it". Throws InputError: an object that the capture does not
/// have, a row that cannot be found or does not fit; Refused (status 3): an object that is viewed with two
/// types.
Plan make_plan(const CaptureReader& capture, const std::vector<Change>& changes);

}  // namespace warpscope::whatif
