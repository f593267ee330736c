// y = a x + y on float4.
kernel void saxpy4(float a, global const float4* x, global float4* y) {
  const int i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}
