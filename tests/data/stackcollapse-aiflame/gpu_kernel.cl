// One kernel and no function that is called: of others Debian 12's compiler for Intel GPUs writes no
// debug information, or wrong lines. What is inlined is more than one instruction, or it has no place.
float scaled(__global const float* in, float by) {
  float x = *in;
  return (x * by + 1.0f) * (x + by);
}

__kernel void sum(__global const float* in, __global float* out, int n) {
  int id = get_global_id(0);
  float total = 0;
  for (int i = 0; i < n; ++i)
    total += scaled(in + id * n + i, 0.5f);
  out[id] = total;
}
