// The help, and what is no file.
// RUN: %signatures --help | %check %s
// RUN: %not %signatures --no-such-option 2>&1 | %check %s --check-prefix=WRONG
// CHECK: Usage: kernel-signatures FILE.cl
// WRONG: kernel-signatures: expected one file; {{.*}} see --help
