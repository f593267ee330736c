// Integer functions of the CUDA Math API on the device against the documented sums, written out here bit by bit and byte by byte.
#include <cstdint>
#include <cstdio>

constexpr int kResults = 22, kInputs = 512;

__global__ void on_device(const uint32_t* in, int64_t* out) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  const uint32_t a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
  const int sa = (int)a, sb = (int)b, sc = (int)c;
  const long long wide_a = (long long)(((uint64_t)a << 32) | b), wide_b = (long long)(((uint64_t)c << 32) | a);
  int64_t* own = out + kResults * i;
  int k = 0;
  own[k++] = __dp4a(sa, sb, sc);
  own[k++] = __dp4a(a, b, c);
  own[k++] = __dp2a_lo(sa, sb, sc);
  own[k++] = __dp2a_hi(sa, sb, sc);
  own[k++] = __dp2a_lo(a, b, c);
  own[k++] = __dp2a_hi(a, b, c);
  own[k++] = __dp4a(make_char4(a, a >> 8, a >> 16, a >> 24), make_char4(b, b >> 8, b >> 16, b >> 24), sc);
  own[k++] = __dp2a_hi(make_ushort2(a, a >> 16), make_uchar4(b, b >> 8, b >> 16, b >> 24), c);
  own[k++] = __hadd(sa, sb);
  own[k++] = __rhadd(sa, sb);
  own[k++] = __uhadd(a, b);
  own[k++] = __urhadd(a, b);
  own[k++] = __sad(sa, sb, c);
  own[k++] = __usad(a, b, c);
  own[k++] = __mul64hi(wide_a, wide_b);
  own[k++] = (int64_t)__umul64hi((unsigned long long)wide_a, (unsigned long long)wide_b);
  own[k++] = __funnelshift_lc(a, b, c & 63);
  own[k++] = __funnelshift_rc(a, b, c & 63);
  own[k++] = __funnelshift_l(a, b, c & 63);
  own[k++] = __fns(a, b & 31, (int)(c & 15) - 7);
  own[k++] = __double2hiint(__hiloint2double(sa, sb));
  own[k++] = __double2loint(__hiloint2double(sa, sb));
}

static int64_t dot(uint32_t a, int a_bits, uint32_t b, int b_from, bool is_signed, uint32_t sum) {
  for (int i = 0; i < 32 / a_bits; ++i) {
    int64_t left = (a >> (a_bits * i)) % (1u << a_bits), right = (b >> (8 * (i + b_from))) % 256;
    if (is_signed && left >= 1 << (a_bits - 1)) left -= 1 << a_bits;
    if (is_signed && right >= 128) right -= 256;
    sum += (uint32_t)(left * right);
  }
  return is_signed ? (int64_t)(int32_t)sum : (int64_t)sum;
}
static int64_t floor_half(int64_t twice) { return (twice - (((twice % 2) + 2) % 2)) / 2; }
// As the PTX manual tells instruction fns.
static int64_t nth_set(uint32_t mask, int base, int offset) {
  if (offset == 0) return mask >> base & 1 ? base : 0xffffffffll;
  int count = (offset > 0 ? offset : -offset) - 1;
  for (int place = base; place >= 0 && place < 32; place += offset > 0 ? 1 : -1)
    if (mask >> place & 1 && count-- == 0) return place;
  return 0xffffffffll;
}

static int check(uint32_t a, uint32_t b, uint32_t c, const int64_t* got) {
  const int64_t sa = (int32_t)a, sb = (int32_t)b;
  const __int128 wide_a = (int64_t)((uint64_t)a << 32 | b), wide_b = (int64_t)((uint64_t)c << 32 | a);
  const unsigned __int128 bare_a = (uint64_t)wide_a, bare_b = (uint64_t)wide_b;
  const uint64_t both = (uint64_t)b << 32 | a;
  const int by = c & 63, cut = by < 32 ? by : 32;
  const int64_t expected[kResults] = {
      dot(a, 8, b, 0, true, c),    dot(a, 8, b, 0, false, c),  dot(a, 16, b, 0, true, c),   dot(a, 16, b, 2, true, c),
      dot(a, 16, b, 0, false, c),  dot(a, 16, b, 2, false, c), dot(a, 8, b, 0, true, c),    dot(a, 16, b, 2, false, c),
      floor_half(sa + sb),         floor_half(sa + sb + 1),    ((int64_t)a + b) / 2,        ((int64_t)a + b + 1) / 2,
      (uint32_t)(c + (uint64_t)(sa > sb ? sa - sb : sb - sa)), (uint32_t)(c + (uint64_t)(a > b ? a - b : b - a)),
      (int64_t)(wide_a * wide_b >> 64), (int64_t)(bare_a * bare_b >> 64),
      (uint32_t)(cut == 32 ? a : both << cut >> 32), (uint32_t)(both >> cut), (uint32_t)(both << (by & 31) >> 32),
      nth_set(a, (int)(b & 31), (int)(c & 15) - 7), sa, sb};
  int wrong = 0;
  for (int k = 0; k < kResults; ++k)
    if (got[k] != expected[k]) {
      if (wrong++ == 0) printf("result %d of %08x %08x %08x: %llx, expected %llx\n", k, a, b, c, (long long)got[k], (long long)expected[k]);
    }
  return wrong;
}

int main() {
  uint32_t* in;
  int64_t* out;
  cudaMallocManaged(&in, 3 * kInputs * sizeof *in);
  cudaMallocManaged(&out, kResults * kInputs * sizeof *out);
  const uint32_t edges[] = {0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0x7fffffff, 0x80000000, 0xffffffff};
  uint32_t state = 12345;
  for (int i = 0; i < 3 * kInputs; ++i) {
    state = state * 1664525u + 1013904223u;
    in[i] = i < 300 ? edges[(state >> 16) % 10] : state ^ state >> 15;
  }
  on_device<<<kInputs / 64, 64>>>(in, out);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < kInputs; ++i) wrong += check(in[3 * i], in[3 * i + 1], in[3 * i + 2], out + kResults * i);
  printf("%d wrong\n", wrong);
}
