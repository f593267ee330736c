#include "passes/driver/ptx_builtins.h"

#include <gmock/gmock.h>

namespace warpscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string declaring(const std::string& function) {
  return "target datalayout = \"e\"\n\ndefine spir_kernel void @k() {\n  ret void\n}\n\n" + function + "\n";
}

TEST(PtxBuiltins, AGlobalIdIsGroupTimesSizePlusLocal) {
  const ResolvedBuiltins found =
      resolve_builtins(declaring("declare spir_func i64 @_Z13get_global_idj(i32)"));
  EXPECT_THAT(found.unresolved, IsEmpty());
  EXPECT_THAT(found.assembly, HasSubstr("define internal i64 @_Z13get_global_idj(i32 %axis)"));
  EXPECT_THAT(found.assembly, HasSubstr("%product = mul i32 %ctaid, %ntid\n  %sum = add i32 %product, %tid"));
  EXPECT_THAT(found.assembly, HasSubstr("declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()"));
  EXPECT_THAT(found.assembly, Not(HasSubstr("declare spir_func")));
}

// Two built-ins that read the same register declare it once: LLVM refuses a second declaration.
TEST(PtxBuiltins, ARegisterIsDeclaredOnce) {
  const std::string text =
      resolve_builtins(declaring("declare i64 @_Z12get_local_idj(i32)\ndeclare i64 @_Z13get_global_idj(i32)"))
          .assembly;
  const std::string declaration = "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()";
  const std::size_t first = text.find(declaration);
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(text.find(declaration, first + 1), std::string::npos);
}

TEST(PtxBuiltins, MathematicsIsLibdevices) {
  const auto text = [](const std::string& name) {
    return resolve_builtins(declaring("declare float @" + name + "(float)")).assembly;
  };
  EXPECT_THAT(text("_Z5rsqrtf"), HasSubstr("call float @__nv_rsqrtf(float %p0)"));
  EXPECT_THAT(text("_Z10native_expf"), HasSubstr("call float @__nv_fast_expf(float %p0)"));
  EXPECT_THAT(text("_Z11native_sqrtf"), HasSubstr("call float @__nv_sqrtf(float %p0)"));
  EXPECT_THAT(resolve_builtins(declaring("declare double @_Z3madddd(double, double, double)")).assembly,
              HasSubstr("call double @__nv_fma(double %p0, double %p1, double %p2)"));
}

TEST(PtxBuiltins, IntegersKnowTheirSign) {
  EXPECT_THAT(resolve_builtins(declaring("declare i32 @_Z3minii(i32, i32)")).assembly,
              HasSubstr("@llvm.smin.i32"));
  EXPECT_THAT(resolve_builtins(declaring("declare i64 @_Z3maxmm(i64, i64)")).assembly,
              HasSubstr("@llvm.umax.i64"));
}

TEST(PtxBuiltins, WhatIsNotKnownIsNamed) {
  const ResolvedBuiltins found = resolve_builtins(
      declaring("declare <4 x float> @_Z4sqrtDv4_f(<4 x float>)\ndeclare void @user()\n"
                "declare float @llvm.fma.f32(float, float, float)\ndeclare i32 @_Z3minij(i32, i32)"));
  EXPECT_THAT(found.unresolved, ElementsAre("_Z4sqrtDv4_f", "user", "_Z3minij"));
}

TEST(PtxBuiltins, TheTargetIsNvptxWhateverItWas) {
  EXPECT_EQ(resolve_builtins("target triple = \"spir64-unknown-unknown\"\n").assembly,
            "target triple = \"nvptx64-nvidia-cuda\"\n");
}

TEST(PtxBuiltins, SpacesAndConventionsAreNvptxs) {
  const std::string text =
      resolve_builtins("define spir_kernel void @k(float addrspace(2)* %c, i8 addrspace(4)* %g) {\n")
          .assembly;
  EXPECT_EQ(text, "define ptx_kernel void @k(float addrspace(1)* %c, i8* %g) {\n");
}

TEST(PtxBuiltins, ConstantsOfTheProgramStayInConstantMemory) {
  const std::string variable = "@t = internal addrspace(2) constant [2 x i32] [i32 1, i32 2]\n";
  const std::string plain = "define spir_kernel void @k(i32 addrspace(1)* %o) {\n";
  EXPECT_EQ(resolve_builtins(variable + plain).assembly,
            "@t = internal addrspace(4) constant [2 x i32] [i32 1, i32 2]\n"
            "define ptx_kernel void @k(i32 addrspace(1)* %o) {\n");
}

}  // namespace
}  // namespace warpscope
