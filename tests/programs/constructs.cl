// One kernel for everything that OpenCL C 1.2 can do to memory; run by `host constructs`. All have the same
// parameters; 128 work-items in groups of 32, buffers of 4096 words.
#define PARAMETERS \
  global uint *in, global uint *out, local uint *scratch, constant uint *table, uint n, float4 v, ulong8 big
#define ID get_global_id(0)
#define LID get_local_id(0)

constant uint squares[8] = {0, 1, 4, 9, 16, 25, 36, 49};
struct Pair { uchar small; uint large[3]; union { float f; uint u; } either; };

kernel void scalars(PARAMETERS) {
  global uchar *bytes = (global uchar *)in;
  global ushort *shorts = (global ushort *)in;
  global ulong *longs = (global ulong *)in;
  out[ID] = bytes[ID * 3] + shorts[ID * 5] + (uint)longs[ID] + n;
  ((global uchar *)out)[2048 + ID] = (uchar)ID;
  ((global ushort *)out)[2048 + ID] = (ushort)ID;
  ((global double *)out)[1024 + ID] = (double)ID;
}
kernel void vectors(PARAMETERS) {
  out[ID] = ((global uint2 *)in)[ID].y + ((global uint4 *)in)[ID].z + ((global uint8 *)in)[ID].s7 +
            ((global uchar16 *)in)[ID].sf;
  ((global uint16 *)out)[16 + ID % 64] = (uint16)(ID % 64);
}
kernel void vloads(PARAMETERS) {
  uint3 a = vload3(ID, in);
  uint4 b = vload4(ID, in + 1);
  uint16 c = vload16(ID, in);
  vstore3(a + b.xyz, ID, out);
  vstore8(c.lo + c.hi, ID, out + 1024);
}
kernel void halves(PARAMETERS) {
  global half *h = (global half *)in;
  float a = vload_half(ID, h);
  float4 b = vload_half4(ID, h);
  vstore_half(a + b.x, ID, (global half *)out);
  vstore_half2_rte(b.yz, ID, (global half *)(out + 512));
  vstorea_half4(b, ID, (global half *)(out + 1024));
}
kernel void async(PARAMETERS) {
  event_t e = async_work_group_copy(scratch, in + 32 * get_group_id(0), 32, 0);
  wait_group_events(1, &e);
  uint x = scratch[31 - LID];
  barrier(CLK_LOCAL_MEM_FENCE);
  scratch[LID] = x + n;
  barrier(CLK_LOCAL_MEM_FENCE);
  e = async_work_group_copy(out + 32 * get_group_id(0), scratch, 32, 0);
  wait_group_events(1, &e);
}
kernel void async_strided(PARAMETERS) {
  event_t e = async_work_group_strided_copy(scratch, in + get_group_id(0), 32, 4, 0);
  prefetch(in + 512, 64);
  wait_group_events(1, &e);
  out[ID] = scratch[31 - LID];
}
kernel void atomics(PARAMETERS) {
  if (LID == 0) scratch[0] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&scratch[0], 2);
  atomic_inc((volatile local uint *)&scratch[0]);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_max(&out[0], scratch[0] + ID);
  atomic_sub(&out[1], 1);
  atomic_or(&out[2], 1 << (ID % 32));
  atomic_xor(&out[3], (uint)ID);
  atomic_cmpxchg(&out[4 + ID], out[4 + ID], 7);
  atomic_xchg((volatile global float *)&out[256 + ID], 1.5f);
  atomic_min((volatile global int *)&out[600], -(int)ID);
}
kernel void constants(PARAMETERS) { out[ID] = table[ID % 16] + squares[(ID * in[ID]) % 8]; }
kernel void locals(PARAMETERS) {
  local uint tile[8][33];
  local struct Pair pairs[32];
  tile[LID / 8][LID % 8] = in[ID];
  pairs[LID].large[LID % 3] = LID;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[ID] = tile[LID % 4][LID / 4] + pairs[31 - LID].large[(31 - LID) % 3];
}
kernel void structures(PARAMETERS) {
  global struct Pair *pairs = (global struct Pair *)in;
  global struct Pair *target = (global struct Pair *)out;
  struct Pair p = pairs[ID];
  p.either.f = as_float(p.large[1] & 0x3fffffff);
  target[ID] = p;
  target[ID].small = (uchar)p.either.u;
}
kernel void privates(PARAMETERS) {
  uint a[16];
  for (uint i = 0; i < 16; ++i) a[i] = in[ID + i];
  for (uint i = 0; i < 16; ++i) a[a[i] % 16] += i;
  out[ID] = a[n % 16] + a[in[ID] % 16];
}
__attribute__((noinline)) uint helper(global const uint *p, uint k) { return p[k] + p[k + 1]; }
uint deeper(global uint *p, local uint *q, uint k) { return helper(p, k) + q[k % 32]; }
kernel void helpers(PARAMETERS) {
  scratch[LID] = (uint)LID;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[ID] = deeper(in + 7, scratch, (uint)ID);
}
kernel void merged(PARAMETERS) {
  uint x;
  if (in[ID] % 2)
    x = in[ID + 100];
  else
    x = out[ID + 1000];
  global uint *p = in[ID + 1] % 3 ? in : out + 2000;
  out[ID] = x + p[ID];
}
kernel void flow(PARAMETERS) {
  uint x = in[ID];
  uint steps = 0;
  while (x > 1 && steps < 50) {
    if (x & 1) x = 3 * x + 1;
    else x /= 2;
    if (steps++ == 40) break;
  }
  switch (x % 5) {
    case 0: out[ID] = in[ID + 1]; break;
    case 1: steps += in[ID + 2];  // falls through
    case 2: out[ID] = steps; break;
    default: goto end;
  }
  out[ID + 200] = x;
end:
  out[ID + 400] = steps + (uint)v.y + (uint)big.s3;
}
kernel void volatiles(PARAMETERS) {
  volatile global uint *p = in;
  out[ID] = p[ID] + p[ID];
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  write_mem_fence(CLK_LOCAL_MEM_FENCE);
}
kernel void copies(PARAMETERS) {
  ulong8 a = ((global ulong8 *)in)[ID % 32];
  ulong8 zero = (ulong8)(0);
  ((global ulong8 *)out)[ID % 32] = a;
  ((global ulong8 *)out)[32 + ID % 32] = zero;
}
