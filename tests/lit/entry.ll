; At the entry: the linear local id, begin with the group, then where every pointer argument (kind 0) and every object of
; the kernel (kind 1) lives. Scalars, images and kernels' private functions are not reported.
; RUN: %opt -passes=warpscope-instrument -S %s | %check %s

; CHECK-LABEL: define spir_kernel void @entry
; CHECK: %a = alloca [8 x float]
; CHECK: [[X:%.*]] = call spir_func i64 @_Z12get_local_idj(i32 0)
; CHECK: [[GX:%.*]] = call spir_func i64 @_Z12get_group_idj(i32 0)
; CHECK: [[Y:%.*]] = call spir_func i64 @_Z12get_local_idj(i32 1)
; CHECK: [[GY:%.*]] = call spir_func i64 @_Z12get_group_idj(i32 1)
; CHECK: [[Z:%.*]] = call spir_func i64 @_Z12get_local_idj(i32 2)
; CHECK: [[GZ:%.*]] = call spir_func i64 @_Z12get_group_idj(i32 2)
; CHECK: [[SX:%.*]] = call spir_func i64 @_Z14get_local_sizej(i32 0)
; CHECK: [[SY:%.*]] = call spir_func i64 @_Z14get_local_sizej(i32 1)
; CHECK: [[ROW:%.*]] = mul i64 [[SY]], [[Z]]
; CHECK: [[YZ:%.*]] = add i64 [[Y]], [[ROW]]
; CHECK: [[REST:%.*]] = mul i64 [[SX]], [[YZ]]
; CHECK: [[ID:%.*]] = add i64 [[X]], [[REST]]
; CHECK: %warpscope.item = trunc i64 [[ID]] to i32
; CHECK: @__warpscope_abi_v2
; CHECK: call void %{{.*}}(i32 %warpscope.item, i64 [[GX]], i64 [[GY]], i64 [[GZ]])
; CHECK: [[B:%.*]] = ptrtoint float addrspace(1)* %buffer to i64
; CHECK: call void %{{.*}}(i32 0, i32 0, i64 [[B]], i32 %warpscope.item)
; CHECK: [[A:%.*]] = ptrtoint [8 x float]* %a to i64
; CHECK: call void %{{.*}}(i32 1, i32 0, i64 [[A]], i32 %warpscope.item)
; CHECK: call void %{{.*}}(i32 1, i32 1, i64 ptrtoint ([4 x float] addrspace(3)* @entry.tile to i64), i32 %warpscope.item)
; CHECK-NOT: call void %{{.*}}(i32 {{[01]}},
; CHECK: ret void

target triple = "spir64-unknown-unknown"
%image = type opaque
@entry.tile = internal addrspace(3) global [4 x float] undef
define spir_kernel void @entry(float addrspace(1)* %buffer, i32 %n, %image addrspace(1)* %i) !kernel_arg_base_type !0 {
  %a = alloca [8 x float]
  %p = getelementptr [8 x float], [8 x float]* %a, i64 0, i64 0
  store float 1.0, float* %p
  store float 1.0, float addrspace(3)* getelementptr ([4 x float], [4 x float] addrspace(3)* @entry.tile, i64 0, i64 1)
  ret void
}
!0 = !{!"float*", !"int", !"image2d_t"}
