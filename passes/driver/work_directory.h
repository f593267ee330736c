#pragma once
// A folder for the files of a compilation.
#include <optional>
#include <string>

namespace warpscope {

/// A new folder, removed with everything in it at the end; or `keep`, which is made if it is
/// missing and stays. Throws InputError if there can be none.
class WorkDirectory {
public:
  /// In $TMPDIR, "NAME-" and six characters.
  explicit WorkDirectory(const std::string &name, const std::optional<std::string> &keep = {});
  ~WorkDirectory();
  WorkDirectory(const WorkDirectory &) = delete;
  WorkDirectory &operator=(const WorkDirectory &) = delete;
  [[nodiscard]] const std::string &path() const { return path_; }

private:
  std::string path_;
  bool keep_;
};

} // namespace warpscope
