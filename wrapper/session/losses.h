#pragma once
// What traced processes could not write for trace-kernel into the session directory, as its disk is full:
// counted in a page that trace-kernel allocates before the program starts, where nothing can fail any more.
#include <atomic>
#include <cstdint>
#include <string>

namespace warpscope::layer {

struct Losses {
  std::uint64_t records = 0;  ///< number of records that could not be written
  int error = 0;              ///< why the first could not: a value of errno
};

/// Allocates the page. Throws InputError when there is no room for it.
void write_losses(const std::string& directory);
/// Zeros where there is no page.
Losses read_losses(const std::string& directory);

/// Counts, in all processes that share the directory. Without the page it does nothing.
class LossCounter {
 public:
  explicit LossCounter(const std::string& directory);
  ~LossCounter();
  LossCounter(const LossCounter&) = delete;
  LossCounter& operator=(const LossCounter&) = delete;

  /// Safe in every thread and after a fork. `error`: a value of errno.
  void add(int error);

 private:
  struct Page {
    std::atomic<std::uint64_t> records;
    std::atomic<int> error;
  };
  friend Losses read_losses(const std::string& directory);
  friend void write_losses(const std::string& directory);
  Page* page_ = nullptr;
};

}  // namespace warpscope::layer
