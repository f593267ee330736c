#pragma once
// Files that NVIDIA's compilers made: cubins, PTX, and whatever has fat binaries inside.
#include <optional>
#include <string>
#include <vector>

#include "machine/cubin/fat_binary.h"
#include "wrapper/machine/machine_program.h"

namespace warpscope {

/// Whether a file holds machine code or PTX: by its content, or its suffix (.ptx, .cubin, .fatbin).
bool is_device_file(const std::string& path);

struct DeviceFileRequest {
  std::string path;
  std::string name;                ///< for messages
  std::string work_directory;      ///< for PTX
  std::optional<std::string> gpu;  ///< what the code has to run on, as it was given: "a100"; absent: any
  std::optional<std::string> architecture;  ///< of that GPU: "sm_80"
  std::vector<std::string> options;         ///< for ptxas
};

/// The programs of a file, of each fat binary the code that the GPU's driver takes: that for this GPU alone (sm_90a), else the highest minor version of
/// its major one that it runs (CUDA C++ Programming Guide, "Binary Compatibility"). PTX is assembled, if the file has no machine code that will do.
/// Throws InputError for files without any.
std::vector<MachineProgram> load_device_file(const DeviceFileRequest& request);
/// The same of images that are in memory already; `path` is not read.
std::vector<MachineProgram> load_device_images(const DeviceFileRequest& request,
                                               std::vector<machine::DeviceImage> images);
/// A line that says so, if PTX of a program was assembled; else "". `name`: of the file; `gpu`: as it was given.
std::string assembled_note(const std::vector<MachineProgram>& programs, const std::string& name,
                           const std::optional<std::string>& gpu);

}  // namespace warpscope
