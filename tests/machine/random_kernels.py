"""Random CUDA kernels, the same for the GPU and for the CPU.

Each thread has a state of numbers. A kernel is a row of parts, functions that change one thread's state (arithmetic, branches, loops, local
arrays, loads), with exchanges between them, in which threads of a warp or of a block meet (shared memory, shuffles, votes, atomics). The CPU
has an exchange as a loop over all threads. Reals are kept finite, so that what is no number, whose bits differ, does not come up.
"""
import random

U32, U64, REAL, WIDE = [f"s.a[{i}]" for i in range(5)], [f"s.q[{i}]" for i in range(3)], [f"s.f[{i}]" for i in range(3)], [f"s.d[{i}]" for i in range(2)]
STATE = """struct State { u32 a[5]; u64 q[3]; float f[3]; double d[2]; u32 t, n; };
PART float kept(float x) { return fabsf(x) < 1e30f ? x : 1.5f; }
PART double kept(double x) { return fabs(x) < 1e200 ? x : 0.75; }
"""


class Expressions:
    def __init__(self, draw):
        self.draw = draw

    def constant(self):
        return self.draw.choice([str(self.draw.randrange(1, 100)) + "u", hex(self.draw.getrandbits(32)) + "u", "0xffffffffu", "0x80000000u"])

    def u32(self, depth):
        a, pick = self.u32, self.draw.choice
        if depth == 0:
            return pick([*U32, *U32, "s.t", self.constant(), f"(u32){pick(U64)}"])
        d = depth - 1
        made = pick([
            lambda: f"({a(d)} {pick('+-*&|^')} {a(d)})", lambda: f"({a(d)} {pick('+-*')} {a(d)})", lambda: f"(~{a(d)})", lambda: f"(0u - {a(d)})",
            lambda: f"({a(d)} {pick(['<<', '>>'])} ({a(d)} & 31u))", lambda: f"(u32)((i32){a(d)} >> ({a(d)} & 31u))",
            lambda: f"({a(d)} {pick('/%')} ({a(d)} | 1u))", lambda: f"(u32)((i64)(i32){a(d)} {pick('/%')} (i64)(i32)({a(d)} | 1u))",
            lambda: f"({a(d)} {pick('/%')} {self.draw.randrange(3, 2000)}u)", lambda: f"(u32)((i32){a(d)} {pick('/%')} {self.draw.randrange(3, 2000)})",
            lambda: f"__umulhi({a(d)}, {a(d)})", lambda: f"(u32)__mulhi((i32){a(d)}, (i32){a(d)})", lambda: f"(u32)__popc({a(d)})",
            lambda: f"(u32)__clz((i32){a(d)})", lambda: f"(u32)__ffs((i32){a(d)})", lambda: f"__brev({a(d)})",
            lambda: f"__byte_perm({a(d)}, {a(d)}, {pick([hex(self.draw.getrandbits(16) & 0x7777) + 'u', '(' + a(d) + ' & 0x7777u)'])})",
            lambda: f"__funnelshift_{pick(['l', 'r', 'lc', 'rc'])}({a(d)}, {a(d)}, {pick([a(d), str(self.draw.randrange(40))])})",
            lambda: f"__usad({a(d)}, {a(d)}, {a(d)})", lambda: f"__sad((i32){a(d)}, (i32){a(d)}, {a(d)})",
            lambda: f"(u32)__dp4a((i32){a(d)}, (i32){a(d)}, (i32){a(d)})", lambda: f"({self.condition(d)} ? {a(d)} : {a(d)})", lambda: f"(u32)({self.condition(d)})",
            lambda: self.extreme("u32", a(d), a(d)), lambda: f"(u32){self.extreme('i32', '(i32)' + a(d), '(i32)' + a(d))}",
            lambda: f"(u32){self.u64(d)}", lambda: f"(u32)({self.u64(d)} >> 32)", lambda: f"__float_as_uint({self.real(d)})",
            lambda: f"(u32)__float2int_{pick(['rz', 'rn', 'rd', 'ru'])}({self.real(d)})", lambda: f"__float2uint_{pick(['rz', 'rn'])}({self.real(d)})",
            lambda: f"(u32)__double2int_rz({self.wide(d)})", lambda: f"__double2uint_rn({self.wide(d)})", lambda: f"(u32)(u8){a(d)}", lambda: f"(u32)(i32)(short){a(d)}",
            lambda: self.load()])
        return made()

    def load(self):
        at = self.u32(1)
        return self.draw.choice([
            f"in[{at} & 255u]", f"(u32)((const u8*)in)[{at} & 1023u]", f"(u32)(i32)((const signed char*)in)[{at} & 1023u]", f"(u32)((const u16*)in)[{at} & 511u]",
            f"(u32)(i32)((const short*)in)[{at} & 511u]", f"(u32)(((const u64*)in)[{at} & 127u] >> 13)"])

    def u64(self, depth):
        q, pick = self.u64, self.draw.choice
        if depth == 0:
            return pick([*U64, *U64, f"(u64){pick(U32)}", hex(self.draw.getrandbits(64)) + "ull", f"(u64)(i64)(i32){pick(U32)}"])
        d = depth - 1
        made = pick([
            lambda: f"({q(d)} {pick('+-*&|^')} {q(d)})", lambda: f"({q(d)} {pick('+-')} {q(d)})", lambda: f"(~{q(d)})", lambda: f"((u64){self.u32(d)} * {self.u32(d)})",
            lambda: f"(u64)((i64)(i32){self.u32(d)} * (i32){self.u32(d)} + (i64){q(d)} / 4)",
            lambda: f"({q(d)} {pick(['<<', '>>'])} ({self.u32(d)} & 63u))", lambda: f"(u64)((i64){q(d)} >> ({self.u32(d)} & 63u))",
            lambda: f"({q(d)} {pick('/%')} ({q(d)} | 1ull))", lambda: f"(u64)((i64){q(d)} {pick('/%')} (i64)({q(d)} >> 1 | 1ull))",
            lambda: f"__umul64hi({q(d)}, {q(d)})", lambda: f"(u64)__mul64hi((i64){q(d)}, (i64){q(d)})", lambda: f"__brevll({q(d)})",
            lambda: f"(u64)__popcll({q(d)})", lambda: f"(u64)__clzll((i64){q(d)})", lambda: f"(u64)__ffsll((i64){q(d)})",
            lambda: self.extreme("u64", q(d), q(d)), lambda: f"(u64){self.extreme('i64', '(i64)' + q(d), '(i64)' + q(d))}",
            lambda: f"({self.condition(d)} ? {q(d)} : {q(d)})", lambda: f"bits_of({self.wide(d)})", lambda: f"(u64)__float2ll_rz({self.real(d)})",
            lambda: f"__float2ull_rn({self.real(d)})", lambda: f"(u64)__double2ll_rd({self.wide(d)})", lambda: f"__double2ull_rz({self.wide(d)})"])
        return made()

    def extreme(self, kind, x, y):
        return f"{self.draw.choice(['less', 'more'])}<{kind}>({x}, {y})"

    def real(self, depth):
        f, pick = self.real, self.draw.choice
        if depth == 0:
            return pick([*REAL, *REAL, f"__uint2float_rn({pick(U32)})", repr(round(self.draw.uniform(-9, 9), 3)) + "f"])
        d = depth - 1
        made = pick([
            lambda: f"kept({f(d)} {pick('+-*')} {f(d)})", lambda: f"kept({f(d)} / {f(d)})", lambda: f"({pick(['fminf', 'fmaxf'])}({f(d)}, {f(d)}) + 0.0f)", lambda: f"kept(sqrtf(fabsf({f(d)})))", lambda: f"kept(__fmaf_rn({f(d)}, {f(d)}, {f(d)}))",
            lambda: f"(- {f(d)})", lambda: f"fabsf({f(d)})", lambda: f"({self.condition(d)} ? {f(d)} : {f(d)})", lambda: f"{pick(['floorf', 'ceilf', 'truncf', 'rintf'])}({f(d)})",
            lambda: f"__int2float_rn((i32){self.u32(d)})", lambda: f"__ll2float_rn((i64){self.u64(d)})", lambda: f"__ull2float_rn({self.u64(d)})",
            lambda: f"kept(__double2float_rn({self.wide(d)}))", lambda: f"kept(__uint_as_float({self.u32(d)}))"])
        return made()

    def wide(self, depth):
        w, pick = self.wide, self.draw.choice
        if depth == 0:
            return pick([*WIDE, *WIDE, f"(double){pick(REAL)}", repr(round(self.draw.uniform(-9, 9), 3))])
        d = depth - 1
        made = pick([
            lambda: f"kept({w(d)} {pick('+-*')} {w(d)})", lambda: f"kept({w(d)} / {w(d)})", lambda: f"({pick(['fmin', 'fmax'])}({w(d)}, {w(d)}) + 0.0)", lambda: f"kept(sqrt(fabs({w(d)})))", lambda: f"kept(__fma_rn({w(d)}, {w(d)}, {w(d)}))",
            lambda: f"(- {w(d)})", lambda: f"fabs({w(d)})", lambda: f"({self.condition(d)} ? {w(d)} : {w(d)})", lambda: f"{pick(['floor', 'ceil', 'trunc', 'rint'])}({w(d)})",
            lambda: f"__ll2double_rn((i64){self.u64(d)})", lambda: f"__ull2double_rn({self.u64(d)})", lambda: f"(double)(i32){self.u32(d)}", lambda: f"(double){self.real(d)}"])
        return made()

    def condition(self, depth):
        how, kind = self.draw.choice(["<", "<=", ">", ">=", "==", "!="]), self.draw.randrange(6)
        both = [(self.u32, ""), (self.u32, "(i32)"), (self.u64, ""), (self.u64, "(i64)"), (self.real, ""), (self.wide, "")][kind]
        one = f"{both[1]}{both[0](depth)} {how} {both[1]}{both[0](depth)}"
        return one if self.draw.random() < 0.7 or depth == 0 else f"{one} {self.draw.choice(['&&', '||'])} {self.condition(depth - 1)}"


