; Every return is preceded by end(); the post-dominator of a block with a return on one side is the virtual exit.
; RUN: %opt -passes=warpscope-instrument -warpscope-kernel-info=%t.json -S %s | %check %s
; RUN: %compile --print %t.json | %check %s --check-prefix=INFO

; CHECK: early:
; CHECK: load i8*, i8** getelementptr inbounds ([15 x i8*], [15 x i8*]* @__warpscope_abi_v2, i64 0, i64 1)
; CHECK: call void %{{.*}}(i32 %warpscope.item)
; CHECK-NEXT: ret void
; CHECK: late:
; CHECK: call void %{{.*}}(i64 %{{.*}}, i32 0, i32 %warpscope.item)
; CHECK-NEXT: store
; CHECK: call void %{{.*}}(i32 %warpscope.item)
; CHECK-NEXT: ret void

; INFO: block 0: -> 1 -> 2, 1 instructions
; INFO: block 1: return
; INFO: block 2: return

target triple = "spir64-unknown-unknown"
define spir_kernel void @early(i1 %c, i32 addrspace(1)* %p) {
  br i1 %c, label %early, label %late
early:
  ret void
late:
  store i32 1, i32 addrspace(1)* %p
  ret void
}
