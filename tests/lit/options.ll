; Options to bisect: leave out branches, barriers, objects, address spaces, kernels.
; RUN: %opt -passes=warpscope-instrument -warpscope-no-branches -S %s | %check %s --check-prefix=NOBRANCH
; RUN: %opt -passes=warpscope-instrument -warpscope-no-sync -S %s | %check %s --check-prefix=NOSYNC
; RUN: %opt -passes=warpscope-instrument -warpscope-no-objects -S %s | %check %s --check-prefix=NOOBJECT
; RUN: %opt -passes=warpscope-instrument -warpscope-spaces=local,constant -warpscope-report -S %s 2>&1 | %check %s --check-prefix=SPACES
; RUN: %opt -passes=warpscope-instrument -warpscope-only-kernel=other -S %s | %check %s --check-prefix=ONLY
; RUN: %not %opt -passes=warpscope-instrument -warpscope-spaces=shared -S %s 2>&1 | %check %s --check-prefix=UNKNOWN

; NOBRANCH: i64 0, i64 4)
; NOBRANCH-NOT: i64 0, i64 3)
; NOSYNC-NOT: i64 0, i64 4)
; NOSYNC: i64 0, i64 3)
; NOOBJECT-NOT: i64 0, i64 5)
; SPACES: warpscope: k: 1 recorded, {{.*}} 1 address space excluded
; ONLY-NOT: warpscope.item
; UNKNOWN: -warpscope-spaces: 'shared' is unknown, expected private, global, constant, local or generic

target triple = "spir64-unknown-unknown"
declare spir_func void @_Z7barrierj(i32)
define spir_kernel void @k(i1 %c, i32 addrspace(1)* %p) {
  call spir_func void @_Z7barrierj(i32 1)
  br i1 %c, label %then, label %end
then:
  store i32 1, i32 addrspace(1)* %p
  br label %end
end:
  ret void
}
