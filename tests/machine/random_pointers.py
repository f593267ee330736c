"""Random CUDA kernels that call functions through pointers, for the GPU and for the CPU: tables in device memory, pointers that a lane chooses or hands on, and
virtual functions. What is called calls further functions in branches and loops, itself among them, until nothing is left of `d`. Lanes of a warp call different ones.
"""
import random

SOURCE = """typedef unsigned u32;
#ifdef ON_CPU
#include <cstdio>
#include <cstdlib>
#include <vector>
#define PART
#define CALLED static
#define TABLE static
#define __global__ static
static struct {{ u32 x; }} threadIdx, blockIdx, blockDim;
#else
#define PART __device__
#define CALLED __device__ __noinline__
#define TABLE __device__
#endif
#define GIVEN u32 d, const u32* in, const struct Base* const* all
#define LESS d - 1u, in, all
typedef u32 (*Way)(u32 x, u32 y, GIVEN);
struct Base {{
  PART virtual u32 go(u32 x, u32 y, GIVEN) const = 0;
  PART virtual u32 turn(u32 x, GIVEN) const {{ return x ^ d * 77u ^ in[d & 255u]; }}
}};
{functions}
__global__ void random_kernel(const u32* in, u32* out) {{
  const u32 t = blockIdx.x * blockDim.x + threadIdx.x, d = 3u;
  {objects}
  u32 x = in[t & 255u], y = in[t * 5u & 255u];
  {body}
  out[t] = x * 31u + y;
}}
#ifdef ON_CPU
int main(int, char** arguments) {{
  std::vector<u32> in(256), out({outputs});
  FILE* file = std::fopen(arguments[1], "rb");
  if (file == nullptr || std::fread(in.data(), 4, 256, file) != 256) return 1;
  blockDim.x = u32(std::atoi(arguments[2]));
  for (u32 t = 0; t < out.size(); ++t) {{
    blockIdx.x = t / blockDim.x;
    threadIdx.x = t % blockDim.x;
    random_kernel(in.data(), out.data());
  }}
  std::fwrite(out.data(), 4, out.size(), stdout);
}}
#endif
"""


class Functions:
    """Texts of expressions, statements and bodies. `room`: how many calls a body may still make."""

    def __init__(self, draw):
        self.draw, self.ways, self.classes, self.room = draw, draw.randrange(2, 7), draw.randrange(2, 5), 0

    def value(self):
        one, other = self.draw.choice("xy"), self.draw.choice(["x", "y", f"{self.draw.randrange(1, 999)}u"])
        return self.draw.choice([one, f"({one} {self.draw.choice('+-*^&|')} {other})", f"({one} >> {self.draw.randrange(1, 30)}u)", f"in[{one} & 255u]", f"({one} / ({other} | 1u))"])

    def change(self):
        return f"{self.draw.choice('xy')} {self.draw.choice(['+=', '^=', '*=', '-='])} {self.value()};"

    def way(self):
        name, other = (f"way{self.draw.randrange(self.ways)}" for _ in range(2))
        return self.draw.choice([name, f"({self.value()} & {self.draw.choice([1, 2, 4])}u ? {name} : {other})", *[f"table[{self.value()} % {self.ways}u]"] * 2])

    def call(self):
        kind = self.draw.randrange(5)
        if kind == 0:
            return f"all[{self.value()} % {self.classes}u]->{self.draw.choice(['go(x, y, LESS)', 'turn(y, LESS)'])}"
        if kind == 1:
            return f"twice({self.way()}, x, {self.value()}, LESS)"
        return f"{self.way()}({self.value()}, {self.value()}, LESS)"

    def statement(self):
        kind = self.draw.randrange(6)
        if kind == 0 or self.room == 0:
            return self.change()
        self.room -= 1
        call = f"if (d != 0u) {self.draw.choice('xy')} {self.draw.choice(['+=', '^='])} {self.call()};"
        if kind == 1:
            return f"if ({self.value()} & 1u) {{ {call} }} else {{ {self.change()} {call if self.draw.random() < 0.3 else self.change()} }}"
        if kind == 2:
            return f"for (u32 i = 0, e = {self.value()} & 3u; i < e; ++i) {{ {self.change()} {call} }}"
        if kind == 3:
            return f"if ({self.value()} % 5u == 0u) return {self.value()};"
        return call

    def body(self, room):
        self.room = room
        return " ".join(self.statement() for _ in range(self.draw.randrange(1, 4))) + f" return {self.value()};"

    def derived(self, number):
        go = f"PART u32 go(u32 x, u32 y, GIVEN) const override {{ x += k; {self.body(1)} }}"
        turn = "PART u32 turn(u32 x, GIVEN) const override { return d == 0u ? k : go(x, k, LESS); }" if self.draw.random() < 0.5 else ""
        return f"struct Made{number} : Base {{ u32 k; PART explicit Made{number}(u32 k) : k(k) {{}} {go} {turn} }};"


def kernel(seed, _architecture=None):
    """(source of CUDA, which is also C++ for the CPU with -DON_CPU; work-items of a group; groups). `in` has 256 numbers, `out` one for each work-item."""
    draw = random.Random(f"pointers {seed}")
    made, threads, groups = Functions(draw), draw.choice([32, 64, 48]), draw.randrange(1, 3)
    functions = [f"CALLED u32 way{n}(u32 x, u32 y, GIVEN);" for n in range(made.ways)]
    functions.append(f"TABLE Way table[{made.ways}] = {{{', '.join(f'way{n}' for n in range(made.ways))}}};")
    functions.append("CALLED u32 twice(Way way, u32 x, u32 y, GIVEN) { x ^= way(x, y, d, in, all); return d == 0u ? x : x + way(y, x, LESS); }")
    functions += [made.derived(n) for n in range(made.classes)]
    functions += [f"CALLED u32 way{n}(u32 x, u32 y, GIVEN) {{ {made.body(2)} }}" for n in range(made.ways)]
    objects = " ".join(f"const Made{n} m{n}(t * {n + 3}u);" for n in range(made.classes))
    objects += f" const Base* const all[] = {{{', '.join(f'&m{n}' for n in range(made.classes))}}};"
    body = " ".join(f"{draw.choice('xy')} += {made.call()}; {made.change()}" for _ in range(draw.randrange(1, 4)))
    text = SOURCE.format(functions="\n".join(functions), objects=objects, body=body, outputs=threads * groups)
    return text, threads, groups
