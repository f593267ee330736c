#pragma once
// A grid whose threads meet at a barrier of the whole grid: its work-groups, which PoCL runs one after the
// other, wait for each other on stacks and in local memory of their own.
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "wrapper/threads/block.h"

namespace warpscope::threads {

class Grid {
 public:
  /// A work-group arrives: runs to the grid's barrier, or to its end. The last one of the launch goes on with
  /// all. Launches of such kernels follow each other. Throws std::bad_alloc.
  void arrive(ThreadFunction function, const WarpscopeThreadKernelV1& kernel,
              const WarpscopeThreadFrameV1& frame);

 private:
  struct Group {
    std::vector<std::uint64_t> frame;               ///< a copy that outlives PoCL's work-group
    std::vector<std::vector<std::uint64_t>> local;  ///< memory of the work-group
    std::unique_ptr<Block> block;
    void* recording = nullptr;
  };

  void start(Group& group, ThreadFunction function, const WarpscopeThreadKernelV1& kernel,
             const WarpscopeThreadFrameV1& frame);
  bool advance(Group& group);
  void finish();

  std::mutex mutex_;
  StackPool stacks_{/*guarded=*/false};
  std::list<Group> waiting_;
  std::uint64_t arrived_ = 0;
};

}  // namespace warpscope::threads
