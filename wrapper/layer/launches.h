#pragma once
// Launches on their way: described and enqueued by the application's thread, recorded one at a time.
#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>

#include "wrapper/layer/kernels.h"
#include "wrapper/layer/local_size.h"
#include "wrapper/layer/memory.h"
#include "wrapper/session/session.h"

namespace warpscope::layer {

/// What the application asked for; `task`: clEnqueueTask.
struct EnqueueRequest {
  cl_command_queue queue = nullptr;
  cl_kernel kernel = nullptr;
  cl_uint dimensions = 1;
  const std::size_t* offset = nullptr;
  const std::size_t* global = nullptr;
  const std::size_t* local = nullptr;
  cl_uint wait_count = 0;
  const cl_event* wait_list = nullptr;
  cl_event* event = nullptr;
  bool task = false;
};

/// The recorder's table is one per process, so launches are recorded one after another; and no thread of the
/// application may wait for that, since it may be the one that some launch waits for. Therefore every launch
/// gets a gate, a user event of ours in its wait list, and a marker that completes when everything else that
/// the launch waits for has. A thread of ours takes launches whose marker has completed, sets up the
/// recorder, opens the gate and waits for the launch's end.
class Launches {
 public:
  Launches(Session& session, Kernels& kernels, Memory& memory, Allocations& allocations);

  /// Enqueues the kernel's twin, or the kernel itself if it cannot or must not be recorded. Returns what
  /// OpenCL said.
  cl_int enqueue(const EnqueueRequest& request);
  /// The application has put a barrier into an out-of-order queue; takes over the reference.
  void note_barrier(cl_command_queue queue, cl_event barrier);
  [[nodiscard]] static bool is_out_of_order(cl_command_queue queue);
  /// Numbers of launches and recorders are one thread's at a time.
  std::recursive_mutex& mutex() { return enqueue_mutex_; }
  /// What was said of the next launch of this thread.
  static LaunchName take_name();
  /// As extensions.h says of kNameLaunch.
  static void name_next(const std::string& call_site, const std::string& range);
  /// The kernel that is being recorded stays where it is, with PoCL's threads in it: its launch ends here. Called in
  /// one of these threads.
  void stop(const std::string& why);
  /// As extensions.h says of kNoteFailure.
  void note_failure(const std::string& why);
  /// As extensions.h says.
  void check_addresses(StopKernel stop_kernel) { guard_.check(stop_kernel); }
  /// Waits until what has run is also accounted for. For the end of the process.
  void settle();

 private:
  struct Launch;

  using LocalSize = std::array<std::size_t, 3>;
  /// The request with a local size, kept in `local`, where it leaves that open and the program is to see a
  /// GPU.
  EnqueueRequest with_local_size(const EnqueueRequest& request, LocalSize& local) const;
  cl_int enqueue_original(const EnqueueRequest& request, cl_kernel kernel);
  /// Fills in what the launch is; false with the reason in `failure`.
  bool describe(const EnqueueRequest& request, Kernel& kernel, Launch& launch, std::string& failure);
  bool find_sizes(const EnqueueRequest& request, cl_kernel kernel, Launch& launch, std::string& failure);
  bool find_arguments(const Kernel& kernel, Launch& launch, std::string& failure);
  BufferId object_id(const Build& build, const std::string& kernel, const std::string& object,
                     AddressSpace space, std::uint64_t size);
  cl_int enqueue_gated(const EnqueueRequest& request, cl_kernel kernel, std::unique_ptr<Launch> launch,
                       const std::string& key);
  cl_int add_marker(const EnqueueRequest& request, Launch& launch);

  void make_ready(Launch* launch);
  void queue(Launch* launch);  ///< under the lock
  void run();
  void record(Launch& launch);
  std::string let_run(Launch& launch);
  void finish(const Recorder& recorder, const Launch& launch, std::string& failure);
  static void CL_CALLBACK on_ready(cl_event, cl_int, void* launch);
  static void CL_CALLBACK on_end(cl_event, cl_int status, void* launch);

  /// What kernels may use is what the program has allocated.
  class Guard : public AddressGuard {
   public:
    explicit Guard(Launches& launches) : launches_(launches) {}
    void check(StopKernel stop_kernel) { stop_ = stop_kernel; }
    [[nodiscard]] bool is_on() const { return stop_.load() != nullptr; }
    Range allocation_of(std::uint64_t address) override;
    void judge(const BadAccess& access) override;

   private:
    Launches& launches_;
    std::atomic<StopKernel> stop_ = nullptr;
  };

  Session& session_;
  Kernels& kernels_;
  Memory& memory_;
  Allocations& allocations_;
  Guard guard_;
  LocalSizes local_sizes_;
  std::recursive_mutex enqueue_mutex_;  ///< launches get their numbers in the order of their queues
  std::map<std::string, BufferId> objects_;
  std::map<cl_command_queue, cl_event> barriers_;

  std::mutex mutex_;  ///< guards what follows
  std::condition_variable changed_;
  std::deque<Launch*> ready_;
  std::size_t unsettled_ = 0;  ///< launches that have ended and are not accounted for
  bool running_ = false;       ///< our thread exists
  bool is_recording_ = false;
  std::string stopped_;  ///< why the launch that is being recorded was stopped; empty = it was not
  std::string failed_;   ///< why the launch that is being recorded has failed; guarded by mutex_
};

}  // namespace warpscope::layer
