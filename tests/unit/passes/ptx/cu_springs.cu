// Structures with members of several widths, by value and through pointers.
struct Node {
  double x, y;
  float mass;
  short kind;
  unsigned char fixed;
};
struct Step {
  double dt;
  const int2 *springs;
  int count;
};
__global__ void cu_springs(Node *nodes, double2 *force, Step step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= step.count)
    return;
  const int2 ends = step.springs[i];
  const Node a = nodes[ends.x], b = nodes[ends.y];
  if (a.fixed && b.fixed)
    return;
  const double dx = b.x - a.x, dy = b.y - a.y;
  force[i] = make_double2(dx * step.dt, dy * step.dt);
  if (!a.fixed)
    nodes[ends.x].mass = a.mass + (float)a.kind;
}
