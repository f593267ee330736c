// 4x4 colour matrix applied by a helper, matrix read through a pointer to vectors; input by vload3.
static float4 apply(global const float4* m, float4 v) {
  return (float4)(dot(m[0], v), dot(m[1], v), dot(m[2], v), dot(m[3], v));
}
kernel void color_matrix(global const float* in, global float4* out, global const float4* matrix) {
  const int i = get_global_id(0);
  out[i] = apply(matrix, (float4)(in[3 * i], in[3 * i + 1], in[3 * i + 2], 1));
}
