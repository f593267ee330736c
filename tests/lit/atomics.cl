// Atomics of OpenCL 1.x and C11 atomics end as OpenCL 1.x calls, which PoCL and Oclgrind both take, and are recorded with
// their operation. An exchange whose result is not used stays an atomic.
// RUN: %compile %s -o %t -- -cl-std=CL2.0 | %check %s --check-prefix=INFO
// RUN: %dis %t/optimised.bc -o - | %check %s
kernel void atomics(volatile global int* h, volatile global uint* u, global atomic_int* c, global int* out) {
  local atomic_int n;
  int i = get_global_id(0), expected = 3;
  atomic_add(h, i);
  atomic_dec(h + 1);
  atomic_min(u + 2, (uint)i);
  atomic_xchg(h + 3, 1);
  atomic_fetch_or_explicit(c, 5, memory_order_relaxed, memory_scope_device);
  atomic_compare_exchange_strong(c + 1, &expected, i);
  atomic_init(&n, 0);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = atomic_load(c + 2) + expected + atomic_fetch_add(&n, 1);
  atomic_store(c + 3, i);
}
// CHECK: call spir_func i32 @_Z10atomic_addPU3AS1Vii(
// CHECK: call spir_func i32 @_Z10atomic_subPU3AS1Vii({{.*}}, i32 1)
// CHECK: call spir_func i32 @_Z10atomic_minPU3AS1Vjj(
// CHECK: call spir_func i32 @_Z11atomic_xchgPU3AS1Vii(
// CHECK: call spir_func i32 @_Z9atomic_orPU3AS1Vii({{.*}}, i32 5)
// CHECK: call spir_func i32 @_Z14atomic_cmpxchgPU3AS1Viii({{.*}}, i32 3,
// CHECK: store atomic i32 0, i32 addrspace(3)*
// CHECK: load atomic i32, i32 addrspace(1)* {{.*}} seq_cst
// CHECK: store atomic i32 {{.*}} seq_cst
// INFO: atomic global (add), width 4, align 4, argument 0,
// INFO: atomic global (sub), {{.*}} atomics.cl:9:3
// INFO: atomic global (min), width 4, align 4, argument 1,
// INFO: atomic global (xchg),
// INFO: atomic global (or), width 4, align 4, argument 2,
// INFO: atomic global (cmpxchg),
// INFO: store local, width 4, {{.*}} local 0,
// INFO: barrier
// INFO: load global,
// INFO: atomic local (add), width 4, align 4, local 0,
// INFO: store global, {{.*}} atomics.cl:16:
// INFO: store global, {{.*}} atomics.cl:17:
