// The electrostatic potential of ATOMS point charges on a grid: a work-item computes Z_ITERATIONS grid points that differ in z,
// and adds them to what the grid holds. USE_SOA = 1 keeps coordinates and charges in four arrays. INNER_UNROLL_FACTOR = 0
// unrolls the loop over the points, so the sums stay in registers; any other unrolls it only so often, and the sums are
// indexed at run time: they live in private memory.
#if USE_SOA
#define ATOM(A) (float4)(atom_x[A], atom_y[A], atom_z[A], atom_w[A])
#else
#define ATOM(A) atoms[A]
#endif

#define TEXT(X) #X
#define PRAGMA(X) _Pragma(TEXT(X))
#if INNER_UNROLL_FACTOR == 0
#define UNROLL_POINTS PRAGMA(unroll)
#else
#define UNROLL_POINTS PRAGMA(unroll INNER_UNROLL_FACTOR)
#endif

__kernel void coulomb(__global const float4 *restrict atoms, __global const float *restrict atom_x,
                      __global const float *restrict atom_y, __global const float *restrict atom_z,
                      __global const float *restrict atom_w, int atom_count, float spacing,
                      __global float *restrict energy) {
  const int x = get_global_id(0), y = get_global_id(1);
  const int first_z = get_global_id(2) * Z_ITERATIONS;
  const float minus_x = (float)-x, minus_y = (float)-y, minus_z = (float)-first_z;
  float sum[Z_ITERATIONS];
  for (int z = 0; z < Z_ITERATIONS; ++z) sum[z] = 0.0f;
  for (int a = 0; a < atom_count; ++a) {
    const float4 atom = ATOM(a);
    const float dx = fma(minus_x, spacing, atom.x), dy = fma(minus_y, spacing, atom.y);
    const float plane = fma(dx, dx, dy * dy);
    float dz = fma(minus_z, spacing, atom.z);
    UNROLL_POINTS
    for (int z = 0; z < Z_ITERATIONS; ++z) {
      sum[z] = fma(atom.w, native_rsqrt(fma(dz, dz, plane)), sum[z]);
      dz -= spacing;
    }
  }
  const int row = get_global_size(0), slice = row * get_global_size(1);
  for (int z = 0; z < Z_ITERATIONS; ++z) energy[slice * (first_z + z) + row * y + x] += sum[z];
}
