#pragma once
// Addresses of one memory as numbers, and pointers of them. Those of shared memory have 32 bits in
// many programs: here they are the lower ones of a pointer. A block's shared memory is one
// allocation, so any address in it gives the upper ones.
WARPSCOPE_DEVICE char *__warpscope_shared_pointer(unsigned int address) {
  char *const base = (char *)__warpscope_slots();
  return base + (int)(address - (unsigned int)(unsigned long long)base);
}
WARPSCOPE_DEVICE size_t __cvta_generic_to_shared(const void *p) { return (size_t)p; }
WARPSCOPE_DEVICE size_t __cvta_generic_to_global(const void *p) { return (size_t)p; }
WARPSCOPE_DEVICE void *__cvta_global_to_generic(size_t address) { return (void *)address; }
WARPSCOPE_DEVICE void *__cvta_shared_to_generic(size_t address) {
  return address >> 32 != 0 ? (void *)address : __warpscope_shared_pointer((unsigned int)address);
}
