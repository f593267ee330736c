// Array of structures with an odd size: no member can be merged beyond its own alignment.
typedef struct {
  float3 unused;
  float x, y, z;
  int kind;
} Particle;
kernel void particle_aos(global Particle* p, float dt) {
  const int i = get_global_id(0);
  Particle q = p[i];
  if (q.kind == 3) return;
  q.x += dt;
  q.y += 2 * dt;
  q.z += 3 * dt;
  p[i] = q;
}
