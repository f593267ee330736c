#pragma once
// The memory of the simulated GPU: allocations at addresses of its own, and nothing else. Code cannot reach the host's memory.
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "machine/execute/base/first_fit.h"

namespace warpscope::machine {

/// Where generic addresses of shared and of local memory begin, far above all global addresses. Code takes only the upper half of the
/// first (SR_SWINHI), so its lower half is 0.
constexpr std::uint64_t kSharedWindow = 0x4000'0000'0000;
constexpr std::uint64_t kLocalWindow = 0x4100'0000'0000;
constexpr std::uint64_t kWindowBytes = 0x1000000;
constexpr std::uint64_t kSharedWindowBytes = kWindowBytes
                                             << 8U;  ///< one after the other of a cluster's work-groups
constexpr std::uint64_t kFirstAddress = 0x10000000;  ///< of global memory, as traces/program/layout.h begins
constexpr std::uint64_t kFirstVariable =
    0x2000'0000'0000;  ///< of variables of the program, behind all buffers

constexpr std::uint64_t kParametersBank =
    0x1000'0000'0000;  ///< of constant bank 0, of which only the parameters are there

/// Of what cooperative launches synchronise all of their work-groups by.
constexpr std::uint64_t kGridWorkspace = 0x1800'0000'0000;

constexpr std::uint64_t kFirstInHeap = 0x3000'0000'0000;  ///< of memory that code asks for
/// As much as a GPU has unless its host says otherwise (CUDA C++ Programming Guide, "Dynamic Global Memory Allocation").
constexpr std::uint64_t kHeapBytes = 8U << 20U;

struct Allocation {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint8_t* data = nullptr;
  std::uint32_t id = 0;  ///< the caller's
};

class DeviceMemory {
 public:
  /// `bytes` of memory that belong to the caller and have to outlive this; at the next multiple of 512 bytes, with a gap behind it.
  const Allocation& add(std::uint8_t* data, std::uint64_t bytes, std::uint32_t id);
  /// The same at an address of a variable.
  const Allocation& add_at(std::uint64_t address, std::uint8_t* data, std::uint64_t bytes, std::uint32_t id);
  /// The caller's allocations are no more; what code asked for stays.
  void forget_allocations();
  /// Who describes an address that no allocation holds, as describe() does.
  void describe_by(std::function<std::string(std::uint64_t)> describer) { describer_ = std::move(describer); }
  /// What code may ask for in all; kHeapBytes unless it is said. Changes nothing once code has asked.
  void limit_heap(std::uint64_t bytes);
  [[nodiscard]] std::uint64_t heap_bytes() const { return heap_bytes_; }
  /// Memory that code asks for by malloc(), zeroed, in the heap_bytes() behind kFirstInHeap; 0 as FirstFit has it.
  std::uint64_t take(std::uint64_t bytes);
  /// Gives it back; false: nothing that take() gave begins at the address.
  bool give_back(std::uint64_t address);
  /// The allocation that holds an address; nullptr: none.
  [[nodiscard]] const Allocation* find(std::uint64_t address) const;
  /// By address.
  [[nodiscard]] const std::map<std::uint64_t, Allocation>& all() const { return allocations_; }
  /// "64 bytes behind the end of buffer 3 (4,096 bytes)" of an address that no allocation holds.
  [[nodiscard]] std::string describe(std::uint64_t address) const;

 private:
  std::map<std::uint64_t, Allocation> allocations_;  ///< by address
  std::map<std::uint64_t, std::vector<std::uint8_t>> heap_;
  FirstFit heap_places_;
  std::uint64_t heap_bytes_ = kHeapBytes;
  bool heap_is_used_ = false;
  std::uint64_t next_ = kFirstAddress;
  std::function<std::string(std::uint64_t)> describer_;  ///< empty: describe() itself
};

}  // namespace warpscope::machine
