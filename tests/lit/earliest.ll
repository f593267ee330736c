; Earliest legal position of a load, [block:position], "entry" if nothing binds it.
; RUN: %opt -passes=warpscope-instrument -warpscope-kernel-info=%t.json -disable-output %s
; RUN: %compile --print %t.json | %check %s
target triple = "spir64-unknown-unknown"

; Arithmetic on the address moves up with the load.
; CHECK-LABEL: kernel address_arithmetic
; CHECK: site 1: load global, {{.*}} at 0:3, earliest entry,
define spir_kernel void @address_arithmetic(i32 addrspace(1)* noalias %p, i32 addrspace(1)* noalias %q, i64 %i) {
  %j = mul i64 %i, 3
  %a = getelementptr i32, i32 addrspace(1)* %p, i64 %j
  store i32 1, i32 addrspace(1)* %q
  %x = load i32, i32 addrspace(1)* %a
  ret void
}

; An address that was loaded binds.
; CHECK-LABEL: kernel loaded_address
; CHECK: site 0: load global, {{.*}} at 0:0, earliest entry,
; CHECK: site 1: load global, {{.*}} at 0:2, earliest 0:1,
define spir_kernel void @loaded_address(i32 addrspace(1)* %p, i64 addrspace(1)* %q) {
  %j = load i64, i64 addrspace(1)* %q
  %a = getelementptr i32, i32 addrspace(1)* %p, i64 %j
  %x = load i32, i32 addrspace(1)* %a
  ret void
}

; A store that may alias binds; with restrict it does not.
; CHECK-LABEL: kernel aliasing_store
; CHECK: site 1: load global, {{.*}} at 0:1, earliest 0:1,
define spir_kernel void @aliasing_store(i32 addrspace(1)* %p, i32 addrspace(1)* %q) {
  store i32 1, i32 addrspace(1)* %q
  %x = load i32, i32 addrspace(1)* %p
  ret void
}
; CHECK-LABEL: kernel restrict_store
; CHECK: site 1: load global, {{.*}} at 0:1, earliest entry,
define spir_kernel void @restrict_store(i32 addrspace(1)* noalias %p, i32 addrspace(1)* noalias %q) {
  store i32 1, i32 addrspace(1)* %q
  %x = load i32, i32 addrspace(1)* %p
  ret void
}

; Named address spaces never alias, a generic pointer may.
; CHECK-LABEL: kernel other_space
; CHECK: site 1: load global, {{.*}} at 0:1, earliest entry,
; CHECK: site 3: load global, {{.*}} at 0:3, earliest 0:3,
define spir_kernel void @other_space(i32 addrspace(1)* %p, i32 addrspace(3)* %l, i32 addrspace(4)* %g) {
  store i32 1, i32 addrspace(3)* %l
  %x = load i32, i32 addrspace(1)* %p
  store i32 1, i32 addrspace(4)* %g
  %y = load i32, i32 addrspace(1)* %p
  ret void
}

; A barrier binds.
; CHECK-LABEL: kernel after_barrier
; CHECK: site 1: load local, {{.*}} at 0:1, earliest 0:1,
declare spir_func void @_Z7barrierj(i32)
define spir_kernel void @after_barrier(i32 addrspace(3)* %l) {
  call spir_func void @_Z7barrierj(i32 1)
  %x = load i32, i32 addrspace(3)* %l
  ret void
}

; Constant memory never changes.
; CHECK-LABEL: kernel constant_after_barrier
; CHECK: site 1: load constant, {{.*}} at 0:1, earliest entry,
define spir_kernel void @constant_after_barrier(i32 addrspace(2)* %c) {
  call spir_func void @_Z7barrierj(i32 3)
  %x = load i32, i32 addrspace(2)* %c
  ret void
}

; Volatile loads stay.
; CHECK-LABEL: kernel volatile_load
; CHECK: site 0: load global, {{.*}} volatile, at 0:1, earliest 0:1,
define spir_kernel void @volatile_load(i32 addrspace(1)* %p, i32 %a) {
  %b = add i32 %a, 1
  %x = load volatile i32, i32 addrspace(1)* %p
  ret void
}

; A store in the loop keeps the load in its iteration, behind the phis of the loop's header; the store of the branch
; keeps a load behind the join.
; CHECK-LABEL: kernel memory_phi
; CHECK: site 0: load global, {{.*}} at 1:2, earliest 1:1,
; CHECK: site 2: load global, {{.*}} at 2:0, earliest 1:4,
define spir_kernel void @memory_phi(i32 addrspace(1)* %p, i32 addrspace(1)* %q, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %x = load i32, i32 addrspace(1)* %p
  store i32 %x, i32 addrspace(1)* %q
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %y = load i32, i32 addrspace(1)* %p
  ret void
}
