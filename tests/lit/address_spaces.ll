; Every load and store of a named space gets a call with its address, its number and the work-item; numbers go up in
; program order.
; RUN: %opt -passes=warpscope-instrument -warpscope-kernel-info=%t.json -S %s | %check %s
; RUN: %compile --print %t.json | %check %s --check-prefix=INFO

; CHECK: @__warpscope_abi_v2 = extern_weak global [15 x i8*]
; CHECK-LABEL: define spir_kernel void @spaces
; CHECK: call void %{{.*}}(i32 1, i32 0, i64 %{{.*}}, i32 %warpscope.item)
; CHECK: [[A0:%.*]] = ptrtoint i32 addrspace(2)* %c to i64
; CHECK-NEXT: [[T:%.*]] = load i8*, i8** getelementptr inbounds ([15 x i8*], [15 x i8*]* @__warpscope_abi_v2, i64 0, i64 2), {{.*}}!invariant.load
; CHECK-NEXT: [[F:%.*]] = bitcast i8* [[T]] to void (i64, i32, i32)*
; CHECK-NEXT: call void [[F]](i64 [[A0]], i32 0, i32 %warpscope.item)
; CHECK-NEXT: %x = load i32, i32 addrspace(2)* %c
; CHECK: [[A1:%.*]] = ptrtoint i32 addrspace(3)* %l to i64
; CHECK: call void %{{.*}}(i64 [[A1]], i32 1, i32 %warpscope.item)
; CHECK-NEXT: store i32 %x, i32 addrspace(3)* %l
; CHECK: call void %{{.*}}(i64 {{%.*}}, i32 2, i32 %warpscope.item)
; CHECK-NEXT: %y = load <4 x i32>, <4 x i32> addrspace(1)* %g
; CHECK: call void %{{.*}}(i64 {{%.*}}, i32 3, i32 %warpscope.item)
; CHECK-NEXT: %z = load volatile i16, i16 addrspace(4)* %n
; CHECK: call void %{{.*}}(i64 {{%.*}}, i32 4, i32 %warpscope.item)
; CHECK-NEXT: store i16 %z, i16* %p

; INFO: site 0: load constant, width 4, align 4, argument 0,
; INFO: site 1: store local, width 4, align 4, argument 1,
; INFO: site 2: load global, width 16, align 8, argument 2, streaming,
; INFO: site 3: load generic, width 2, align 2, argument 3, volatile,
; INFO: site 4: store private, width 2, align 2, private 0,

target triple = "spir64-unknown-unknown"
define spir_kernel void @spaces(i32 addrspace(2)* %c, i32 addrspace(3)* %l, <4 x i32> addrspace(1)* %g, i16 addrspace(4)* %n) {
  %p = alloca i16
  %x = load i32, i32 addrspace(2)* %c, align 4
  store i32 %x, i32 addrspace(3)* %l, align 4
  %y = load <4 x i32>, <4 x i32> addrspace(1)* %g, align 8, !nontemporal !0
  %z = load volatile i16, i16 addrspace(4)* %n
  store i16 %z, i16* %p
  ret void
}
!0 = !{i32 1}
