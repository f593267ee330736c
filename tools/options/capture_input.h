#pragma once
// An input that is to be a capture: a trace with loop counters (Crawford 2014, listing 5.1) becomes one.
#include <string>

#include "tools/options/option_values.h"

namespace warpscope {

/// Adds --element-bytes.
void add_element_bytes(boost::program_options::options_description& description);

class CaptureInput {
 public:
  /// Makes a capture of the same name in a temporary folder if `path` is a trace with loop counters, and says on standard error what
  /// that does not say. Anything else stays as it is. Throws InputError.
  CaptureInput(std::string path, const OptionValues& values, const char* tool);
  ~CaptureInput();
  CaptureInput(const CaptureInput&) = delete;
  CaptureInput& operator=(const CaptureInput&) = delete;
  /// What to open. Valid as long as this.
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  void make_capture(const OptionValues& values, const char* tool);
  std::string path_, folder_;  ///< folder_: temporary, empty if there is none
};

}  // namespace warpscope
