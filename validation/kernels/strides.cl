// Eight loads per round at multiples of four elements, lanes `pitch` elements apart: the kernels of a100_strides.csv and
// h200_strides.csv. One row of work-items is their stride kernel (pitch 0, stride `stride`); several rows, `pitch` elements
// apart, are their block kernel (stride 1).
__kernel void strides(__global const TYPE *data, __global TYPE *out, uint stride, uint pitch) {
  __global const TYPE *place = data + (get_local_id(0) % 64) * stride + (get_local_id(1) % 32) * pitch + pitch;
  TYPE sum = place[0] * place[4];
  sum += place[8] * place[12];
  sum += place[20] * place[16];
  sum += place[24] * place[28];
  if (sum == (TYPE)123123.23) out[get_local_id(0)] = sum;
}
