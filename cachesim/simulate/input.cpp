#include "cachesim/simulate/input.h"

namespace warpscope {

std::string input_kind_name(FileKind kind) {
  switch (kind) {
    case FileKind::Capture:
      return "capture";
    case FileKind::BinaryStream:
      return "binary stream";
    case FileKind::TextStream:
      return "text stream";
    case FileKind::TransactionStream:
      return "transaction stream";
    case FileKind::CrawfordTrace:
      return "trace with loop counters";
    case FileKind::Empty:
    case FileKind::Unknown:
      break;
  }
  return "unknown kind of file";
}

}  // namespace warpscope
