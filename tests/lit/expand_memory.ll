; Memory intrinsics become accesses: pieces of the alignment, at most 8 bytes, all loads of a copy before its stores; a
; loop from 128 bytes up.
; RUN: %opt -passes='function(warpscope-expand-memory)' -S %s | %check %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024"
target triple = "spir64-unknown-unknown"
declare void @llvm.memset.p0i8.i64(i8*, i8, i64, i1)
declare void @llvm.memcpy.p0i8.p1i8.i64(i8*, i8 addrspace(1)*, i64, i1)

; CHECK-LABEL: @set
; CHECK: store i64 72340172838076673, i64* {{.*}}, align 16
; CHECK: store i64 72340172838076673, i64* {{.*}}, align 8
; CHECK: store i32 16843009, i32* {{.*}}, align 16
; CHECK-NOT: store
; CHECK: ret void
define void @set(i8* %p) {
  call void @llvm.memset.p0i8.i64(i8* align 16 %p, i8 1, i64 20, i1 false)
  ret void
}
; CHECK-LABEL: @copy
; CHECK: load i32, i32 addrspace(1)* {{.*}}, align 4
; CHECK: load i32, i32 addrspace(1)* {{.*}}, align 4
; CHECK: load i16, i16 addrspace(1)* {{.*}}, align 4
; CHECK: store i32
; CHECK: store i32
; CHECK: store i16
; CHECK-NOT: @llvm.memcpy
; CHECK: ret void
define void @copy(i8* %p, i8 addrspace(1)* %q) {
  call void @llvm.memcpy.p0i8.p1i8.i64(i8* align 16 %p, i8 addrspace(1)* align 4 %q, i64 10, i1 false)
  ret void
}
; CHECK-LABEL: @long
; CHECK: phi i64
; CHECK: store i8 0
; CHECK: br i1
define void @long(i8* %p, i64 %n) {
  call void @llvm.memset.p0i8.i64(i8* align 16 %p, i8 0, i64 %n, i1 false)
  ret void
}
