#pragma once
// What the operations for textures and surfaces have in common: whose handle a lane has, and telling observers of each access.
#include "machine/execute/address.h"
#include "machine/execute/operations/textures/texels.h"
#include "machine/execute/texture_accesses.h"
#include "machine/execute/translation.h"

namespace warpscope::machine {

/// The texture of a handle, or the surface. Throws ExecutionFault if the launch has none.
const Texture& texture_of(const Warp& warp, unsigned lane, std::uint32_t handle, bool is_surface);

/// operation.c: the handle, which is in the operand's slot `slot`: a register, a uniform register, or bank and place of a constant.
void translate_handle(Translation& t, std::size_t slot);

/// Where the lanes of an access go, corner by corner.
struct LaneTexels {
  unsigned bytes[kLanes]{};
  LaneSet inside[TexelPlace::kMost]{};
  LaneAddresses address[TexelPlace::kMost];
};

/// Tells of all accesses of the instruction, in their order, also of those that no lane makes.
void observe_texels(const Warp& warp, const Operation& operation, LaneSet lanes, const LaneTexels& texels);

}  // namespace warpscope::machine
