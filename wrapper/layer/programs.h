#pragma once
// The application's programs, and next to each the twin that is built from its instrumented source.
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "wrapper/layer/api.h"
#include "wrapper/layer/extensions.h"
#include "wrapper/session/session.h"
#include "wrapper/session/twin_compiler.h"

namespace warpscope::layer {

/// A twin that comes with its program (extensions.h).
struct GivenTwin {
  TwinCode code;
  std::map<std::string, std::string> names;  ///< OpenCL's name of a kernel → the one in its description
  std::string source_name, source, options;
};

/// One build of a program. The twin is made when its first kernel is launched.
class Build {
 public:
  /// `failure`: why there can be no twin, or empty.
  Build(Session& session, const ProgramCache& cache, cl_context context, std::vector<cl_device_id> devices,
        std::vector<SourceUnit> units, std::string options, std::string failure,
        std::shared_ptr<const GivenTwin> given);
  ~Build();
  Build(const Build&) = delete;
  Build& operator=(const Build&) = delete;

  /// The instrumented program; null if there is none, failure() then says why. Thread-safe.
  cl_program twin();
  [[nodiscard]] const std::string& failure() const { return failure_; }
  /// After twin().
  [[nodiscard]] const KernelInfo* kernel(const std::string& name) const;
  /// The name in captures of a kernel that OpenCL calls `symbol`.
  [[nodiscard]] std::string shown_name(const std::string& symbol) const;
  [[nodiscard]] const std::string& source_name() const { return source_name_; }
  [[nodiscard]] const std::string& source() const { return source_; }
  [[nodiscard]] const std::string& options() const { return options_; }
  /// The program came with its twin (extensions.h).
  [[nodiscard]] bool has_own_twin() const { return given_ != nullptr; }
  [[nodiscard]] unsigned number() const { return number_; }  ///< unique among all builds

 private:
  TwinCode code();
  void make_twin();

  Session& session_;
  const ProgramCache& cache_;
  cl_context context_;
  std::vector<cl_device_id> devices_;
  std::vector<SourceUnit> units_;
  std::string options_, failure_, source_name_, source_;
  std::shared_ptr<const GivenTwin> given_;  ///< null: it is compiled
  unsigned number_;
  std::once_flag made_;
  cl_program twin_ = nullptr;
  std::vector<KernelInfo> kernels_;
};

class Programs {
 public:
  explicit Programs(Session& session);

  void add_source(cl_program program, cl_uint count, const char** texts, const std::size_t* lengths);
  /// A program from binaries: those that came from a source that we saw are as good as it.
  void add_binary(cl_program program, cl_uint count, const std::size_t* lengths,
                  const unsigned char** binaries);
  /// The twin of a program from bitcode, before it is built. Throws InputError if it is damaged.
  void describe(cl_program program, const CompiledTwin& twin);
  /// A program that can never be traced.
  void add_opaque(cl_program program, const std::string& reason);
  void retain(cl_program program);
  void release(cl_program program);

  /// After the application's own call was successful; `options` may be null.
  void built(cl_program program, const char* options);
  void compiled(cl_program program, const char* options, cl_uint count, const cl_program* headers,
                const char** names);
  void linked(cl_program program, const char* options, cl_uint count, const cl_program* inputs);
  /// The application has got the program's binaries.
  void handed_out(cl_program program, const std::vector<std::string>& binaries);

  /// The program's last build; null if it is unknown.
  std::shared_ptr<Build> build_of(cl_program program);
  /// While the result lives, the program is known even when the application has released it.
  std::shared_ptr<void> keep(cl_program program);

 private:
  struct Program {
    std::vector<SourceUnit> units;  ///< source; after compiling or linking also their options
    std::string options;            ///< options of the last build
    std::string failure;            ///< why it cannot be traced, or empty
    bool is_binary = false;
    std::shared_ptr<const GivenTwin> given;
    std::shared_ptr<Build> build;
  };
  struct Entry {
    std::weak_ptr<Program> program;
    std::shared_ptr<Program> held;  ///< set while the application has references
    unsigned references = 1;
  };

  void add(cl_program program, const std::shared_ptr<Program>& entry);
  std::shared_ptr<Program> find(cl_program program);
  void make_build(cl_program program, Program& entry);

  Session& session_;
  ProgramCache cache_;
  std::mutex mutex_;
  std::map<cl_program, Entry> programs_;
  std::map<std::string, std::pair<std::vector<SourceUnit>, std::string>>
      binaries_;  ///< by key: units, options
};

}  // namespace warpscope::layer