class Parts:
    """Functions of one thread."""

    def __init__(self, draw):
        self.draw, self.make, self.loops = draw, Expressions(draw), 0

    def assignment(self):
        kind = self.draw.choice("aaaaqqfd")
        depth = self.draw.randrange(1, 4)
        if kind == "a":
            return f"{self.draw.choice(U32)} {self.draw.choice(['=', '+=', '^='])} {self.make.u32(depth)};"
        if kind == "q":
            return f"{self.draw.choice(U64)} {self.draw.choice(['=', '+=', '^='])} {self.make.u64(depth)};"
        return f"{self.draw.choice(REAL)} = {self.make.real(depth)};" if kind == "f" else f"{self.draw.choice(WIDE)} = {self.make.wide(depth)};"

    def block(self, depth, in_loop):
        return " ".join(self.statement(depth, in_loop) for _ in range(self.draw.randrange(1, 4)))

    def statement(self, depth, in_loop):
        if depth == 0 or self.draw.random() < 0.4:
            return self.assignment()
        kind, b = self.draw.randrange(7), self.block
        if kind == 0:
            return f"if ({self.make.condition(1)}) {{ {b(depth - 1, in_loop)} }}"
        if kind == 1:
            return f"if ({self.make.condition(1)}) {{ {b(depth - 1, in_loop)} }} else {{ {b(depth - 1, in_loop)} }}"
        if kind in (2, 3):
            self.loops += 1
            i = f"i{self.loops}"
            end = self.draw.choice([f"({self.make.u32(1)} & 7u)", str(self.draw.randrange(1, 6)) + "u"])
            return f"for (u32 {i} = 0, e{i} = {end}; {i} < e{i}; ++{i}) {{ {b(depth - 1, True)} }}"
        if kind == 4 and in_loop:
            return f"if ({self.make.condition(1)}) {self.draw.choice(['break', 'continue'])};"
        if kind == 5:
            cases = " ".join(f"case {n}: {{ {b(0, False)} }} {self.draw.choice(['break;', ''])}" for n in range(self.draw.randrange(3, 9)))
            return f"switch ({self.make.u32(1)} % 9u) {{ {cases} }}"
        if kind == 6:
            return f"{{ u32 w[8]; for (u32 k = 0; k < 8; ++k) w[k] = {self.make.u32(1)} + k; w[{self.make.u32(1)} & 7u] ^= {self.make.u32(1)}; {self.draw.choice(U32)} += w[{self.make.u32(1)} & 7u]; }}"
        return f"if ({self.make.condition(1)}) return;"

    def function(self, name):
        self.loops = 0
        body = "\n  ".join(self.statement(3, False) for _ in range(self.draw.randrange(2, 6)))
        return f"{self.draw.choice(['PART', 'PART', 'CALLED'])} void {name}(State& s, const u32* in) {{\n  {body}\n}}"


