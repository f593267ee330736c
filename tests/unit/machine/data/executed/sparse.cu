// Products with a sparse first matrix. in: of each thread 4 words of A, 4 of B, then its word of indices; o: its 4 sums, on the values that are there.
#define PRODUCT(name, shape, types, selector, ...)                                                                     \
  extern "C" __global__ void name(const unsigned *in, unsigned *o) {                                                   \
    const unsigned *p = in + threadIdx.x * 9;                                                                          \
    unsigned *d = o + threadIdx.x * 4;                                                                                 \
    asm volatile("mma.sp::ordered_metadata.sync.aligned." shape ".row.col." types " " __VA_ARGS__ ",%12," selector ";" \
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                                      \
                 : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(p[4]), "r"(p[5]), "r"(p[6]), "r"(p[7]), "r"(p[8])); \
  }
#define TWO "{%0,%1,%2,%3},{%4,%5},{%8,%9},{%0,%1,%2,%3}"
#define FOUR "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9,%10,%11},{%0,%1,%2,%3}"
#define HALVES "{%0,%1},{%4,%5,%6,%7},{%8,%9,%10,%11},{%0,%1}"
PRODUCT(half16, "m16n8k16", "f32.f16.f16.f32", "0x2", TWO)
PRODUCT(half32, "m16n8k32", "f32.f16.f16.f32", "0x1", FOUR)
PRODUCT(brain32, "m16n8k32", "f32.bf16.bf16.f32", "0x0", FOUR)
PRODUCT(sums32, "m16n8k32", "f16.f16.f16.f16", "0x1", HALVES)
PRODUCT(tf8, "m16n8k8", "f32.tf32.tf32.f32", "0x3", TWO)
PRODUCT(tf16, "m16n8k16", "f32.tf32.tf32.f32", "0x1", FOUR)
PRODUCT(byte32, "m16n8k32", "s32.s8.u8.s32", "0x1", TWO)
PRODUCT(byte64, "m16n8k64", "s32.u8.s8.s32", "0x0", FOUR)
PRODUCT(nibble64, "m16n8k64", "s32.s4.u4.s32", "0x1", TWO)
PRODUCT(nibble128, "m16n8k128", "s32.s4.s4.s32", "0x0", FOUR)
