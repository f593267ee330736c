// Structure of arrays: three coordinates and three velocities.
kernel void soa_update(global float* x, global float* y, global float* z, global const float* u, global const float* v,
                       global const float* w, float dt) {
  const int i = get_global_id(0);
  x[i] += u[i] * dt;
  y[i] += v[i] * dt;
  z[i] += w[i] * dt;
}
