// What cannot be recorded is named with its line, and makes the tool exit with status 3. printf is no access.
// RUN: %not %compile %s -o %t | %check %s
kernel void k(read_only image2d_t in, write_only image2d_t out, sampler_t s, global int* a) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(out, p, read_imagef(in, s, p));  // line 5
  if (get_image_width(in) > 3) a[0] = 1;        // line 6
  printf("%d\n", a[1]);                         // line 7
}
// CHECK: site 0: store global, {{.*}}untraceable.cl:6:
// CHECK: site 1: load global, {{.*}}untraceable.cl:7:
// CHECK-DAG: cannot be traced: untraceable.cl:5:24: image access (read_imagef)
// CHECK-DAG: cannot be traced: untraceable.cl:5:3: image access (write_imagef)
// CHECK-NOT: cannot be traced
