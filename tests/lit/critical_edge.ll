; The edges head -> head and head -> end are critical (head has two successors, each target two predecessors). The
; outcome is recorded before the branch, so no edge is split and the graph stays as it was described.
; RUN: %opt -passes=warpscope-instrument -warpscope-kernel-info=%t.json -S %s | %check %s
; RUN: %compile --print %t.json | %check %s --check-prefix=INFO

; CHECK: entry:
; CHECK: br i1 %c, label %head, label %end
; CHECK: head:
; CHECK-NEXT: phi i32
; CHECK: br i1 %more, label %head, label %end
; CHECK: end:
; CHECK-NOT: {{^[a-z.]+:}}
; CHECK: }

; INFO: loop 0: header 1
; INFO: block 0: -> 1 -> 2, post-dominator 2,
; INFO: block 1: -> 1 -> 2, post-dominator 2, loop 0,
; INFO: block 2: return,

target triple = "spir64-unknown-unknown"
define spir_kernel void @critical(i1 %c, i32 %n) {
entry:
  br i1 %c, label %head, label %end
head:
  %i = phi i32 [ 0, %entry ], [ %next, %head ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %head, label %end
end:
  ret void
}
