; The consumer of a value that a phi uses is the end of the incoming block: block 1 has 2 instructions, so 1:2.
; Instructions that cost nothing (extractelement) are looked through, and of two uses the dominating one counts (the phi's use of %b is behind the compare).
; RUN: %opt -passes=warpscope-instrument -warpscope-kernel-info=%t.json -disable-output %s
; RUN: %compile --print %t.json | %check %s

; CHECK: site 0: load global, {{.*}} at 0:0, earliest entry, consumers 0:3,
; CHECK: site 1: load global, {{.*}} at 1:0, earliest entry, consumers 1:2,
; CHECK: site 2: load global, {{.*}} at 2:0, earliest entry, consumers 2:1,
target triple = "spir64-unknown-unknown"
define spir_kernel void @phi(<2 x i32> addrspace(1)* %p, i32 addrspace(1)* noalias %q, i32 addrspace(1)* noalias %r) {
  %v = load <2 x i32>, <2 x i32> addrspace(1)* %p
  %a = extractelement <2 x i32> %v, i64 0
  %b = extractelement <2 x i32> %v, i64 1
  %c = icmp eq i32 %a, 0
  br i1 %c, label %then, label %else
then:
  %x = load i32, i32 addrspace(1)* %q
  br label %end
else:
  %y = load i32, i32 addrspace(1)* %q
  %z = add i32 %y, 1
  br label %end
end:
  %m = phi i32 [ %x, %then ], [ %b, %else ]
  %s = add i32 %m, %m
  store i32 %s, i32 addrspace(1)* %r
  ret void
}
