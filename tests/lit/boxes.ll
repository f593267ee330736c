; Kernels whose addresses and branches need no memory are recorded before they run, in boxes of work-items; their own
; code keeps no calls. Where an address comes from memory, each access is a call.
; RUN: %opt -passes=warpscope-instrument -warpscope-boxes -S %s | %check %s
; RUN: %opt -passes=warpscope-instrument -S %s | %check %s --check-prefix=NOBOXES
; NOBOXES-NOT: .prologue

; A store of 4 bytes per work-item: strides 4, 0 and 0; site 0 at the base itself.
; CHECK: @affine.sites = internal addrspace(2) constant [2 x i64] zeroinitializer
; CHECK-LABEL: define spir_kernel void @affine
; CHECK: [[GROUP:%.*]] = call spir_func i64 @_Z12get_group_idj(i32 0)
; CHECK: getelementptr inbounds ([15 x i8*], [15 x i8*]* @__warpscope_abi_v2, i64 0, i64 14)
; CHECK: call void %{{.*}}(i64 [[GROUP]],
; CHECK: call void %{{.*}}(i32 0, i32 0, i64 %{{.*}}, i32 -1)
; CHECK: call spir_func void @affine.prologue(float addrspace(1)* %a, i64
; CHECK: call spir_func void @_Z7barrierj(i32 1)
; CHECK-NOT: @__warpscope_abi
; CHECK: store float 1.0
; CHECK-NOT: @__warpscope_abi
; CHECK: call spir_func void @_Z7barrierj(i32 1)
; CHECK: getelementptr inbounds ([15 x i8*], [15 x i8*]* @__warpscope_abi_v2, i64 0, i64 13)
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

; A barrier in a loop, and local memory: the function gets the latter from the kernel.
; CHECK-LABEL: define spir_kernel void @tile
; CHECK: call spir_func void @tile.prologue(i32 %n, i64 %{{.*}}, float addrspace(3)* @tile.part)

; What a work-item does depends on its place in its work-group: boxes stay in it.
; CHECK-LABEL: define spir_kernel void @in_group
; CHECK: getelementptr inbounds ([15 x i8*], [15 x i8*]* @__warpscope_abi_v2, i64 0, i64 6)
; CHECK: call spir_func void @in_group.prologue

; What is not on the list of what boxes take: each of these calls, and a barrier that not all work-items come to.
; CHECK-LABEL: define spir_kernel void @prints
; CHECK-NOT: @prints.prologue
; CHECK: %warpscope.item = trunc
; CHECK-LABEL: define spir_kernel void @reads_a_clock
; CHECK-NOT: @reads_a_clock.prologue
; CHECK: %warpscope.item = trunc
; CHECK-LABEL: define spir_kernel void @calls
; CHECK-NOT: @calls.prologue
; CHECK: %warpscope.item = trunc
; CHECK-LABEL: define spir_kernel void @assembly
; CHECK-NOT: @assembly.prologue
; CHECK: %warpscope.item = trunc
; CHECK-LABEL: define spir_kernel void @some_wait
; CHECK-NOT: @some_wait.prologue
; CHECK: %warpscope.item = trunc

; A branch that is the same for all work-items may decide about a barrier.
; CHECK-LABEL: define spir_kernel void @all_wait
; CHECK: call spir_func void @all_wait.prologue

; The functions ask nothing of the work-item, whose place they have as an argument.
; CHECK-LABEL: define internal spir_func void @affine.prologue(float addrspace(1)* %0, i64 %1, i64 %2, i64 %3)
; CHECK-NOT: _Z
; CHECK: [[BOX:%.*]] = call i64 %{{.*}}()
; CHECK: icmp eq i64 [[BOX]], -1
; CHECK: call void %{{.*}}(i64 %{{.*}}, i64 4, i64 0, i64 0, i64 ptrtoint ([2 x i64] addrspace(2)* @affine.sites to i64), i32 1)
; CHECK: ret void
; CHECK-LABEL: define internal spir_func void @tile.prologue
; CHECK-NOT: {{_Z|@tile.part}}
; CHECK: }

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024"
target triple = "spir64-unknown-unknown"
declare spir_func i64 @_Z13get_global_idj(i32)
declare spir_func i64 @_Z12get_local_idj(i32)
declare spir_func i64 @_Z14get_local_sizej(i32)
declare spir_func void @_Z7barrierj(i32)
@tile.part = internal addrspace(3) global float undef

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

define spir_kernel void @tile(i32 %n) {
entry:
  %size = call spir_func i64 @_Z14get_local_sizej(i32 0)
  %last = trunc i64 %size to i32
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  store float 1.0, float addrspace(3)* @tile.part
  call spir_func void @_Z7barrierj(i32 1)
  %next = add i32 %i, %last
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

define spir_kernel void @in_group(float addrspace(1)* %a) {
  %i = call spir_func i64 @_Z12get_local_idj(i32 0)
  %p = getelementptr float, float addrspace(1)* %a, i64 %i
  store float 1.0, float addrspace(1)* %p
  ret void
}

@text = private unnamed_addr addrspace(2) constant [3 x i8] c"hi\00"
declare i32 @printf(i8 addrspace(2)*, ...)
declare i64 @llvm.readcyclecounter()
declare spir_func void @elsewhere()

define spir_kernel void @prints(float addrspace(1)* %a) {
  %i = call spir_func i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr float, float addrspace(1)* %a, i64 %i
  store float 1.0, float addrspace(1)* %p
  %said = call i32 (i8 addrspace(2)*, ...) @printf(i8 addrspace(2)* getelementptr ([3 x i8], [3 x i8] addrspace(2)* @text, i64 0, i64 0))
  ret void
}

define spir_kernel void @reads_a_clock(float addrspace(1)* %a) {
  %i = call spir_func i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr float, float addrspace(1)* %a, i64 %i
  store float 1.0, float addrspace(1)* %p
  %now = call i64 @llvm.readcyclecounter()
  ret void
}

define spir_kernel void @calls(float addrspace(1)* %a) {
  %i = call spir_func i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr float, float addrspace(1)* %a, i64 %i
  store float 1.0, float addrspace(1)* %p
  call spir_func void @elsewhere()
  ret void
}

define spir_kernel void @assembly(float addrspace(1)* %a) {
  %i = call spir_func i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr float, float addrspace(1)* %a, i64 %i
  store float 1.0, float addrspace(1)* %p
  call void asm sideeffect "nop", ""()
  ret void
}

define spir_kernel void @some_wait(float addrspace(1)* %a, i64 %n) {
  %i = call spir_func i64 @_Z12get_local_idj(i32 0)
  %p = getelementptr float, float addrspace(1)* %a, i64 %i
  store float 1.0, float addrspace(1)* %p
  %c = icmp ult i64 %i, 7
  br i1 %c, label %wait, label %exit
wait:
  call spir_func void @_Z7barrierj(i32 1)
  br label %exit
exit:
  ret void
}

define spir_kernel void @all_wait(float addrspace(1)* %a, i64 %n) {
  %i = call spir_func i64 @_Z12get_local_idj(i32 0)
  %p = getelementptr float, float addrspace(1)* %a, i64 %i
  store float 1.0, float addrspace(1)* %p
  %c = icmp ult i64 %n, 7
  br i1 %c, label %wait, label %exit
wait:
  call spir_func void @_Z7barrierj(i32 1)
  br label %exit
exit:
  ret void
}
