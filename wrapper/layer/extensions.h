#pragma once
// What the CUDA runtime (wrapper/cuda) tells the layer, by functions that clGetExtensionFunctionAddressForPlatform
// gives. Without the layer there are none.
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>

#include <cstddef>

namespace warpscope {
struct MachineTask;
}

namespace warpscope::layer {

/// The instrumented twin of a program that is made from bitcode. Texts end with a zero; all is copied.
struct CompiledTwin {
  const unsigned char* bitcode;
  std::size_t bitcode_bytes;
  const char* kernels;      ///< JSON array of kernel descriptions
  const char* names;        ///< JSON object: OpenCL's name of a kernel → the name in its description
  const char* source_name;  ///< name of the source
  const char* source;
  const char* options;
};

/// Between clCreateProgramWithBinary and clBuildProgram.
inline constexpr const char* kDescribeProgram = "warpscopeDescribeProgram";
using DescribeProgram = void(CL_API_CALL*)(cl_program, const CompiledTwin*);

/// What becomes of memory: it is never freed, or the program's own; the program frees it; the same, and nobody has written it.
enum class MemoryUse : int { Kept, Freed, Fresh };

/// The name in captures of the memory that clSVMAlloc returned, or of other memory that kernels may use until it is
/// named with 0 bytes. `room`: bytes around it that are nobody else's, where a GPU lets accesses pass.
inline constexpr const char* kNameMemory = "warpscopeNameMemory";
using NameMemory = void(CL_API_CALL*)(cl_context, const void*, std::size_t bytes, const char* name,
                                      const void* room, std::size_t room_bytes, MemoryUse);

/// What captures say of the next launch that this thread enqueues: where the program launches it ("app.cu:42"), and
/// what it says it is doing. Empty = not known.
inline constexpr const char* kNameLaunch = "warpscopeNameLaunch";
using NameLaunch = void(CL_API_CALL*)(const char* call_site, const char* range);

/// In the thread that runs the kernel being recorded: it will not come to its end, because of `why`.
inline constexpr const char* kNoteStop = "warpscopeNoteStop";
using NoteStop = void(CL_API_CALL*)(const char* why);

/// As NoteStop: the kernel being recorded has failed by an assertion, an error of the program's own; it may go on.
inline constexpr const char* kNoteFailure = "warpscopeNoteFailure";

/// From now on the addresses of global memory are checked in programs with a twin of their own. `stop` is called in the
/// thread of a kernel that uses a bad one, with a line for people; it does not return.
inline constexpr const char* kCheckAddresses = "warpscopeCheckAddresses";
using StopKernel = void(CL_CALLBACK*)(bool is_misaligned, const char* why);
using CheckAddresses = void(CL_API_CALL*)(StopKernel stop);

/// Executes a launch of machine code, recorded where that is asked for. What ended it is in the task.
inline constexpr const char* kRunMachine = "warpscopeRunMachine";
using RunMachine = void(CL_API_CALL*)(cl_context, MachineTask*);

/// The layer's function of that name; null: none of these.
void* cuda_extension(const char* name);

}  // namespace warpscope::layer
