#pragma once
// Kernels of the committed cubins, for tests and benchmarks: their buffers and numbers, and launches of them.
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "machine/execute/apart.h"
#include "machine/execute/launch.h"
#include "tests/unit/machine/files.h"

namespace warpscope::machine {

/// A kernel of a cubin; its buffers and numbers are given in the order of its parameters.
class CubinProgram {
 public:
  /// `kernel`: of several; "" takes the last.
  explicit CubinProgram(const std::string& file, const std::string& kernel = "")
      : CubinProgram(data_file(file), kernel) {}
  CubinProgram(std::vector<std::uint8_t> bytes, const std::string& kernel)
      : cubin_(std::move(bytes), "cubin") {
    for (const Function& function : cubin_.functions())
      if (function.is_kernel && (kernel.empty() || function.name == kernel)) kernel_ = &function;
    if (kernel_ == nullptr) throw std::logic_error("no such kernel");
    code_ = std::make_unique<Code>(cubin_, *kernel_);
    settings_.parameters.resize(kernel_->parameter_bytes);
  }
  CubinProgram(std::uint32_t architecture, const std::string& name)
      : CubinProgram("kernels/sm_" + std::to_string(architecture) + "/" + name + ".cubin") {}

  template <class T>
  CubinProgram& buffer(std::vector<T>& values) {
    return number(place(values));
  }
  /// The address of memory that is no parameter itself.
  template <class T>
  std::uint64_t place(std::vector<T>& values) {
    return memory_.add(reinterpret_cast<std::uint8_t*>(values.data()), values.size() * sizeof(T), next_id_++)
        .address;
  }
  template <class T>
  CubinProgram& number(T value) {
    const KernelParameter& place = kernel_->parameters.at(next_++);
    if (place.bytes != sizeof(T)) throw std::logic_error("a parameter of another size");
    std::memcpy(settings_.parameters.data() + place.offset, &value, sizeof(T));
    return *this;
  }
  /// The handle of a texture or a surface of these elements, which lie in rows and planes without gaps.
  template <class T>
  std::uint64_t handle(Texture texture, std::vector<T>& elements) {
    texture.address =
        memory_.add(reinterpret_cast<std::uint8_t*>(elements.data()), elements.size() * sizeof(T), next_id_++)
            .address;
    texture.pitch = std::uint64_t{texture.size[0]} * texture.element_bytes();
    texture.slice = texture.pitch * texture.size[1];
    settings_.textures.push_back(texture);
    return settings_.textures.size();
  }
  /// Work-groups that may wait for each other.
  CubinProgram& resident(std::uint64_t groups) {
    settings_.resident_groups = groups;
    return *this;
  }
  /// Of the host, for launches without an observer.
  CubinProgram& threads(unsigned count) {
    threads_ = count;
    return *this;
  }
  /// Work-groups of a cluster.
  CubinProgram& cluster(Dim3 size) {
    settings_.cluster = size;
    return *this;
  }
  /// `instruction_limit`: as of LaunchSettings. Returns how many instructions warps executed.
  std::uint64_t run(Dim3 groups, Dim3 local, std::uint64_t dynamic_shared_bytes = 0,
                    std::uint64_t instruction_limit = 10'000'000, Observer* observer = nullptr) {
    settings_.groups = groups;
    settings_.local = local;
    settings_.dynamic_shared_bytes = dynamic_shared_bytes;
    settings_.instruction_limit = instruction_limit;
    Launch launch(*code_, memory_, settings_);
    const auto nobody = [this] { return std::vector<Observer*>(threads_); };
    in_turns_ = threads_ == 1 ? "" : run_apart(launch, nobody, {});
    if (threads_ == 1 || !in_turns_.empty()) launch.run(observer);
    executions_.assign(launch.executions().begin(), launch.executions().end());
    order_.clear();
    for (const OrderDependence& one : launch.order().list()) order_.push_back(one.cause);
    return launch.instructions();
  }
  /// What the last run() depended on, by instruction.
  [[nodiscard]] const std::vector<OrderCause>& order() const { return order_; }
  /// Why one of several threads() executed it all; "": that is not so.
  [[nodiscard]] const std::string& in_turns() const { return in_turns_; }
  [[nodiscard]] const std::vector<Executions>& executions() const { return executions_; }
  [[nodiscard]] const Code& code() const { return *code_; }

 private:
  Cubin cubin_;
  const Function* kernel_ = nullptr;
  std::unique_ptr<Code> code_;
  DeviceMemory memory_;
  std::uint32_t next_id_ = 1;
  LaunchSettings settings_;
  std::size_t next_ = 0;
  std::vector<OrderCause> order_;
  unsigned threads_ = 1;
  std::string in_turns_;
  std::vector<Executions> executions_;
};

/// Numbers below `below` without order, the same in each run.
inline std::vector<std::uint32_t> numbers_below(std::size_t count, std::uint32_t below) {
  std::vector<std::uint32_t> result(count);
  std::uint32_t state = 12345;
  for (std::uint32_t& value : result) value = ((state = state * 1664525 + 1013904223) >> 8) % below;
  return result;
}

}  // namespace warpscope::machine
