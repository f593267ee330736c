// The part of a generated host program that knows its kernel, WARPSCOPE_KERNEL; included after the kernel's file.
// Modes:  plain       run: what the profiler watches
//         timed       run with CUDA events around; prints occupancy, registers and milliseconds
//         placement   (built with WARPSCOPE_PLACEMENT) prints the core and start of every work-group
//         inputs      no GPU: writes what would be uploaded into --dump
// One line of JSON per launch on standard output.

namespace hw {

template <class F>
struct ParametersOf;
template <class... P>
struct ParametersOf<void (*)(P...)> {
  using Tuple = std::tuple<std::remove_cv_t<P>...>;
  using Indices = std::index_sequence_for<P...>;
};
using KernelPointer = decltype(&WARPSCOPE_KERNEL);
using ArgumentsOf = ParametersOf<KernelPointer>::Tuple;

struct LaunchEntry {
  const char* name;
  dim3 grid, block;
  void (*prepare)(Session&, ArgumentsOf&);
};

#ifdef WARPSCOPE_PLACEMENT
template <class... P>
__global__ void __launch_bounds__(WARPSCOPE_LARGEST_BLOCK) placed(Place* places, P... arguments) {
  record(places);
  WARPSCOPE_KERNEL(arguments...);
}
template <class T>
struct PlacedOf;
template <class... P>
struct PlacedOf<std::tuple<P...>> {
  static constexpr void (*function)(Place*, P...) = &placed<P...>;
};
#endif

template <std::size_t... I>
void start(const LaunchEntry& entry, const Session& session, ArgumentsOf& arguments, [[maybe_unused]] Place* places,
           std::index_sequence<I...>) {
#ifdef WARPSCOPE_PLACEMENT
  placed<<<entry.grid, entry.block, session.shared_bytes>>>(places, std::get<I>(arguments)...);
#else
  WARPSCOPE_KERNEL<<<entry.grid, entry.block, session.shared_bytes>>>(std::get<I>(arguments)...);
#endif
  check(cudaGetLastError(), entry.name);
}

inline const void* kernel_address() {
#ifdef WARPSCOPE_PLACEMENT
  return reinterpret_cast<const void*>(PlacedOf<ArgumentsOf>::function);
#else
  const KernelPointer pointer = &WARPSCOPE_KERNEL;
  return reinterpret_cast<const void*>(pointer);
#endif
}

/// More than 48 KiB of dynamic shared memory is only given on request.
inline void allow_shared_memory(const Session& session) {
  if (session.shared_bytes > 48 * 1024)
    check(cudaFuncSetAttribute(kernel_address(), cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(session.shared_bytes)),
          "dynamic shared memory");
}

inline void print_resources(const LaunchEntry& entry, const Session& session) {
  cudaFuncAttributes attributes;
  check(cudaFuncGetAttributes(&attributes, kernel_address()), "attributes");
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, kernel_address(), static_cast<int>(entry.block.x * entry.block.y * entry.block.z), session.shared_bytes),
        "occupancy");
  std::printf("\"registers\": %d, \"static_shared_bytes\": %zu, \"dynamic_shared_bytes\": %zu, "
              "\"private_bytes\": %zu, \"resident_groups\": %d",
              attributes.numRegs, attributes.sharedSizeBytes, session.shared_bytes, attributes.localSizeBytes, blocks);
}

inline void run_timed(const LaunchEntry& entry, Session& session, ArgumentsOf& arguments, int repeats) {
  cudaEvent_t before, after;
  check(cudaEventCreate(&before), "event");
  check(cudaEventCreate(&after), "event");
  std::printf("{\"launch\": \"%s\", ", entry.name);
  print_resources(entry, session);
  std::printf(", \"milliseconds\": [");
  for (int repeat = -1; repeat < repeats; ++repeat) {  // the first one also loads the code
    session.upload();
    check(cudaDeviceSynchronize(), entry.name);
    check(cudaEventRecord(before), "event");
    start(entry, session, arguments, nullptr, ParametersOf<KernelPointer>::Indices{});
    check(cudaEventRecord(after), "event");
    check(cudaEventSynchronize(after), entry.name);
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, before, after), "event");
    if (repeat >= 0) std::printf("%s%.6g", repeat > 0 ? ", " : "", static_cast<double>(milliseconds));
  }
  std::printf("]}\n");
  cudaEventDestroy(before);
  cudaEventDestroy(after);
}

inline void run_placement(const LaunchEntry& entry, Session& session, ArgumentsOf& arguments) {
  const std::size_t groups = static_cast<std::size_t>(entry.grid.x) * entry.grid.y * entry.grid.z;
  std::vector<Place> places(groups);
  void* device = nullptr;
  check(cudaMalloc(&device, groups * sizeof(Place)), "placement");
  for (int repeat = 0; repeat < 2; ++repeat) {  // the first one also loads the code
    session.upload();
    start(entry, session, arguments, static_cast<Place*>(device), ParametersOf<KernelPointer>::Indices{});
    check(cudaDeviceSynchronize(), entry.name);
  }
  check(cudaMemcpy(places.data(), device, groups * sizeof(Place), cudaMemcpyDeviceToHost), "placement");
  cudaFree(device);
  unsigned long long first = places[0].start_ns;
  for (const Place& place : places) first = place.start_ns < first ? place.start_ns : first;
  std::printf("{\"launch\": \"%s\", ", entry.name);
  print_resources(entry, session);
  std::printf(", \"core\": [");
  for (std::size_t i = 0; i < groups; ++i) std::printf("%s%u", i > 0 ? "," : "", places[i].core);
  std::printf("], \"start_ns\": [");
  for (std::size_t i = 0; i < groups; ++i) std::printf("%s%llu", i > 0 ? "," : "", places[i].start_ns - first);
  std::printf("]}\n");
}

inline int run(int count, char** words, const std::vector<LaunchEntry>& launches) {
  const Options options = parse(count, words);
  for (std::size_t number = 0; number < launches.size(); ++number) {
    const LaunchEntry& entry = launches[number];
    if (!options.launch.empty() && options.launch != entry.name) continue;
    Session session;
    session.has_device = options.mode != "inputs";
    ArgumentsOf arguments{};
    entry.prepare(session, arguments);
    if (session.has_device) allow_shared_memory(session);
    if (options.mode == "timed") {
      run_timed(entry, session, arguments, options.repeats);
    } else if (options.mode == "placement") {
      run_placement(entry, session, arguments);
    } else if (options.mode == "plain") {
      for (int repeat = 0; repeat < options.repeats; ++repeat) {
        session.upload();
        start(entry, session, arguments, nullptr, ParametersOf<KernelPointer>::Indices{});
        check(cudaDeviceSynchronize(), entry.name);
      }
      std::printf("{\"launch\": \"%s\", \"runs\": %d}\n", entry.name, options.repeats);
    } else if (options.mode != "inputs") {
      fail("expected plain, timed, placement or inputs");
    }
    const std::string folder = options.dump_folder(number);
    if (!folder.empty()) session.dump(folder);
  }
  return 0;
}

}  // namespace hw
