// vloadN and vstoreN become vector accesses with the alignment of an element; the line is that of the call.
// RUN: %compile %s -o %t | %check %s
kernel void vectors(global const float* a, global float* b, global const half* h, constant int* c) {
  int i = get_global_id(0);
  float4 v = vload4(i, a);      // line 5
  float3 w = vload3(i, a + 1);  // line 6
  int2 x = vload2(i, c);        // line 7
  float y = vload_half(i, h);   // line 8
  float4 z = vloada_half4(i, h + 4);  // line 9
  vstore4(v * y + z + x.x, i, b);  // line 10
  vstore3(w + x.y, i, b + 64);     // line 11
}
// CHECK-DAG: load global, width 16, align 4, argument 0, {{.*}} vector_access.cl:5:14
// CHECK-DAG: load global, width 12, align 4, argument 0, {{.*}} vector_access.cl:6:14
// CHECK-DAG: load constant, width 8, align 4, argument 3, {{.*}} vector_access.cl:7:12
// CHECK-DAG: load global, width 2, align 2, argument 2, {{.*}} vector_access.cl:8:13
// CHECK-DAG: load global, width 8, align 8, argument 2, {{.*}} vector_access.cl:9:14
// CHECK-DAG: store global, width 16, align 4, argument 1, {{.*}} vector_access.cl:10:3
// CHECK-DAG: store global, width 12, align 4, argument 1, {{.*}} vector_access.cl:11:3
