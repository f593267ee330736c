// Reductions in bulk, and of single values that report to a barrier of another work-group.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

#define REDUCE(how, to, bytes) \
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." how " [%0], [%1], " bytes ";" ::"l"(to), "r"(from) : "memory")

// memory: 16 words of what is reduced, then the same for each kind.
extern "C" __global__ void in_bulk(const unsigned* in, unsigned* memory) {
  __shared__ __align__(128) unsigned box[16];
  if (threadIdx.x < 16) box[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x != 0) return;
  asm volatile("fence.proxy.async;");
  const unsigned from = (unsigned)__cvta_generic_to_shared(box);
  REDUCE("add.u32", memory, "64");
  REDUCE("min.s32", memory + 16, "64");
  REDUCE("max.u64", memory + 32, "64");
  REDUCE("xor.b32", memory + 48, "64");
  REDUCE("inc.u32", memory + 64, "64");
  REDUCE("add.f32", memory + 80, "64");
  REDUCE("add.f64", memory + 96, "64");
  REDUCE("add.noftz.f16", memory + 112, "64");
  REDUCE("max.bf16", memory + 128, "32");
  asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}

// out: what the second work-group of the cluster has after the first one has added to it.
extern "C" __global__ void __cluster_dims__(2, 1, 1) to_other(unsigned* out) {
  __shared__ __align__(128) unsigned box[64];
  __shared__ __align__(8) unsigned long long barrier;
  const auto cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank(), t = threadIdx.x;
  const unsigned own = (unsigned)__cvta_generic_to_shared(box), own_barrier = (unsigned)__cvta_generic_to_shared(&barrier);
  box[t] = rank == 0 ? 7 * t : 1000;
  if (t == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(own_barrier));
    if (rank == 1) asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 384;" ::"r"(own_barrier));
  }
  cluster.sync();
  if (rank == 0) {
    unsigned there, at;
    asm("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(there) : "r"(own));
    asm("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(at) : "r"(own_barrier));
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(there + 4 * t), "r"(t * t), "r"(at) : "memory");
    if (t == 0) {
      asm volatile("fence.proxy.async;");
      asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%0], [%1], 128, [%2];" ::"r"(there), "r"(own), "r"(at) : "memory");
    }
  } else {
    asm volatile("{\n.reg .pred p;\nL:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra L;\n}" ::"r"(own_barrier) : "memory");
    out[t] = box[t];
  }
  cluster.sync();
}
