// An access that the optimiser made of several keeps all their lines: four stores merged into one of 16 bytes, and the
// stores of two branches sunk into one. A load that is gone because its value was known leaves no line behind.
// RUN: %compile %s -o %t | %check %s
kernel void merged(global const float* restrict a, global float4* restrict out) {
  int i = get_global_id(0);
  float x = a[i];      // line 6
  float y = a[i] + x;  // line 7
  global float* p = (global float*)&out[i];
  p[0] = x;  // line 9
  p[1] = y;  // line 10
  p[2] = x;  // line 11
  p[3] = y;  // line 12
  if (x > y) out[i + 1].x = x;  // line 13
  else out[i + 1].x = y;        // line 14
}
// CHECK: load global, width 4, {{.*}} merged_lines.cl:6:13{{$}}
// CHECK: store global, width 16, align 16, {{.*}} merged_lines.cl:9:8 merged_lines.cl:10:8 merged_lines.cl:11:8 merged_lines.cl:12:8{{$}}
// CHECK: store global, width 4, {{.*}} merged_lines.cl:13:27 merged_lines.cl:14:21{{$}}
