// Escape-time iteration: one store, a data-dependent loop, no load.
kernel void mandelbrot(global ushort* out, int width, float scale, int limit) {
  const float cr = (get_global_id(0) - width * 0.5f) * scale, ci = (get_global_id(1) - width * 0.5f) * scale;
  float r = 0, i = 0;
  int n = 0;
  while (n < limit && r * r + i * i < 4) {
    const float t = r * r - i * i + cr;
    i = 2 * r * i + ci;
    r = t;
    ++n;
  }
  out[get_global_id(1) * width + get_global_id(0)] = (ushort)n;
}
