#pragma once
// Thin, checked layer over POSIX files: every failure becomes an InputError that names the file.
#include <cstdint>
#include <span>
#include <string>

namespace warpscope {

/// Owns a file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : value_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    reset(other.release());
    return *this;
  }
  [[nodiscard]] int get() const { return value_; }
  [[nodiscard]] bool valid() const { return value_ >= 0; }
  int release() {
    const int value = value_;
    value_ = -1;
    return value;
  }
  void reset(int value = -1);

 private:
  int value_ = -1;
};

/// "PATH: cannot write: No space left on device".
std::string io_message(const std::string& path, const char* action, int error_number);

/// Opens a regular file, pipe or device for reading; a directory is refused. `path` "-" = standard input.
Descriptor open_input(const std::string& path);
/// An unnamed file in $TMPDIR (default /tmp) that vanishes when closed.
Descriptor open_spool();
/// Copies all that is left of `from` to the end of `to`; `from_name` and `to_name` go into messages.
void copy_all(int from, const std::string& from_name, int to, const std::string& to_name);

/// The same open file under a number that a process does not close which closes all from 3 to its limit, as daemons do. Inside of a
/// program, for files that are not the program's. The same number if there is no other.
Descriptor out_of_reach(Descriptor file);

std::uint64_t file_size(int descriptor, const std::string& path);
/// Where the next read_some() begins, in bytes from the start of a regular file.
void seek_to(int descriptor, std::uint64_t offset, const std::string& path);
/// True when `path` is to be read or written as it is, without another name meanwhile: a device, a pipe, or the system's name of what
/// is open already, such as /dev/stdout, whatever that is.
bool is_special_file(const std::string& path);

/// Writes everything. Throws InputError, and ClosedPipe when a pipe has no reader any more.
void write_all(int descriptor, std::span<const std::uint8_t> bytes, const std::string& path);
/// Reads until `bytes` is full or the file ends; returns how many bytes were read.
std::size_t read_some(int descriptor, std::span<std::uint8_t> bytes, const std::string& path);
std::size_t read_some_at(int descriptor, std::uint64_t offset, std::span<std::uint8_t> bytes,
                         const std::string& path);

}  // namespace warpscope
