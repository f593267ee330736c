; Divisions and remainders cost what ptxas makes of them (machine/ISA.md, "Divisions"); fp64 and fp16 have classes of their own.
; RUN: %opt -passes=warpscope-instrument -warpscope-kernel-info=%t.json -disable-output %s
; RUN: %compile --print %t.json | %check %s
target triple = "spir64-unknown-unknown"
declare double @llvm.fmuladd.f64(double, double, double)
declare half @llvm.fmuladd.f16(half, half, half)
declare double @llvm.sqrt.f64(double)

; An unsigned one of 32 bits by a value is int_div; a signed one takes 6 more, its remainder 4, and 64 bits 7.
; CHECK: block 0: return, {{[0-9]+}} instructions: 1 branch 17 int_alu 4 int_div 2 store_global
define spir_kernel void @values(i32 addrspace(1)* %p, i32 %i, i32 %j, i64 addrspace(1)* %q, i64 %k) {
  %a = udiv i32 %i, %j
  %b = sdiv i32 %a, %j
  %c = srem i32 %b, %j
  store i32 %c, i32 addrspace(1)* %p, align 4
  %d = udiv i64 99, %k
  store i64 %d, i64 addrspace(1)* %q, align 8
  ret void
}
; By 7: 4, its remainder 5; by 8: 1, signed 3, its remainder 4. Together 17.
; CHECK: block 0: return, {{[0-9]+}} instructions: 1 branch 17 int_alu 1 store_global
define spir_kernel void @constants(i32 addrspace(1)* %p, i32 %i) {
  %a = udiv i32 %i, 7
  %b = srem i32 %a, 7
  %c = udiv i32 %b, 8
  %d = sdiv i32 %c, 8
  %e = srem i32 %d, 8
  store i32 %e, i32 addrspace(1)* %p, align 4
  ret void
}
; CHECK: block 0: return, {{[0-9]+}} instructions: 1 branch 1 fp16 1 fp16_fma 2 fp64 1 fp64_div 1 fp64_fma 1 fp64_sqrt 2 store_global
define spir_kernel void @floats(double addrspace(1)* %p, double %x, half addrspace(1)* %q, half %h) {
  %a = fadd double %x, %x
  %b = fmul double %a, %x
  %c = call double @llvm.fmuladd.f64(double %b, double %x, double %a)
  %d = fdiv double %c, %x
  %e = call double @llvm.sqrt.f64(double %d)
  store double %e, double addrspace(1)* %p, align 8
  %f = fadd half %h, %h
  %g = call half @llvm.fmuladd.f16(half %f, half %h, half %h)
  store half %g, half addrspace(1)* %q, align 2
  ret void
}
