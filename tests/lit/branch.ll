; A conditional branch records one bit, 0 for the true side. Terminators with one successor record nothing.
; RUN: %opt -passes=warpscope-instrument -S %s | %check %s

; CHECK: [[NOT:%.*]] = xor i1 %c, true
; CHECK: [[OUTCOME:%.*]] = zext i1 [[NOT]] to i32
; CHECK: load i8*, i8** getelementptr inbounds ([15 x i8*], [15 x i8*]* @__warpscope_abi_v2, i64 0, i64 3)
; CHECK: call void %{{.*}}(i32 [[OUTCOME]], i32 1, i32 %warpscope.item)
; CHECK-NEXT: br i1 %c, label %then, label %end
; CHECK: then:
; CHECK-NEXT: br label %end
target triple = "spir64-unknown-unknown"
define spir_kernel void @branch(i1 %c, i32 addrspace(1)* %unused) {
  br i1 %c, label %then, label %end
then:
  br label %end
end:
  ret void
}