def exchanges(draw, architecture):
    """(for the GPU: with the state s; for the CPU: a loop over threads t, in which x holds all a[i])."""
    to, of, by, width = draw.choice(U32), draw.randrange(5), draw.randrange(32), draw.choice([2, 4, 8, 16, 32])
    mode, text = draw.choice(list(enumerate(["", "_up", "_down", "_xor"])))
    x = f"s.a[{of}]"
    lanes = f"lanes_where(t, [&](u32 o) {{ return %s; }})"
    odd = lanes % "(x[o] & 1u) != 0"
    kinds = [
        (f"{to} += __shfl{text}_sync(0xffffffffu, {x}, {by}, {width});", f"{to} += shuffled(x, t, {mode}, {by}, {width});"),
        (f"{to} += __shfl_sync(0xffffffffu, {x}, {x} >> 3 & 31u);", f"{to} += shuffled(x, t, 0, x[t] >> 3 & 31u, 32);"),
        (f"{to} ^= __ballot_sync(0xffffffffu, {x} & 1u);", f"{to} ^= {odd};"),
        (f"{to} += __any_sync(0xffffffffu, {x} % 37u == 5u);", f"{to} += {lanes % 'x[o] % 37u == 5u'} != 0;"),
        (f"{to} += __all_sync(0xffffffffu, {x} % 7u != 5u);", f"{to} += {lanes % 'x[o] % 7u == 5u'} == 0;"),
        (f"{to} ^= __match_any_sync(0xffffffffu, {x} & 3u);", f"{to} ^= {lanes % '(x[o] & 3u) == (x[t] & 3u)'};"),
        (f"{{ const u32 m = __ballot_sync(0xffffffffu, {x} & 1u), v = {x}; if (v & 1u) {{ const u32 o = __shfl_xor_sync(m, v, {by}); if (m >> (s.t % 32u ^ {by}u) & 1u) {to} += o; {to} ^= __ballot_sync(m, v & 2u); {to} += __match_any_sync(m, v & 12u); }} else {{ {to} += 3u; {to} ^= __ballot_sync(~m, v & 4u); }} }}",
         f"{{ const u32 m = {odd}, v = x[t]; if (v & 1u) {{ if (m >> (t % 32u ^ {by}u) & 1u) {to} += x[t ^ {by}u]; {to} ^= m & {lanes % '(x[o] & 2u) != 0'}; {to} += m & {lanes % '(x[o] & 12u) == (x[t] & 12u)'}; }} else {{ {to} += 3u; {to} ^= ~m & {lanes % '(x[o] & 4u) != 0'}; }} }}"),
        (f"{to} += __syncthreads_count({x} & 1u);", f"{{ u32 c = 0; for (u32 o : x) c += o & 1u; {to} += c; }}"),
        (f"{to} += __syncthreads_or(({x} & 255u) == 9u) != 0;", f"{{ bool c = false; for (u32 o : x) c = c || (o & 255u) == 9u; {to} += c; }}"),
        (f"__syncthreads(); sh[s.n - 1u - s.t] = {x}; __syncthreads(); {to} ^= sh[(s.t + {by}u) % s.n]; __syncthreads();", f"{to} ^= x[s.n - 1u - (t + {by}u) % s.n];"),
        (f"__syncthreads(); ((u8*)sh)[s.t] = (u8){x}; __syncthreads(); {to} += ((u8*)sh)[(s.t * 3u + {by}u) % s.n]; __syncthreads();", f"{to} += (u8)x[(t * 3u + {by}u) % s.n];"),
        (f"__syncthreads(); if (s.t < 4u) sh[s.t] = s.t; __syncthreads(); atomicAdd(&sh[{x} & 3u], {x} >> 2); __syncthreads(); {to} ^= sh[s.t & 3u]; __syncthreads();",
         f"{{ u32 c = t & 3u; for (u32 o : x) if ((o & 3u) == (t & 3u)) c += o >> 2; {to} ^= c; }}"),
        (f"atomicAdd(&acc[{x} & 7u], {x});", f"acc[x[t] & 7u] += x[t];"),
        (f"atomicMax(&acc[8u + ({x} & 7u)], {x});", f"acc[8u + (x[t] & 7u)] = std::max(acc[8u + (x[t] & 7u)], x[t]);"),
        (f"atomicXor(&acc[16u + ({x} >> 8 & 7u)], {x}); atomicMin((i32*)&acc[24u], (i32){x});", f"acc[16u + (x[t] >> 8 & 7u)] ^= x[t]; acc[24] = (u32)std::min((i32)acc[24], (i32)x[t]);"),
        (f"atomicAdd((u64*)&acc[26u], (u64){x} << 20); atomicOr(&acc[25u], {x});", f"{{ u64 w; std::memcpy(&w, &acc[26], 8); w += (u64)x[t] << 20; std::memcpy(&acc[26], &w, 8); acc[25] |= x[t]; }}"),
    ]
    if architecture >= 80:
        kinds.append((f"{to} += __reduce_add_sync(0xffffffffu, {x}) ^ __reduce_max_sync(0xffffffffu, {x}) ^ (u32)__reduce_min_sync(0xffffffffu, (i32){x}) ^ __reduce_xor_sync(0xffffffffu, {x});",
                      f"{{ u32 c = 0, m = 0, y = 0; i32 l = 0x7fffffff; for (u32 o = t / 32 * 32; o < t / 32 * 32 + 32; ++o) {{ c += x[o]; m = std::max(m, x[o]); l = std::min(l, (i32)x[o]); y ^= x[o]; }} {to} += c ^ m ^ (u32)l ^ y; }}"))
    device, host = draw.choice(kinds)
    return device, f"for (u32 t = 0; t < n; ++t) x[t] = all[t].a[{of}];\n    for (u32 t = 0; t < n; ++t) {{ State& s = all[t]; {host} }}"


