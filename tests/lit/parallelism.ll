; What the dependence graph of a block says: instructions, steps of the longest chain by class, loads in flight.
; Every number is counted in a drawing of the graph, next to the kernel.
; RUN: %opt -passes=warpscope-instrument -warpscope-kernel-info=%t.json -disable-output %s
; RUN: %compile --print %t.json | %check %s
target triple = "spir64-unknown-unknown"
declare spir_func void @_Z7barrierj(i32)

; One chain: x -> a -> b -> store. ret depends on nothing. 5 instructions, 4 steps.
; CHECK-LABEL: kernel chain
; CHECK: parallelism: 5 instructions in 4 steps (2 fp32_add 1 load_global 1 store_global); 1 load in 1 step, 1 group
define spir_kernel void @chain(float addrspace(1)* %p) {
  %x = load float, float addrspace(1)* %p
  %a = fadd float %x, 1.0
  %b = fadd float %a, 1.0
  store float %b, float addrspace(1)* %p
  ret void
}

; Four loads that nothing orders, then a tree:  x y   z w
;                                                \|   |/
;                                                 a   b      store after c. 4 loads, 3 additions, store, ret = 9 instructions
;                                                  \ /       in 4 steps: load, a, c, store. All four loads before the first use.
;                                                   c
; CHECK-LABEL: kernel tree
; CHECK: parallelism: 9 instructions in 4 steps (2 fp32_add 1 load_global 1 store_global); 4 loads in 1 step, 1 group
define spir_kernel void @tree(float addrspace(1)* noalias %p, float addrspace(1)* noalias %q, float addrspace(1)* noalias %r, float addrspace(1)* noalias %s) {
  %x = load float, float addrspace(1)* %p
  %y = load float, float addrspace(1)* %q
  %z = load float, float addrspace(1)* %r
  %w = load float, float addrspace(1)* %s
  %a = fadd float %x, %y
  %b = fadd float %z, %w
  %c = fadd float %a, %b
  store float %c, float addrspace(1)* %p
  ret void
}

; The same loads, each used at once: still independent (1 step), but four groups in this order.
; x -> a ; y, a -> b ; z, b -> c ; w, c -> d: 4 loads, 4 additions, store, ret = 10; load, a, b, c, d, store = 6 steps.
; CHECK-LABEL: kernel used_at_once
; CHECK: parallelism: 10 instructions in 6 steps (4 fp32_add 1 load_global 1 store_global); 4 loads in 1 step, 4 groups
define spir_kernel void @used_at_once(float addrspace(1)* noalias %p, float addrspace(1)* noalias %q, float addrspace(1)* noalias %r, float addrspace(1)* noalias %s) {
  %x = load float, float addrspace(1)* %p
  %a = fadd float %x, 1.0
  %y = load float, float addrspace(1)* %q
  %b = fadd float %y, %a
  %z = load float, float addrspace(1)* %r
  %c = fadd float %z, %b
  %w = load float, float addrspace(1)* %s
  %d = fadd float %w, %c
  store float %d, float addrspace(1)* %p
  ret void
}

; Pointer chasing: i -> sext (a conversion) -> gep (an integer operation) -> x; y is independent of both.
; i, convert, int_alu, x, add, store = 6 steps; with y and ret 8 instructions. Two loads one after the other, y with
; either of them: 3 loads in 2 steps. In program order i and y are a group, x is another.
; CHECK-LABEL: kernel indirect
; CHECK: parallelism: 8 instructions in 6 steps (1 convert 1 fp32_add 1 int_alu 2 load_global 1 store_global); 3 loads in 2 steps, 2 groups
define spir_kernel void @indirect(i32 addrspace(1)* noalias %index, float addrspace(1)* noalias %p, float addrspace(1)* noalias %q) {
  %i = load i32, i32 addrspace(1)* %index
  %y = load float, float addrspace(1)* %q
  %j = sext i32 %i to i64
  %at = getelementptr float, float addrspace(1)* %p, i64 %j
  %x = load float, float addrspace(1)* %at
  %a = fadd float %x, %y
  store float %a, float addrspace(1)* %q
  ret void
}

; A store that may write what is loaded next: x -> store -> y -> second store. 5 instructions in 4 steps; y waits for x.
; CHECK-LABEL: kernel through_memory
; CHECK: parallelism: 5 instructions in 4 steps (2 load_global 2 store_global); 2 loads in 2 steps, 2 groups
define spir_kernel void @through_memory(float addrspace(1)* %p, float addrspace(1)* %q, float addrspace(1)* %r) {
  %x = load float, float addrspace(1)* %p
  store float %x, float addrspace(1)* %q
  %y = load float, float addrspace(1)* %p
  store float %y, float addrspace(1)* %r
  ret void
}

; A barrier waits until x was issued, not for its value: x and y can be in flight together. x, barrier, y, add, store:
; 6 instructions with ret, in 5 steps.
; CHECK-LABEL: kernel barrier
; CHECK: parallelism: 6 instructions in 5 steps (1 barrier 1 fp32_add 2 load_global 1 store_global); 2 loads in 1 step, 1 group
define spir_kernel void @barrier(float addrspace(1)* %p, float addrspace(1)* %q) {
  %x = load float, float addrspace(1)* %p
  call spir_func void @_Z7barrierj(i32 1)
  %y = load float, float addrspace(1)* %q
  %a = fadd float %x, %y
  store float %a, float addrspace(1)* %q
  ret void
}

; What comes from another block is there at the beginning, phis take no step: 2 additions side by side, compare -> branch.
; Operations on vectors are side by side, too: 4 additions and the branch of the entry are 5 instructions in 1 step.
; CHECK-LABEL: kernel loop
; CHECK: parallelism: 5 instructions in 1 step (1 fp32_add); 0 loads in 0 steps, 0 groups
; CHECK: parallelism: 4 instructions in 3 steps (1 branch 1 compare 1 int_alu); 0 loads in 0 steps, 0 groups
define spir_kernel void @loop(<4 x float> %v, i32 %n, float %f) {
entry:
  %w = fadd <4 x float> %v, %v
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %s = phi float [ 0.0, %entry ], [ %t, %body ]
  %next = add i32 %i, 1
  %t = fadd float %s, %f
  %more = icmp ult i32 %next, %n
  br i1 %more, label %body, label %end
end:
  ret void
}
