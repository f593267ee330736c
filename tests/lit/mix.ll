; Instruction classes: operations on vectors count per element, accesses per piece of min(16, alignment) bytes.
; RUN: %opt -passes=warpscope-instrument -warpscope-kernel-info=%t.json -disable-output %s
; RUN: %compile --print %t.json | %check %s
; CHECK: block 0: return, 20 instructions: 1 barrier 1 branch 1 compare 1 convert 4 fp32_add 1 fp32_div 1 fp32_fma 1 fp32_mul 1 fp32_rsqrt 1 fp32_special 2 fp32_sqrt 1 fp64 1 int_alu 1 int_div 1 int_mul 4 load_global 1 select 1 store_local
target triple = "spir64-unknown-unknown"
declare spir_func void @_Z7barrierj(i32)
declare float @llvm.fmuladd.f32(float, float, float)
declare spir_func float @_Z10native_sinf(float)
declare spir_func float @_Z5rsqrtf(float)
declare spir_func float @_Z11native_sqrtf(float)
declare float @llvm.sqrt.f32(float)
define spir_kernel void @mix(<4 x float> addrspace(1)* %p, float addrspace(3)* %l, i32 %i, double %d, float %f) {
  %v = load <4 x float>, <4 x float> addrspace(1)* %p, align 4
  %w = fadd <4 x float> %v, %v
  %e = extractelement <4 x float> %w, i64 1
  %m = fmul float %e, %f
  %q = fdiv float %m, %f
  %a = call float @llvm.fmuladd.f32(float %q, float %f, float %e)
  %s = call spir_func float @_Z10native_sinf(float %a)
  %r = call spir_func float @_Z5rsqrtf(float %s)
  %n = call spir_func float @_Z11native_sqrtf(float %r)
  %o = call float @llvm.sqrt.f32(float %n)
  %x = mul i32 %i, %i
  %y = udiv i32 %x, %i
  %z = xor i32 %y, 5
  %c = icmp eq i32 %z, 0
  %g = select i1 %c, float %o, float %a
  %h = fadd double %d, %d
  %u = fptosi double %h to i32
  call spir_func void @_Z7barrierj(i32 1)
  store float %g, float addrspace(3)* %l, align 4
  ret void
}
