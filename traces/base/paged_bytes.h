#pragma once

namespace warpscope {

/// Bytes that are in a file and come into memory as they are read.
class PagedBytes {
 public:
  virtual ~PagedBytes() = default;
  /// Gives the memory of all that was read back; what is read again comes from the file again. Any thread may call it at
  /// any time.
  virtual void release() const = 0;
};

}  // namespace warpscope
