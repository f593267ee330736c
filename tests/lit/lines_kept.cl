// An access is named by the line where the program makes it, whatever the optimiser builds it again from:
// VectorWidths.cpp narrows a vector that is used in parts, MemCpyOpt makes one copy of two, SimplifyCFG drops the
// location of a load that it makes unconditional.
// RUN: %compile %s -o %t | %check %s
typedef struct { float x, y; int n[6]; } S;
float top(float4 r) {
  float m = r.x;
  if (r.y > m) m = r.y;
  if (r.z > m) m = r.z;
  return r.w > m ? r.w : m;
}
float twice(global const float* p, int i) {
  return p[i] * 2.0f;  // line 13
}

// CHECK-LABEL: kernel whole
// CHECK: load global, width 16, {{.*}} whole lines_kept.cl:21:14{{$}}
// CHECK-NEXT: store global, width 4, {{.*}} whole lines_kept.cl:22:10{{$}}
kernel void whole(global const float4* in, global float* out) {
  int i = get_global_id(0);
  float4 r = in[i];  // line 21
  out[i] = top(r);   // line 22
}

// CHECK-LABEL: kernel in_a_loop
// CHECK: load global, width 16, {{.*}} in_a_loop lines_kept.cl:30:16{{$}}
kernel void in_a_loop(global const float4* in, global float* out, int n) {
  float s = 0;
  for (int k = 0; k < n; ++k) {
    float4 v = in[k * 64 + get_global_id(0)];  // line 30
    s += top(v) + v.y;
  }
  out[get_global_id(0)] = s;
}

// CHECK-LABEL: kernel components
// CHECK: load global, width 4, {{.*}} components lines_kept.cl:41:14{{$}}
// CHECK-NEXT: load global, width 4, {{.*}} components lines_kept.cl:42:14{{$}}
kernel void components(global const float4* in, global float* out) {
  int i = get_global_id(0);
  float4 r = in[i];      // line 41
  float4 s = in[i + 7];  // line 42
  float x = r.x;
  float y = s.z;
  out[i] = x > y ? x : y;
}

// CHECK-LABEL: kernel component_by_index
// CHECK: load global, width 16, {{.*}} component_by_index lines_kept.cl:52:14{{$}}
kernel void component_by_index(global const float4* in, global float* out, int c) {
  int i = get_global_id(0);
  float4 r = in[i];  // line 52
  out[i] = r[c & 3];
}

// CHECK-LABEL: kernel helper_twice
// CHECK: load global, width 4, align 4, argument 0, {{.*}} twice lines_kept.cl:13:10{{$}}
// CHECK-NEXT: load global, width 4, align 4, argument 1, {{.*}} twice lines_kept.cl:13:10{{$}}
kernel void helper_twice(global const float* a, global const float* b, global float* out) {
  int i = get_global_id(0);
  out[i] = twice(a, i) + twice(b, i);
}

// CHECK-LABEL: kernel chosen
// CHECK: load global, width 4, {{.*}} chosen lines_kept.cl:70:13{{$}}
// CHECK-NEXT: load global, width 4, {{.*}} chosen lines_kept.cl:72:14 lines_kept.cl:73:12{{$}}
kernel void chosen(global const float* a, global const float* b, global float* out, int c) {
  int i = get_global_id(0);
  global const float* p = c ? a : b;
  float v = p[i];  // line 70
  float w;
  if (c) w = a[i + 1];  // line 72
  else w = b[i + 1];    // line 73
  out[i] = v + w;
}

// CHECK-LABEL: kernel made_unconditional
// CHECK: barrier local
// CHECK-NEXT: load local, width 4, {{.*}} made_unconditional lines_kept.cl:86:18{{$}}
kernel void made_unconditional(global float* out, int c) {
  local float t[64];
  int l = get_local_id(0);
  t[l] = out[l];
  barrier(CLK_LOCAL_MEM_FENCE);
  float v = 0;
  if (c > 3) v = t[5];  // line 86: no fault can happen, so the load needs no branch
  out[l] = v;
}

// CHECK-LABEL: kernel whole_struct
// CHECK-COUNT-8: load global, width 4, {{.*}} whole_struct lines_kept.cl:95:9{{$}}
// CHECK-COUNT-8: store global, width 4, {{.*}} whole_struct lines_kept.cl:96:12{{$}}
kernel void whole_struct(global const S* in, global S* out) {
  int i = get_global_id(0);
  S s = in[i];  // line 95
  out[i] = s;   // line 96
}

// CHECK-LABEL: kernel struct_members
// CHECK-COUNT-3: load global, width 4, {{.*}} struct_members lines_kept.cl:104:9{{$}}
// CHECK-NEXT: store global, width 4, {{.*}} struct_members lines_kept.cl:105:10{{$}}
kernel void struct_members(global const S* in, global float* out) {
  int i = get_global_id(0);
  S s = in[i];  // line 104
  out[i] = s.x * s.y + s.n[2];
}

// CHECK-LABEL: kernel merged_neighbours
// CHECK: load local, width 16, {{.*}} merged_neighbours lines_kept.cl:115:13 lines_kept.cl:116:13 lines_kept.cl:117:13 lines_kept.cl:118:13{{$}}
kernel void merged_neighbours(global float* out) {
  local float t[64];
  int l = get_local_id(0);
  t[l] = out[l];
  barrier(CLK_LOCAL_MEM_FENCE);
  float x = t[4];  // line 115
  float y = t[5];  // line 116
  float z = t[6];  // line 117
  float w = t[7];  // line 118
  out[l] = (x + y) * (z - w);
}