START = """for (u32 k = 0; k < 5; ++k) s.a[k] = in[(g * 5u + k * 7u) & 255u];
  for (u32 k = 0; k < 3; ++k) { s.q[k] = (u64)in[(g + k) & 255u] << 29 ^ in[(g * 3u + k) & 255u]; s.f[k] = (float)(i32)in[(g + 9u * k) & 255u] / 65536.0f; }
  for (u32 k = 0; k < 2; ++k) s.d[k] = (double)(i32)in[(g + 11u * k) & 255u] / 1024.0;"""
FINISH = """u32* o = out + g * 16u;
  for (u32 k = 0; k < 5; ++k) o[k] = s.a[k];
  if ((s.a[1] & 7u) == 3u) return;
  for (u32 k = 0; k < 3; ++k) { o[5u + k] = __float_as_uint(s.f[k]); o[8u + 2u * k] = (u32)s.q[k]; o[9u + 2u * k] = (u32)(s.q[k] >> 32); }
  for (u32 k = 0; k < 2; ++k) o[14u + k] = (u32)(bits_of(s.d[k]) ^ bits_of(s.d[k]) >> 32);"""
HOST = """int main(int, char** arguments) {{
  const u32 n = {threads}u;
  std::vector<u32> in(256), out({groups}u * n * 16u), acc(32), x(n);
  FILE* file = std::fopen(arguments[1], "rb");
  if (file == nullptr || std::fread(in.data(), 4, 256, file) != 256) return 1;
  std::fclose(file);
  for (u32 group = 0; group < {groups}u; ++group) {{
    std::vector<State> all(n);
    for (u32 t = 0; t < n; ++t) start(all[t], in.data(), group * n + t, t, n);
    {steps}
    for (u32 t = 0; t < n; ++t) finish(all[t], out.data(), group * n + t);
  }}
  std::fwrite(out.data(), 4, out.size(), stdout);
  std::fwrite(acc.data(), 4, acc.size(), stdout);
}}
"""
DEVICE = """extern "C" __global__ void random_kernel(const u32* in, u32* out, u32* acc) {{
  __shared__ u32 sh[256];
  const u32 t = threadIdx.x, n = blockDim.x, g = blockIdx.x * n + t;
  State s;
  start(s, in, g, t, n);
  {steps}
  finish(s, out, g);
}}
"""


