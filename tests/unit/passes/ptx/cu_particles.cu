#include <cuda_runtime.h>
// An array of structs, parameters in a struct passed by value, a member function.
struct Particle {
  float3 position, velocity;
  float mass;
};
struct Step {
  float time, drag;
  float3 pull;
  __device__ float3 apply(float3 v, float mass) const {
    return make_float3(v.x * drag + pull.x * time / mass, v.y * drag + pull.y * time / mass,
                       v.z * drag + pull.z * time / mass);
  }
};
__global__ void cu_particles(Particle *particles, Step step, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Particle p = particles[i];
  p.velocity = step.apply(p.velocity, p.mass);
  p.position.x += p.velocity.x * step.time;
  p.position.y += p.velocity.y * step.time;
  p.position.z += p.velocity.z * step.time;
  particles[i] = p;
}
