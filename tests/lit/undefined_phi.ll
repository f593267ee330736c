; PoCL gets no phi with an undefined value: a variable that is set in every iteration of a loop, and used behind it.
; RUN: %opt -passes=warpscope-to-spir -S %s | %check %s

; CHECK: %set = phi i1 [ false, %entry ], [ %c, %body ]
; CHECK: %value = phi float [ 0.000000e+00, %entry ], [ 1.000000e+00, %body ]
target triple = "spir64-unknown-unknown"
define spir_kernel void @kernel(i32 addrspace(1)* %p, i32 %n, i1 %c) {
entry:
  %more = icmp sgt i32 %n, 0
  br i1 %more, label %body, label %end
body:
  br label %end
end:
  %set = phi i1 [ undef, %entry ], [ %c, %body ]
  %value = phi float [ poison, %entry ], [ 1.0, %body ]
  %chosen = select i1 %set, float %value, float 2.0
  %bits = bitcast float %chosen to i32
  store i32 %bits, i32 addrspace(1)* %p
  ret void
}