def kernel(seed, architecture):
    """(source of CUDA, which is also C++ for the CPU with -DON_CPU; threads; groups)"""
    draw = random.Random(seed)
    threads, groups, parts = draw.choice([32, 64, 96, 128]), draw.randrange(1, 3), draw.randrange(2, 5)
    functions = [Parts(draw).function(f"part{number}") for number in range(parts)]
    device, host = [], []
    for number in range(parts):
        device.append(f"part{number}(s, in);")
        host.append(f"for (u32 t = 0; t < n; ++t) part{number}(all[t], in.data());")
        for _ in range(draw.randrange(1, 4)):
            one = exchanges(draw, architecture)
            device.append(one[0])
            host.append(one[1])
    shared = STATE + "template <class T> PART T less(T x, T y) { return x < y ? x : y; }\ntemplate <class T> PART T more(T x, T y) { return x > y ? x : y; }\n"
    shared += f"PART void start(State& s, const u32* in, u32 g, u32 t, u32 n) {{\n  s.t = t; s.n = n;\n  {START}\n}}\nPART void finish(const State& s, u32* out, u32 g) {{\n  {FINISH}\n}}\n"
    text = '#ifdef __clang__\n#pragma clang diagnostic ignored "-Weverything"\n#endif\n#ifdef ON_CPU\n#include "random_host.h"\n#else\n#include "random_device.h"\n#endif\n' + shared + "\n".join(functions) + "\n#ifdef ON_CPU\n"
    text += HOST.format(threads=threads, groups=groups, steps="\n    ".join(host)) + "#else\n" + DEVICE.format(steps="\n  ".join(device)) + "#endif\n"
    return text, threads, groups
