"""How each advice is written: what it means, in OpenCL and in CUDA, the page that explains it, and which measurements on hardware test it."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Rule:
    """Texts of one rule. `{object}` is the buffer or array that it is about."""

    title: str           # the cause in a few words, for the summary; empty: the finding has it
    condition: str
    remedy: str
    opencl: str
    cuda: str
    page: str            # page of docs/concepts
    pairs: str = ""      # launches of studies/truth that differ in this; empty: not checked on hardware


NOT_CHECKED = "not checked on hardware"
RULES = {
    "bank-conflicts": Rule(
        "",
        "lanes of a request want different words of one bank of local memory",
        "pad or swizzle the rows of {object}",
        "__local float {object}[32][32 + 1]; or {object}[row][column ^ row]", "__shared__ float {object}[32][32 + 1]; or {object}[row][column ^ row]", "bank-conflicts",
        "rtx3090/convolution: 3 tiles with and without padding (p0, p1); gb10/transpose_tile_load → transpose_tile_padded"),
    "misaligned-base": Rule(
        "misaligned base",
        "lanes read neighbouring elements, and each request starts in the middle of a transaction",
        "align {object} to 128 bytes",
        "sub-buffers and offsets in multiples of 128 bytes; pad the header in front of the data",
        "cudaMalloc aligns to 256 bytes: shift the pointer by multiples of 128 bytes; pad the header in front of the data", "coalescing"),
    "misaligned-rows": Rule(
        "misaligned rows",
        "rows are no multiple of 128 bytes, so most of them start in the middle of a transaction",
        "round its pitch up to 128 bytes",
        "allocate rows of ((width + 31) / 32) * 32 floats and index {object}[y * pitch + x]",
        "cudaMallocPitch(&{object}, &pitch, width * sizeof(float), height), then {object}[y * (pitch / sizeof(float)) + x]", "coalescing"),
    "array-of-structures": Rule(
        "array of structures",
        "neighbouring lanes are one structure apart, and each access takes one field of it",
        "one array per field",
        "__global float *{object}_x, *{object}_y instead of __global struct P *{object}",
        "float *{object}_x, *{object}_y instead of struct P *{object}; or load whole structures through __shared__", "sectors"),
    "unsorted-index": Rule(
        "unsorted index",
        "an index array decides which elements the lanes access, and neighbouring lanes get distant ones",
        "sort {object}, and what goes with it",
        "sort {object} by its values once on the host, with the arrays that go with it; results come in that order",
        "thrust::sort_by_key({object}, {object} + n, values), or cub::DeviceRadixSort, once before the kernel", "coalescing"),
    "wide-loads": Rule(
        "narrow neighbouring loads",
        "a work-item loads neighbouring elements one by one",
        "load them at once (float4)",
        "float4 v = vload4(0, {object} + 4 * i); or a __global float4 *{object}", "float4 v = reinterpret_cast<const float4*>({object})[i];",
        "sectors", "a6000/softmax_online → softmax_online_float4; a6000/softmax_shared_row → softmax_shared_row_float4"),
    "column-wise": Rule(
        "column-wise",
        "neighbouring lanes are one row apart: the warp walks down a column",
        "walk along rows, or use a local tile",
        "swap get_global_id(0) and get_global_id(1); or: tile[ly][lx] = {object}[row]; barrier(CLK_LOCAL_MEM_FENCE); … tile[lx][ly]",
        "swap threadIdx.x and threadIdx.y; or: tile[ty][tx] = {object}[row]; __syncthreads(); … tile[tx][ty]", "coalescing",
        "rtx3070/column_sums, row_sums; rtx3070/transpose_strided_load, transpose_tile_load; a100/sgemm_uncoalesced → sgemm_coalesced"),
    "narrow-groups": Rule(
        "",
        "work-groups are narrower than a warp, so that a request reaches into several rows",
        "make work-groups as wide as a warp",
        "size_t local[2] = {32, 8}; clEnqueueNDRangeKernel(…, local, …)", "kernel<<<grid, dim3(32, 8)>>>(…)", "coalescing",
        "gtx1070/transpose, rtx2080/transpose (block_x)"),
    "work-group-size": Rule(
        "",
        "the size of the work-groups leaves cores or warps without work",
        "change the size of the work-groups",
        "clEnqueueNDRangeKernel with another local size", "another dim3 for the block, and as many more or fewer blocks", "occupancy",
        "gtx1070/transpose, rtx2080/transpose (block_y); rtx2080/conv7x7 (block_x)"),
    "set-conflicts": Rule(
        "",
        "rows are a power of two apart, so that a column falls into few sets of the L1",
        "pad its rows by a line",
        "allocate {object} with a pitch of width + 32 floats", "cudaMalloc with a pitch of width + 32 floats", "miss-classes",
        "gt630/matrix_sum, gtxtitan/matrix_sum (sizes around powers of two)"),
    "group-order": Rule(
        "reuse lost to the order of work-groups",
        "work-groups that share data run too far from each other in time",
        "start the work-groups tile by tile",
        "compute the tile from get_group_id(0) + get_group_id(1) * get_num_groups(0) instead of using the ids as they are",
        "compute the tile from blockIdx.x + blockIdx.y * gridDim.x instead of using blockIdx as it is", "warp-order",),
    "streams-evict": Rule(
        "evicted by what is read once",
        "data that is read once takes the place of data that is read again",
        "keep {object} out of the L1",
        "no portable way: a vendor's builtin for streaming loads (volatile also keeps the compiler from moving them)", "__ldcg(&{object}[i]) or __ldcs(&{object}[i])",
        "miss-classes"),
    "stores-allocate": Rule(
        "evicted by what is stored",
        "stores take the place of data that is read again",
        "keep stores to {object} out of the L1",
        "__builtin_nontemporal_store(value, &{object}[i]), where the vendor's compiler has it", "__stcg(&{object}[i], value)", "miss-classes"),
    "stores-evict": Rule(
        "",
        "stores remove lines of the L1 that other fields of the same structures are loaded from",
        "stored fields in their own array",
        "__global float *{object}_in, *{object}_out instead of one struct", "float *{object}_in, *{object}_out instead of one struct",
        "miss-classes"),
    "read-only": Rule(
        "",
        "this L1 takes only loads that are marked read-only, and nothing writes to {object}",
        "mark {object} as read-only",
        "__global const float* restrict {object}; a source that says so already is simulated by --readonly", "const float* __restrict__ {object}; or __ldg(&{object}[i])",
        "miss-classes"),
    "carve-out": Rule(
        "",
        "local memory takes more of the memory that it shares with the L1 than the launch needs",
        "leave more memory to the L1",
        "ask for less local memory per work-group", "cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent)",
        "miss-classes", "a100/working_set (44 sizes)"),
    "occupancy": Rule(
        "",
        "too few warps to cover the latency, and one resource limits them (what a compiler spills with fewer registers is not simulated)",
        "use fewer of them",
        "__attribute__((reqd_work_group_size(…))), fewer live values, -cl-nv-maxrregcount=N",
        "__launch_bounds__(threads, blocks), fewer live values, -maxrregcount=N", "occupancy"),
}


def _hip(words):
    """What is said of CUDA, for AMD's GPUs: HIP has the same functions, but not nvcc's options."""
    return words.replace("cuda", "hip").replace(", -maxrregcount=N", ", __attribute__((amdgpu_waves_per_eu(N)))")


def told(proposal, amd=False):
    """The texts of a proposal as JSON. `amd`: for a GPU of AMD's; `cuda` is then about HIP."""
    rule = RULES[proposal.rule]
    access = proposal.finding.access
    name = access.buffers[0] if access and access.buffers else "the array"
    changed = proposal.words[1].split("=")[0] if proposal.rule in ("streams-evict", "stores-allocate", "unsorted-index") else name

    def text(words):
        return words.replace("{object}", changed)

    opencl, cuda = (rule.opencl.replace(", -cl-nv-maxrregcount=N", ""), _hip(rule.cuda)) if amd else (rule.opencl, rule.cuda)
    return {"title": rule.title, "condition": text(rule.condition), "remedy": text(rule.remedy), "opencl": text(opencl), "cuda": text(cuda),
            "page": f"docs/concepts/{rule.page}.md", "hardware": (not amd and rule.pairs) or NOT_CHECKED}
