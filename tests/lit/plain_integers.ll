; The bitcode that is kept for other interpreters has no integer intrinsics; what is instrumented keeps them.
; RUN: %opt -passes=warpscope-instrument -warpscope-optimised-bitcode=%t.bc -S %s | %check %s --check-prefix=TRACED
; RUN: %dis %t.bc -o - | %check %s --implicit-check-not=llvm.

target triple = "spir64-unknown-unknown"

; TRACED: call i32 @llvm.umin.i32
; CHECK-LABEL: @k(
; CHECK: [[LESS:%.*]] = icmp ult i32 %x, %y
; CHECK-NEXT: [[MIN:%.*]] = select i1 [[LESS]], i32 %x, i32 %y
; CHECK-NEXT: [[ABOVE:%.*]] = icmp ugt i32 [[MIN]], %y
; CHECK-NEXT: [[DIFFERENCE:%.*]] = sub i32 [[MIN]], %y
; CHECK-NEXT: [[SUB:%.*]] = select i1 [[ABOVE]], i32 [[DIFFERENCE]], i32 0
; CHECK-NEXT: [[NEAR:%.*]] = urem i32 [[SUB]], 32
; CHECK-NEXT: [[ZERO:%.*]] = icmp eq i32 [[NEAR]], 0
; CHECK: [[UPPER:%.*]] = shl i32 %x, [[NEAR]]
; CHECK-NEXT: [[LOWER:%.*]] = lshr i32 %y
; CHECK-NEXT: [[BOTH:%.*]] = or i32 [[UPPER]], [[LOWER]]
; CHECK-NEXT: select i1 [[ZERO]], i32 %x, i32 [[BOTH]]
; CHECK: call spir_func i8 @_Z8popcounth(i8 %z)
define spir_kernel void @k(i32 addrspace(1)* %p, i32 %x, i32 %y, i8 %z) {
  %min = call i32 @llvm.umin.i32(i32 %x, i32 %y)
  %sub = call i32 @llvm.usub.sat.i32(i32 %min, i32 %y)
  %turned = call i32 @llvm.fshl.i32(i32 %x, i32 %y, i32 %sub)
  %ones = call i8 @llvm.ctpop.i8(i8 %z)
  %wide = zext i8 %ones to i32
  %sum = add i32 %turned, %wide
  store i32 %sum, i32 addrspace(1)* %p
  ret void
}

declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.usub.sat.i32(i32, i32)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare i8 @llvm.ctpop.i8(i8)
