#pragma once
// What every generated host program of validation/hw-profile shares: buffers with the content that trace-kernel gives them
// (wrapper/launch/buffer_fill.h), and where work-groups ran. Needs the CUDA runtime and C++17, nothing else of Warpscope.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace hw {

[[noreturn]] inline void fail(const std::string& what) {
  std::fprintf(stderr, "error: %s\n", what.c_str());
  std::exit(1);
}

inline void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) fail(std::string(what) + ": " + cudaGetErrorString(status));
}

/// A number of a launch file: whole numbers keep all their bits.
struct Number {
  bool is_whole = true;
  long long whole = 0;
  double real = 0;
  Number() = default;
  explicit Number(long long value) : whole(value), real(static_cast<double>(value)) {}
  explicit Number(double value) : is_whole(false), whole(static_cast<long long>(value)), real(value) {}
  template <class T>
  T as() const {
    return std::is_floating_point<T>::value || !is_whole ? static_cast<T>(real) : static_cast<T>(whole);
  }
};

struct Fill {
  enum class Kind { by_type, zero, iota, constant, random, range, file };
  Kind kind = Kind::by_type;
  std::vector<Number> numbers;
  std::string path;
};

/// Elements, bytes, or neither: one element per work-item.
struct Size {
  long long count = -1, size = -1;
  static Size elements(long long count) { return {count, -1}; }
  static Size bytes(long long size) { return {-1, size}; }
};

/// The component of a type: float of float4.
template <class T, class = void>
struct ComponentOf {
  using Type = T;
};
template <class T>
struct ComponentOf<T, std::void_t<decltype(std::declval<T&>().x)>> {
  using Type = std::decay_t<decltype(std::declval<T&>().x)>;
};

/// Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014, doi:10.1145/2660193.2660195.
inline std::uint64_t split_mix_64(std::uint64_t seed, std::uint64_t step) {
  std::uint64_t z = seed + (step + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

template <class C>
C component(const Fill& fill, std::uint64_t index) {
  constexpr bool is_real = std::is_floating_point<C>::value;
  const std::vector<Number>& n = fill.numbers;
  switch (fill.kind) {
    case Fill::Kind::constant:
      return n.at(0).as<C>();
    case Fill::Kind::random: {
      const std::uint64_t bits = split_mix_64(static_cast<std::uint64_t>(n.at(0).whole), index);
      const Number low = n.size() > 1 ? n[1] : Number(0ll);
      const Number end = n.size() > 2 ? n[2] : Number(is_real ? 1ll : 100ll);
      if (is_real)
        return static_cast<C>(low.real + static_cast<double>(bits >> 40) * 0x1p-24 * (end.real - low.real));
      return static_cast<C>(low.whole +
                            static_cast<long long>(bits % static_cast<std::uint64_t>(end.whole - low.whole)));
    }
    case Fill::Kind::range: {
      const auto length = static_cast<std::uint64_t>((n.at(2).real - n.at(0).real) / n.at(1).real) + 1;
      const std::uint64_t step = index % length;
      if (is_real) return static_cast<C>(n[0].real + static_cast<double>(step) * n[1].real);
      return static_cast<C>(n[0].whole + static_cast<long long>(step) * n[1].whole);
    }
    default:
      return static_cast<C>(index);
  }
}

inline void read_file(const std::string& path, std::vector<char>& bytes) {
  std::ifstream file(path, std::ios::binary);
  if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
    fail(path + ": shorter than the buffer, or cannot be read");
}

/// `bytes` gets whole components of T; structures can only be zero or come from a file.
template <class T>
void fill_bytes(std::vector<char>& bytes, Fill fill, std::size_t position, const std::string& name) {
  using C = typename ComponentOf<T>::Type;
  if (fill.kind == Fill::Kind::file) return read_file(fill.path, bytes);
  if constexpr (std::is_arithmetic<C>::value) {
    if (fill.kind == Fill::Kind::by_type && std::is_floating_point<C>::value)
      fill = Fill{Fill::Kind::random, {Number(static_cast<long long>(position + 1))}, ""};
    if (fill.kind == Fill::Kind::zero) return;
    for (std::size_t i = 0; i < bytes.size() / sizeof(C); ++i) {
      const C value = component<C>(fill, i);
      std::memcpy(bytes.data() + i * sizeof(C), &value, sizeof(C));
    }
  } else if (fill.kind != Fill::Kind::zero && fill.kind != Fill::Kind::by_type) {
    fail("argument '" + name + "': elements of this type can only be zero or come from a file");
  }
}

struct Buffer {
  std::string name;
  std::vector<char> content;       ///< before the launch
  void* allocated = nullptr;       ///< of a pointer argument
  void* device = nullptr;          ///< the same, aligned
  const void* symbol = nullptr;    ///< of a __constant__ or __device__ variable
};

/// The memory of one launch. Without a GPU (`has_device` false) only the content is made.
class Session {
 public:
  bool has_device = true;
  bool align_buffers = false;  ///< to multiples of their sizes: a probe's patterns are address bits
  long long work_items = 1;
  std::size_t shared_bytes = 0;
  std::vector<std::unique_ptr<Buffer>> buffers;
  std::size_t position = 0;  ///< of the argument that is set next, for the default fill

  ~Session() {
    for (auto& buffer : buffers)
      if (buffer->allocated != nullptr) cudaFree(buffer->allocated);
  }

  template <class Element, class Pointer>
  void buffer_of(Pointer& place, const char* name, Size size, const Fill& fill) {
    static_assert(std::is_pointer<Pointer>::value, "a buffer for something that is no pointer");
    Buffer& made = make<Element>(name, size, fill);
    if (has_device) allocate(made, name);
    place = reinterpret_cast<Pointer>(made.device);
  }

  template <class T>
  void buffer(T*& place, const char* name, Size size, const Fill& fill) {
    using Element = std::conditional_t<std::is_void<T>::value, char, std::remove_cv_t<T>>;
    buffer_of<Element>(place, name, size, fill);
  }

  template <class T>
  void value(T& place, const std::vector<Number>& numbers, const char* name) {
    if constexpr (std::is_pointer<T>::value) {
      buffer(place, name, Size::elements(numbers.at(0).whole), Fill{});
    } else if constexpr (std::is_arithmetic<T>::value || std::is_enum<T>::value) {
      place = numbers.at(0).as<T>();
    } else {
      using C = typename ComponentOf<T>::Type;
      static_assert(std::is_arithmetic<C>::value, "a value for a structure: give its members");
      for (std::size_t i = 0; i < sizeof(T) / sizeof(C); ++i) {
        const C component = numbers[numbers.size() == 1 ? 0 : i].as<C>();
        std::memcpy(reinterpret_cast<char*>(&place) + i * sizeof(C), &component, sizeof(C));
      }
    }
  }

  template <class T>
  void missing(T& place, const char* name) {
    if constexpr (std::is_pointer<T>::value)
      buffer(place, name, Size{}, Fill{});
    else
      fail(std::string("argument '") + name + "' has no value");
  }

  template <class T>
  void symbol(T& variable, const char* name, const Fill& fill) {
    using Element = std::remove_cv_t<std::remove_all_extents_t<T>>;
    Fill by_default = fill;
    if (fill.kind == Fill::Kind::by_type) by_default.kind = Fill::Kind::zero;
    Buffer& made = make<Element>(name, Size::bytes(sizeof(T)), by_default);
    made.symbol = reinterpret_cast<const void*>(&variable);
  }

  void allocate(Buffer& made, const char* name) {
    constexpr std::size_t kGranted = 256;  // what cudaMalloc aligns to at least: CUDA C++ Programming Guide
    std::size_t alignment = kGranted;
    while (align_buffers && alignment < made.content.size()) alignment *= 2;
    const std::size_t more = alignment - kGranted;
    check(cudaMalloc(&made.allocated, made.content.size() + more), name);
    const auto address = reinterpret_cast<std::uintptr_t>(made.allocated);
    made.device = reinterpret_cast<void*>((address + more) / alignment * alignment);
  }

  /// Gives every buffer its content of before the launch.
  void upload() {
    for (auto& b : buffers)
      check(b->symbol != nullptr
                ? cudaMemcpyToSymbol(b->symbol, b->content.data(), b->content.size())
                : cudaMemcpy(b->device, b->content.data(), b->content.size(), cudaMemcpyHostToDevice),
            b->name.c_str());
  }

  /// Writes DIR/NAME.bin: what is on the device, or without one what would be uploaded.
  void dump(const std::string& folder) {
    for (auto& b : buffers) {
      std::vector<char> bytes = b->content;
      if (has_device)
        check(b->symbol != nullptr ? cudaMemcpyFromSymbol(bytes.data(), b->symbol, bytes.size())
                                   : cudaMemcpy(bytes.data(), b->device, bytes.size(), cudaMemcpyDeviceToHost),
              b->name.c_str());
      std::ofstream file(folder + "/" + b->name + ".bin", std::ios::binary);
      if (!file.write(bytes.data(), static_cast<std::streamsize>(bytes.size())))
        fail(folder + "/" + b->name + ".bin: cannot write");
    }
  }

 private:
  template <class Element>
  Buffer& make(const char* name, Size size, const Fill& fill) {
    auto buffer = std::make_unique<Buffer>();
    buffer->name = name;
    const long long count = size.count < 0 ? work_items : size.count;
    const long long bytes = size.size >= 0 ? size.size : count * static_cast<long long>(sizeof(Element));
    if (bytes <= 0) fail(std::string("argument '") + name + "': no bytes");
    buffer->content.resize(static_cast<std::size_t>(bytes));
    fill_bytes<Element>(buffer->content, fill, position, name);
    buffers.push_back(std::move(buffer));
    return *buffers.back();
  }
};

/// Where and when a work-group began.
struct Place {
  unsigned int core;
  unsigned long long start_ns;
};

#ifdef __CUDACC__
__device__ inline void record(Place* places) {
  if (threadIdx.x != 0 || threadIdx.y != 0 || threadIdx.z != 0) return;
  unsigned int core;
  unsigned long long now;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(core));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  const unsigned long long group =
      blockIdx.x + static_cast<unsigned long long>(gridDim.x) * (blockIdx.y + static_cast<unsigned long long>(gridDim.y) * blockIdx.z);
  places[group].core = core;
  places[group].start_ns = now;
}
#endif

/// What a program is told: PROGRAM MODE [--repeats N] [--launch NAME] [--dump DIR [--dumped NUMBER,…]].
struct Options {
  std::string mode, launch, dump, dumped;
  int repeats = 1;

  /// Where the buffers of launch `number` go: DIR, or DIR/NUMBER where a list says which; empty = nowhere.
  std::string dump_folder(std::size_t number) const {
    if (dump.empty() || dumped.empty()) return dump;
    const std::string text = std::to_string(number);
    return ("," + dumped + ",").find("," + text + ",") == std::string::npos ? "" : dump + "/" + text;
  }
};

inline Options parse(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word.rfind("--", 0) != 0) {
      options.mode = word;
      continue;
    }
    if (++i == count) fail(word + ": expected a value");
    if (word == "--repeats") options.repeats = std::atoi(words[i]);
    else if (word == "--launch") options.launch = words[i];
    else if (word == "--dump") options.dump = words[i];
    else if (word == "--dumped") options.dumped = words[i];
    else fail(word + ": expected --repeats, --launch, --dump or --dumped");
  }
  return options;
}

}  // namespace hw
