; Whose values flow into an address, through registers.
; RUN: %opt -passes=warpscope-instrument -warpscope-kernel-info=%t.json -disable-output %s
; RUN: %compile --print %t.json | %check %s
target triple = "spir64-unknown-unknown"
declare spir_func i64 @_Z13get_global_idj(i32)
declare spir_func i32 @_Z3minii(i32, i32)

; An index, clamped and scaled: the value flows whole. The address of the index comes from the work-item's number alone.
; CHECK-LABEL: kernel gather
; CHECK: address of site 0 from work-item{{$}}
; CHECK-NEXT: address of site 1 from value 0{{$}}
; CHECK-NEXT: address of site 2 from work-item{{$}}
define spir_kernel void @gather(i32 addrspace(1)* %index, float addrspace(1)* %p, float addrspace(1)* %out) {
  %id = call spir_func i64 @_Z13get_global_idj(i32 0)
  %at = getelementptr i32, i32 addrspace(1)* %index, i64 %id
  %i = load i32, i32 addrspace(1)* %at
  %c = call spir_func i32 @_Z3minii(i32 %i, i32 1000)
  %j = shl i32 %c, 2
  %k = sext i32 %j to i64
  %from = getelementptr float, float addrspace(1)* %p, i64 %k
  %x = load float, float addrspace(1)* %from
  %to = getelementptr float, float addrspace(1)* %out, i64 %id
  store float %x, float addrspace(1)* %to
  ret void
}

; Two levels: each address names the load before it, not those behind that.
; CHECK-LABEL: kernel two_levels
; CHECK: address of site 1 from value 0{{$}}
; CHECK-NEXT: address of site 2 from value 1{{$}}
define spir_kernel void @two_levels(i64 addrspace(1)* %a, i64 addrspace(1)* %b, float addrspace(1)* %c) {
  %i = load i64, i64 addrspace(1)* %a
  %p = getelementptr i64, i64 addrspace(1)* %b, i64 %i
  %j = load i64, i64 addrspace(1)* %p
  %q = getelementptr float, float addrspace(1)* %c, i64 %j
  %x = load float, float addrspace(1)* %q
  ret void
}

; A list: the pointer comes through a phi, the branch waits for the load. In the vector, which element is not known.
; CHECK-LABEL: kernel parts
; CHECK: branch from 1{{$}}
; CHECK: address of site 1 from part 0 1{{$}}
define spir_kernel void @parts(<2 x i64> addrspace(1)* %v, i64 addrspace(1)* %list) {
entry:
  %pair = load <2 x i64>, <2 x i64> addrspace(1)* %v
  %first = extractelement <2 x i64> %pair, i32 1
  br label %loop
loop:
  %at = phi i64 [ %first, %entry ], [ %next, %loop ]
  %p = getelementptr i64, i64 addrspace(1)* %list, i64 %at
  %next = load i64, i64 addrspace(1)* %p
  %more = icmp ne i64 %next, 0
  br i1 %more, label %loop, label %end
end:
  ret void
}

; A step of a binary search: the loaded value only chooses.
; CHECK-LABEL: kernel search
; CHECK: address of site 1 from choice 0{{$}}
define spir_kernel void @search(i32 addrspace(1)* %keys, i32 %key) {
  %x = load i32, i32 addrspace(1)* %keys
  %less = icmp slt i32 %x, %key
  %half = select i1 %less, i64 64, i64 0
  %p = getelementptr i32, i32 addrspace(1)* %keys, i64 %half
  %y = load i32, i32 addrspace(1)* %p
  ret void
}
