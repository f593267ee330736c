// Four products of 8 x 4 and 4 x 8 halves (mma.m8n8k4). in: of each thread 2 words of A, 2 of B; sums: its words of C, over which those of D are written.
#define KERNEL(name, body)                                                    \
  extern "C" __global__ void name(const unsigned *in, unsigned *sums) {       \
    const unsigned *p = in + threadIdx.x * 4;                                 \
    unsigned *s = sums + threadIdx.x * 8;                                     \
    body;                                                                     \
  }
#define MATRICES "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3])
#define SINGLES "+r"(s[0]), "+r"(s[1]), "+r"(s[2]), "+r"(s[3]), "+r"(s[4]), "+r"(s[5]), "+r"(s[6]), "+r"(s[7])
#define MMA "mma.sync.aligned.m8n8k4."
#define SINGLE(layouts)                                                                                                     \
  asm volatile("{.reg .f32 x<8>;\n"                                                                                         \
               "mov.b32 x0,%0;mov.b32 x1,%1;mov.b32 x2,%2;mov.b32 x3,%3;mov.b32 x4,%4;mov.b32 x5,%5;mov.b32 x6,%6;mov.b32 x7,%7;\n" MMA layouts \
               ".f32.f16.f16.f32 {x0,x1,x2,x3,x4,x5,x6,x7},{%8,%9},{%10,%11},{x0,x1,x2,x3,x4,x5,x6,x7};\n"                  \
               "mov.b32 %0,x0;mov.b32 %1,x1;mov.b32 %2,x2;mov.b32 %3,x3;mov.b32 %4,x4;mov.b32 %5,x5;mov.b32 %6,x6;mov.b32 %7,x7;}" \
               : SINGLES : MATRICES)
#define HALF(layouts)                                                                                                       \
  asm volatile(MMA layouts ".f16.f16.f16.f16 {%0,%1,%2,%3},{%4,%5},{%6,%7},{%0,%1,%2,%3};"                                  \
               : "+r"(s[0]), "+r"(s[1]), "+r"(s[2]), "+r"(s[3]) : MATRICES)
#define WIDER(layouts)                                                                                                      \
  asm volatile("{.reg .f32 x<8>;\n" MMA layouts ".f32.f16.f16.f16 {x0,x1,x2,x3,x4,x5,x6,x7},{%8,%9},{%10,%11},{%0,%1,%2,%3};\n" \
               "mov.b32 %0,x0;mov.b32 %1,x1;mov.b32 %2,x2;mov.b32 %3,x3;mov.b32 %4,x4;mov.b32 %5,x5;mov.b32 %6,x6;mov.b32 %7,x7;}" \
               : SINGLES : MATRICES)
#define ALL(name, layouts)            \
  KERNEL(single_##name, SINGLE(layouts)) \
  KERNEL(half_##name, HALF(layouts))   \
  KERNEL(wider_##name, WIDER(layouts))
ALL(rr, "row.row")
ALL(rc, "row.col")
ALL(cr, "col.row")
ALL(cc, "col.col")
