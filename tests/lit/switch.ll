; A switch records the index of the successor taken: 0 is the default, then the cases in order. Five successors take
; three bits.
; RUN: %opt -passes=warpscope-instrument -warpscope-kernel-info=%t.json -S %s | %check %s
; RUN: %compile --print %t.json | %check %s --check-prefix=INFO

; CHECK: [[C1:%.*]] = icmp eq i32 %v, 7
; CHECK: [[S1:%.*]] = select i1 [[C1]], i32 1, i32 0
; CHECK: [[C2:%.*]] = icmp eq i32 %v, 9
; CHECK: [[S2:%.*]] = select i1 [[C2]], i32 2, i32 [[S1]]
; CHECK: [[C3:%.*]] = icmp eq i32 %v, -1
; CHECK: [[S3:%.*]] = select i1 [[C3]], i32 3, i32 [[S2]]
; CHECK: [[C4:%.*]] = icmp eq i32 %v, 8
; CHECK: [[S4:%.*]] = select i1 [[C4]], i32 4, i32 [[S3]]
; CHECK: call void %{{.*}}(i32 [[S4]], i32 3, i32 %warpscope.item)
; CHECK-NEXT: switch i32 %v

; INFO: block 0: -> [[D:[0-9]]] -> [[A:[0-9]]] -> [[B:[0-9]]] -> [[A]] -> [[E:[0-9]]], post-dominator [[E]]

target triple = "spir64-unknown-unknown"
define spir_kernel void @switch(i32 %v, i32 addrspace(1)* %p) {
  switch i32 %v, label %default [ i32 7, label %a
                                  i32 9, label %b
                                  i32 -1, label %a
                                  i32 8, label %end ]
default:
  store i32 1, i32 addrspace(1)* %p
  br label %end
a:
  store i32 2, i32 addrspace(1)* %p
  br label %b
b:
  br label %end
end:
  ret void
}
