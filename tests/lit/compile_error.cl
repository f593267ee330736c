// Clang's message comes through with the bare name and the right line, with --signatures, too; exit status 2.
// RUN: %not %compile %s -o %t 2>&1 | %check %s
// RUN: %not %compile %s --signatures 2>&1 | %check %s
// RUN: env PATH=%t %not %compile %s -o %t 2>&1 | %check %s --check-prefix=MISSING
// RUN: %not %compile %t/nothing.cl -o %t 2>&1 | %check %s --check-prefix=NOFILE
// RUN: %not %compile %t/nothing.cl --signatures 2>&1 | %check %s --check-prefix=NOFILE
kernel void k(global int* a) {
  a[0] = b;
}
// CHECK: compile-kernel: compile_error.cl: does not compile
// CHECK-NEXT: {{^}}compile_error.cl:8:10: error: use of undeclared identifier 'b'
// MISSING: clang-15: not found in PATH, expected the Debian package clang-15
// NOFILE: nothing.cl: cannot read, expected an OpenCL C file
