#pragma once
// Memory that nodes of graphs allocate (CUDA Programming Guide, "Graph Memory Nodes"). A node has one address for all its launches, so its memory
// is there as long as any copy of the node, or longer: until what the last launch has allocated is freed.
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace warpscope::cuda {

/// What the copies of a node share.
class GraphBlock {
 public:
  explicit GraphBlock(void* pointer) : pointer_(pointer) {}
  GraphBlock(const GraphBlock&) = delete;
  GraphBlock& operator=(const GraphBlock&) = delete;
  ~GraphBlock();
  [[nodiscard]] void* pointer() const { return pointer_; }

 private:
  void* pointer_;
};

/// Thread-safe.
class GraphMemory {
 public:
  static GraphMemory& get();

  /// Of a new node. Throws Failure(cudaErrorMemoryAllocation). `name`: in captures.
  std::shared_ptr<GraphBlock> add(std::size_t bytes, const std::string& name);
  /// The node runs.
  void allocate(void* pointer);
  /// A node or the program frees what allocate() has made. False: it is no graph's memory. Throws Failure(cudaErrorInvalidValue) if it is free.
  bool release(void* pointer);
  /// No node has it any more.
  void forget(void* pointer);
  /// Bytes of all blocks, now and at most.
  [[nodiscard]] std::uint64_t used() const;
  [[nodiscard]] std::uint64_t most_used() const;
  void reset_most_used();

 private:
  struct Block {
    std::size_t bytes = 0;
    bool is_allocated = false, has_node = true;
  };
  void remove(std::map<void*, Block>::iterator block);

  mutable std::mutex mutex_;
  std::map<void*, Block> blocks_;
  std::uint64_t used_ = 0, most_used_ = 0;
};

}  // namespace warpscope::cuda
