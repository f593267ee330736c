"""Random OpenCL kernels whose addresses follow from ids alone, as those recorded in boxes of work-items, with statements next to
them that boxes have to refuse: what prints, could trap, waits under branches, calls, stores where nobody may look away, or loops
without a known end. And volatile and lock-step stores under conditions, in loops, with barriers.

    effects.py SEED KERNELS > program.cl

As generate.py: the first line says how to launch it, and what a kernel computes is defined, so that any two implementations of
OpenCL agree about every byte. What a kernel prints comes in any order. (No fences: Oclgrind ends a work-item there.)
"""
import sys

from generate import LOCAL_WORDS, PARAMETERS, PROLOGUE, SLOT_WORDS, Random, launch

# {k}, {v}: names of this statement's own; {c}: a small number. `x` is what the kernel stores at its end.
EFFECTS = (
    'printf("{k} of %u: %u\\n", gid, x);',
    'if (gid == {c}) printf("{k}\\n");',
    'if (x & 1u) printf("{k}: %u\\n", lid + {c});',
    "if (n == 1234567u) __builtin_trap();",
    "if (x == 0xFFFFFFFFu && gid > 1000000u) {{ __builtin_trap(); }}",
    "x += atomic_add(own + {c}, 3u);",
    "x ^= atomic_cmpxchg(own + {c}, x, lid);",
    "atomic_inc(&sums[{c}]);",
    "if (lid < 100000u) barrier(CLK_LOCAL_MEM_FENCE);",
    "if (n > {c}u) barrier(CLK_LOCAL_MEM_FENCE);",
    "for (uint {v} = 0; {v} < (lid < 4096u ? 2u : 3u); ++{v}) {{ own[{c}] += {v}; barrier(CLK_LOCAL_MEM_FENCE); }}",
    "put(mine32 + 40 + {c}, x);",
    "x += walk((__global const uint *)in, lid, 3u);",
    "volatile uint {v} = x; {v} += {c}u; x = {v};",
    "*(volatile __global uint *)(mine32 + 48 + {c}) = x;",
    "x += *(volatile __global uint *)(mine32 + 48 + {c});",
    "uint {v} = in[lid & 255u]; while ({v} != 0u) {{ {v} >>= 1; x += {v}; }}",
    "uint {v} = lid; for (;;) {{ {v} += items; if ({v} > n * items) break; own[{c}] += {v}; }}",
    "uint {v} = {c}u; do {{ own[{v} & 7u] ^= lid; {v} = {v} * 3u + 1u; }} while ({v} < n * 5u);",
    "for (uint {v} = lid; {v} < n + lid; {v} += 1u + (lid & 1u)) own[{v} & 7u] += {v};",
    "prefetch((__global const uint *)in + lid, 4);",
)

# In step: each work-item stores into its own words, and others are read behind a barrier only.
STEPS = (
    "steps[lid] = x;",
    "if (lid < {c}u + 3u) steps[lid] = x + {c}u;",
    "if (x & 1u) steps[lid] = x; else steps[lid] = {c}u;",
    "if (lid & 1u) {{ steps[lid] += {c}u; if (lid & 2u) steps[lid] ^= x; }}",
    "for (uint {v} = 32u; {v} != 0u; {v} >>= 1) {{ if (lid < {v}) steps[lid] = {v}; barrier(CLK_LOCAL_MEM_FENCE); }}",
    "for (uint {v} = n + 2u; {v} != 0u; --{v}) {{ if (lid < {v}) steps[lid] += {v}; barrier(CLK_LOCAL_MEM_FENCE); }}",
    "for (uint {v} = 0; {v} < (lid & 3u); ++{v}) steps[lid] = {v};",
    "for (uint {v} = 0; {v} < {c}u; ++{v}) {{ if ((lid ^ {v}) & 1u) steps[lid] += {v}; }}",
    "barrier(CLK_LOCAL_MEM_FENCE); x += steps[(lid + {c}u) % items]; barrier(CLK_LOCAL_MEM_FENCE);",
    "if (n & 1u) {{ if (lid < {c}u) steps[lid] = n; barrier(CLK_LOCAL_MEM_FENCE); }}",
    "switch (lid & 3u) {{ case 0: steps[lid] = 1u; break; case 1: steps[lid] = x; default: break; }}",
)

# A work-item's word of all local memory that generate.py's programs get.
HELPER = "__attribute__((noinline)) void put(__global uint *p, uint x) { p[0] = x; if (x == 77u) p[1] = x; }\n"


def kernel(random, name):
    in_step = random.chance(40)
    pool = STEPS if in_step else EFFECTS
    body = []
    for number in range(1 + random.below(4)):
        body.append(random.pick(pool).format(k=f"{name}.{number}", v=f"v{number}", c=random.below(8)))
    return "\n".join([
        f"__kernel void {name}({PARAMETERS}) {{",
        "  const uint lid = (uint)(get_local_id(1) * get_local_size(0) + get_local_id(0));",
        "  const uint items = (uint)(get_local_size(0) * get_local_size(1));",
        "  const uint gid = (uint)((get_group_id(1) * get_num_groups(0) + get_group_id(0)) * items + lid);",
        f"  __global ulong *mine = out + gid * {SLOT_WORDS};",
        "  __global uint *mine32 = (__global uint *)mine;",
        f"  __local uint *own = scratch + lid * {LOCAL_WORDS};",
        "  volatile __local uint *steps = scratch;" if in_step else
        f"  for (uint i = 0; i < {LOCAL_WORDS}u; ++i) own[i] = i;",
        "  uint x = in[gid & 0xFFFFu];",
        *(["  steps[lid] = x;"] if in_step else []),
        *("  { " + line + " }" for line in body),
        "  mine[1] = x;",
        "  barrier(CLK_LOCAL_MEM_FENCE); mine[2] = steps[lid];" if in_step else f"  mine[2] = own[{random.below(8)}];",
        "}"])


def program(seed, kernels):
    random = Random(seed)
    names = [f"k{i}" for i in range(kernels)]
    launches = "; ".join(launch(random, name) for name in names)
    table = ", ".join(f"{random.below(1 << 32)}u" for _ in range(64))
    small = ", ".join(str(random.below(256)) for _ in range(16))
    texts = [kernel(random, name) for name in names]
    return "\n".join([f"// launches: {launches}", PROLOGUE % (table, small), HELPER, *texts, ""])


if __name__ == "__main__":
    print(program(int(sys.argv[1]), int(sys.argv[2])), end="")
