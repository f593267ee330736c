#pragma once
// What a launch tells about itself while it runs: for recording, and for tests.
#include <cstdint>

#include "machine/execute/base/operation.h"

namespace warpscope::machine {

class Warp;
class Group;

/// The address of each lane, in the space of the instruction: global, or an offset in shared or in local memory; of generic accesses as they
/// are (kSharedWindow, kLocalWindow).
struct LaneAddresses {
  std::uint64_t lane[kLanes];
};

class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;
  virtual void begin(Group&) {}
  virtual void end(Group&) {}
  /// An access of lanes whose guard holds; `lanes` may be empty.
  virtual void access(const Warp&, const Operation&, LaneSet /*lanes*/, const LaneAddresses&) {}
  /// Of LDGSTS: where in shared memory it writes, after access() for where it reads.
  virtual void copied(const Warp&, const Operation&, LaneSet /*lanes*/, const LaneAddresses&) {}
  /// Of an instruction for textures or surfaces: each access of Launch::texture_accesses(), in their order; `lanes` may be empty.
  virtual void fetched(const Warp&, const Operation&, unsigned /*number*/, LaneSet /*lanes*/,
                       const LaneAddresses&) {}
  /// The active lanes have come from where they went on (Warp::begun()) to the instruction of Warp::place(), which decides where they go
  /// next.
  virtual void came(const Warp&) {}
  /// Before an instruction with a guard that makes an access: `lanes` of those that are active make it.
  virtual void guarded(const Warp&, const Operation&, LaneSet /*active*/, LaneSet /*lanes*/) {}
  /// Lanes that arrive at a barrier of the work-group.
  virtual void barrier(const Warp&, const Operation&, LaneSet /*lanes*/) {}
  /// A branch or an EXIT of the active lanes: those in `taken` jump, or end.
  virtual void branch(const Warp&, const Operation&, LaneSet /*active*/, LaneSet /*taken*/) {}
  /// Lanes that jump to a place which they computed.
  virtual void jump(const Warp&, const Operation&, LaneSet /*lanes*/, std::uint32_t /*target*/) {}
};

}  // namespace warpscope::machine
