#pragma once
// The folder in which PoCL keeps compiled kernels. Without one that it can write, its device is not there.
#include <string>

namespace warpscope::device {

/// Before PoCL is loaded. If PoCL's own choice ($POCL_CACHE_DIR, $XDG_CACHE_HOME/pocl, ~/.cache/pocl) cannot be written,
/// as where a container's user has no home, $POCL_CACHE_DIR becomes a new folder that only this user can read, and that
/// is removed when this process exits. Returns what is wrong if no folder can be had; "" = nothing.
std::string ensure_kernel_cache();

/// For ends of the process that call no exit handlers. Nothing happens in a forked child.
void remove_private_kernel_cache() noexcept;

}  // namespace warpscope::device
