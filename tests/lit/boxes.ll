; Kernels whose addresses and branches need no memory are recorded before they run, in boxes of work-items; their own
; code keeps no calls. Where an address comes from memory, each access is a call.
; RUN: %opt -passes=warpscope-instrument -warpscope-boxes -S %s | %check %s
; RUN: %opt -passes=warpscope-instrument -S %s | %check %s --check-prefix=NOBOXES
; NOBOXES-NOT: _Z7barrierj

; A store of 4 bytes per work-item: strides 4, 0 and 0; site 0 at the base itself.
; CHECK: @affine.sites = internal addrspace(2) constant [2 x i64] zeroinitializer
; CHECK-LABEL: define spir_kernel void @affine
; CHECK: [[GROUP:%.*]] = call spir_func i64 @_Z12get_group_idj(i32 0)
; CHECK: call void %{{.*}}(i64 [[GROUP]],
; CHECK: call void %{{.*}}(i32 0, i32 0, i64 %{{.*}}, i32 -1)
; CHECK: [[BOX:%.*]] = call i64 %{{.*}}()
; CHECK: icmp eq i64 [[BOX]], -1
; CHECK: call void %{{.*}}(i64 %{{.*}}, i64 4, i64 0, i64 0, i64 ptrtoint ([2 x i64] addrspace(2)* @affine.sites to i64), i32 1)
; CHECK: call spir_func void @_Z7barrierj(i32 1)
; CHECK-NOT: @__warpscope_abi
; CHECK: store float 1.0
; CHECK-NOT: @__warpscope_abi
; CHECK: call spir_func void @_Z7barrierj(i32 1)
; CHECK: getelementptr inbounds ([14 x i8*], [14 x i8*]* @__warpscope_abi_v2, i64 0, i64 13)
; CHECK: ret void

; CHECK-LABEL: define spir_kernel void @gather
; CHECK-NOT: barrier
; CHECK: call void %{{.*}}(i64 %{{.*}}, i32 0, i32 %warpscope.item)
; CHECK: call void %{{.*}}(i64 %{{.*}}, i32 1, i32 %warpscope.item)
; CHECK: ret void

; The square of an id is not affine.
; CHECK-LABEL: define spir_kernel void @square
; CHECK-NOT: barrier
; CHECK: ret void

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024"
target triple = "spir64-unknown-unknown"
declare spir_func i64 @_Z13get_global_idj(i32)

define spir_kernel void @affine(float addrspace(1)* %a) {
  %i = call spir_func i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr float, float addrspace(1)* %a, i64 %i
  store float 1.0, float addrspace(1)* %p
  ret void
}

define spir_kernel void @gather(i64 addrspace(1)* %from, float addrspace(1)* %to) {
  %i = call spir_func i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i64, i64 addrspace(1)* %from, i64 %i
  %j = load i64, i64 addrspace(1)* %p
  %q = getelementptr float, float addrspace(1)* %to, i64 %j
  store float 1.0, float addrspace(1)* %q
  ret void
}

define spir_kernel void @square(float addrspace(1)* %a) {
  %i = call spir_func i64 @_Z13get_global_idj(i32 0)
  %j = mul i64 %i, %i
  %p = getelementptr float, float addrspace(1)* %a, i64 %j
  store float 1.0, float addrspace(1)* %p
  ret void
}
