#include "wrapper/session/losses.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <array>
#include <cstring>

#include "traces/base/error.h"
#include "traces/files/file_io.h"

namespace warpscope::layer {
namespace {

std::string losses_file(const std::string& directory) {
  return directory + "/losses";
}

}  // namespace

void write_losses(const std::string& directory) {
  const std::string path = losses_file(directory);
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (!file.valid()) throw InputError(io_message(path, "write", errno));
  // Written and not only enlarged: a page of a file with a hole ends the process that first touches it on a
  // full disk.
  const std::array<std::uint8_t, sizeof(LossCounter::Page)> zeros{};
  write_all(file.get(), zeros, path);
}

Losses read_losses(const std::string& directory) {
  const LossCounter counter(directory);
  if (counter.page_ == nullptr) return {};
  return {counter.page_->records.load(), counter.page_->error.load()};
}

LossCounter::LossCounter(const std::string& directory) {
  const Descriptor file(::open(losses_file(directory).c_str(), O_RDWR | O_CLOEXEC));
  if (!file.valid()) return;
  void* mapping = ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (mapping != MAP_FAILED) page_ = static_cast<Page*>(mapping);
}

LossCounter::~LossCounter() {
  if (page_ != nullptr) ::munmap(page_, sizeof(Page));
}

void LossCounter::add(int error) {
  if (page_ == nullptr) return;
  int none = 0;
  page_->error.compare_exchange_strong(none, error);
  ++page_->records;
}

}  // namespace warpscope::layer
