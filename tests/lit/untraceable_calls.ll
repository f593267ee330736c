; Reasons for what is not recorded: one filter, one line each.
; RUN: %opt -passes=warpscope-instrument -warpscope-kernel-info=%t.json -warpscope-report -disable-output %s 2>&1 | %check %s --check-prefix=REPORT
; RUN: %compile --print %t.json | %check %s
; REPORT: warpscope: k: 1 recorded, 1 no access, 0 address space excluded, 0 kernel parameter, 1 printf, 4 untraceable

; CHECK: cannot be traced: k: call of the external function mystery
; CHECK: cannot be traced: k: sub-group function (sub_group_broadcast)
; CHECK: cannot be traced: k: pipe (__read_pipe_2)
; CHECK: cannot be traced: k: work-group function (work_group_reduce_add)
target triple = "spir64-unknown-unknown"
declare spir_func void @mystery(i32 addrspace(1)*)
declare spir_func i32 @_Z19sub_group_broadcastij(i32, i32)
declare spir_func i32 @__read_pipe_2(i8 addrspace(1)*, i8 addrspace(4)*, i32, i32)
declare spir_func i32 @_Z21work_group_reduce_addi(i32)
declare spir_func i32 @printf(i8 addrspace(2)*, ...)
define spir_kernel void @k(i32 addrspace(1)* %p, i8 addrspace(1)* %pipe, i8 addrspace(4)* %q, i8 addrspace(2)* %f) {
  call spir_func void @mystery(i32 addrspace(1)* %p)
  %a = call spir_func i32 @_Z19sub_group_broadcastij(i32 1, i32 0)
  %b = call spir_func i32 @__read_pipe_2(i8 addrspace(1)* %pipe, i8 addrspace(4)* %q, i32 4, i32 4)
  %c = call spir_func i32 @_Z21work_group_reduce_addi(i32 %a)
  %d = call spir_func i32 (i8 addrspace(2)*, ...) @printf(i8 addrspace(2)* %f)
  store i32 %c, i32 addrspace(1)* %p
  ret void
}
