//===- Plugin.cpp - names of the passes for opt -passes=… -------------------===//
#include "passes/cuda/CudaArithmetic.h"
#include "passes/cuda/CudaToSpir.h"
#include "passes/describe/BoundBarriers.h"
#include "passes/describe/KeepLines.h"
#include "passes/lower/ExpandMemory.h"
#include "passes/lower/LowerBuiltins.h"
#include "passes/lower/SourceLines.h"
#include "passes/plugin/Instrument.h"
#include "passes/plugin/OwnNames.h"
#include "passes/plugin/Prepare.h"
#include "passes/recursion/Recursion.h"
#include "passes/signatures/Signatures.h"
#include "passes/threads/Branches.h"
#include "passes/threads/Threads.h"
#include "passes/vectors/VectorWidths.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"

using namespace llvm;

namespace {

/// SPIR's generic address space is 4; the registered infer-address-spaces asks the target, and
/// NVPTX answers 0.
constexpr unsigned GenericAddressSpace = 4;

bool addModulePass(StringRef Name, ModulePassManager &Passes,
                   ArrayRef<PassBuilder::PipelineElement>) {
  if (Name == "warpscope-signatures")
    Passes.addPass(wspasses::SignaturesPass());
  else if (Name == "warpscope-own-names")
    Passes.addPass(wspasses::OwnNamesPass(/*Cuda=*/false));
  else if (Name == "warpscope-cuda-own-names")
    Passes.addPass(wspasses::OwnNamesPass(/*Cuda=*/true));
  else if (Name == "warpscope-force-inline")
    Passes.addPass(wspasses::ForceInlinePass());
  else if (Name == "warpscope-gpu-align")
    Passes.addPass(wspasses::GpuAlignPass());
  else if (Name == "warpscope-lower-builtins")
    Passes.addPass(wspasses::LowerBuiltinsPass());
  else if (Name == "warpscope-mark-lines")
    Passes.addPass(wspasses::MarkLinesPass());
  else if (Name == "warpscope-cuda-to-spir")
    Passes.addPass(wspasses::CudaToSpirPass());
  else if (Name == "warpscope-cuda-arithmetic")
    Passes.addPass(wspasses::CudaArithmeticPass());
  else if (Name == "warpscope-cuda-callees")
    Passes.addPass(wspasses::CudaCalleesPass());
  else if (Name == "warpscope-cuda-recursion")
    Passes.addPass(wspasses::RecursionPass(/*Plain=*/false));
  else if (Name == "warpscope-cuda-plain-recursion")
    Passes.addPass(wspasses::RecursionPass(/*Plain=*/true));
  else if (Name == "warpscope-cuda-large-callees")
    Passes.addPass(wspasses::LargeCalleesPass());
  else if (Name == "warpscope-cuda-inline")
    Passes.addPass(wspasses::CudaInlinePass());
  else if (Name == "warpscope-cuda-kernels")
    Passes.addPass(wspasses::CudaKernelsPass());
  else if (Name == "warpscope-embed-threads")
    Passes.addPass(wspasses::EmbedThreadsPass());
  else if (Name == "warpscope-to-spir")
    Passes.addPass(wspasses::ToSpirPass());
  else if (Name == "warpscope-instrument")
    Passes.addPass(wspasses::InstrumentPass());
  else
    return false;
  return true;
}

bool addFunctionPass(StringRef Name, FunctionPassManager &Passes,
                     ArrayRef<PassBuilder::PipelineElement>) {
  if (Name == "warpscope-infer-generic")
    Passes.addPass(InferAddressSpacesPass(GenericAddressSpace));
  else if (Name == "warpscope-expand-memory")
    Passes.addPass(wspasses::ExpandMemoryPass());
  else if (Name == "warpscope-whole-vectors")
    Passes.addPass(wspasses::WholeVectorsPass());
  else if (Name == "warpscope-vector-widths")
    Passes.addPass(wspasses::VectorWidthsPass());
  else if (Name == "warpscope-cuda-volatile")
    Passes.addPass(wspasses::CudaVolatilePass());
  else if (Name == "warpscope-cuda-lockstep")
    Passes.addPass(wspasses::CudaLockstepPass());
  else if (Name == "warpscope-cuda-shared-addresses")
    Passes.addPass(wspasses::CudaSharedAddressesPass());
  else if (Name == "warpscope-cuda-warp")
    Passes.addPass(wspasses::CudaWarpPass());
  else if (Name == "warpscope-branch-threads")
    Passes.addPass(wspasses::BranchThreadsPass());
  else if (Name == "warpscope-cuda-private-aliasing")
    Passes.addPass(wspasses::CudaPrivateAliasingPass());
  else if (Name == "warpscope-cuda-parameter-pointers")
    Passes.addPass(wspasses::CudaParameterPointersPass());
  else
    return false;
  return true;
}

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "warpscope", "1", [](PassBuilder &Builder) {
            Builder.registerPipelineParsingCallback(addModulePass);
            Builder.registerPipelineParsingCallback(addFunctionPass);
            wspasses::boundBarriers(Builder);
            if (PassInstrumentationCallbacks *Callbacks = Builder.getPassInstrumentationCallbacks())
              wspasses::keepSourceLines(*Callbacks);
          }};
}
