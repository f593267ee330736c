"""What a fill puts into a buffer, independently of trace-kernel: for the kernels' checks and the tests. Standard library only."""


def split_mix(seed, index):
    """Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014: output `index` of `seed`."""
    mask = 2**64 - 1
    z = (seed + (index + 1) * 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return z ^ (z >> 31)


def content(fill, element, count):
    """`count` numbers of type `element` as wrapper/launch/buffer_fill.h describes them; `fill` is a word and its numbers."""
    word, numbers = fill
    is_floating = element in ("float", "double")
    if word == "zero":
        return [0] * count
    if word == "constant":
        return [numbers[0]] * count
    if word == "iota":
        return list(range(count))
    if word == "range":
        start, step, last = numbers
        length = (last - start) // step + 1
        return [start + index % length * step for index in range(count)]
    if word != "random":
        raise ValueError(f"fill {word}: teach it to benchmarks/kernels/buffer_content.py")
    seed, low, end = (numbers + [0, 1 if is_floating else 100])[:3]
    draws = (split_mix(seed, index) for index in range(count))
    if is_floating:
        return [low + (draw >> 40) * 2.0**-24 * (end - low) for draw in draws]
    return [low + draw % (end - low) for draw in draws]
