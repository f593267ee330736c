; Largest number of live 32-bit values. After %d: a, b, c, d are live (4 values of 32 bits); arguments and constants cost
; nothing, the 64-bit value counts twice, the boolean not at all.
; RUN: %opt -passes=warpscope-instrument -warpscope-kernel-info=%t.json -disable-output %s
; RUN: %compile --print %t.json | %check %s
target triple = "spir64-unknown-unknown"
; CHECK: kernel four, registers about 4,
define spir_kernel void @four(i32 addrspace(3)* %p, i32 %n) {
  %a = mul i32 %n, 3
  %b = mul i32 %n, 5
  %c = mul i32 %n, 7
  %d = mul i32 %n, 9
  %e = add i32 %a, %b
  %f = add i32 %c, %d
  %g = add i32 %e, %f
  store i32 %g, i32 addrspace(3)* %p
  ret void
}
; CHECK: kernel wide, registers about 3,
define spir_kernel void @wide(i64 addrspace(3)* %p, i64 %n, i32 %m) {
  %a = mul i64 %n, 3
  %b = mul i32 %m, 5
  %c = icmp eq i32 %b, 7
  %d = select i1 %c, i64 %a, i64 %n
  store i64 %d, i64 addrspace(3)* %p
  ret void
}
