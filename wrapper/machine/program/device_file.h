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

/// The programs of a file for one architecture: the newest that the GPU runs, else the newest that is known here. PTX is assembled, if there is no machine code
/// that will do. Throws InputError for files without any.
std::vector<MachineProgram> load_device_file(const DeviceFileRequest& request);
/// The same of images that are in memory already; `path` is not read.
std::vector<MachineProgram> load_device_images(const DeviceFileRequest& request,
                                               std::vector<machine::DeviceImage> images);

}  // namespace warpscope
