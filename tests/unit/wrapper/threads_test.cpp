// The threads of a block as kernels use them, with functions of the test in place of compiled kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "wrapper/threads/block.h"

namespace warpscope::threads {
namespace {

/// What a test's thread writes; the frame is the first member, as the code of a kernel finds its arguments.
struct Frame {
  WarpscopeThreadFrameV1 header{{0, 0, 0}, {1, 1, 1}, {64, 1, 1}, {0, 0, 0}, 1};
  std::vector<std::uint64_t> out = std::vector<std::uint64_t>(64);
  std::vector<std::uint32_t> order;
  volatile std::uint32_t flag = 0;
};

Frame& frame_of(WarpscopeThreadFrameV1* header) {
  return *reinterpret_cast<Frame*>(header);
}

std::uint32_t rank_of(const WarpscopeThreadV1* self) {
  return static_cast<std::uint32_t>(self->local_id[0]);
}

Block::End run(Frame& frame, ThreadFunction function) {
  StackPool stacks(/*guarded=*/true);
  return Block(function, frame.header, 0, stacks).run();
}

TEST(Threads, KnowWhereTheyAre) {
  Frame frame;
  frame.header.local_size[0] = 4;
  frame.header.local_size[1] = 2;
  frame.header.local_size[2] = 8;
  run(frame, [](WarpscopeThreadFrameV1* header, WarpscopeThreadV1* self) {
    const std::uint64_t* id = self->local_id;
    frame_of(header).out[id[0] + 4 * (id[1] + 2 * id[2])] = 100 * id[2] + 10 * id[1] + id[0];
  });
  EXPECT_EQ(frame.out[0], 0u);
  EXPECT_EQ(frame.out[7], 13u);
  EXPECT_EQ(frame.out[63], 713u);
}

TEST(Threads, NoneIsBehindABarrierBeforeAllAreThere) {
  Frame frame;
  run(frame, [](WarpscopeThreadFrameV1* header, WarpscopeThreadV1* self) {
    Frame& in = frame_of(header);
    if (rank_of(self) == 5) return;  // who has ended is not waited for
    in.order.push_back(0);
    self->calls->barrier();
    in.order.push_back(1);
  });
  ASSERT_EQ(frame.order.size(), 126u);
  EXPECT_TRUE(std::is_sorted(frame.order.begin(), frame.order.end()));
}

TEST(Threads, BarriersCount) {
  Frame frame;
  run(frame, [](WarpscopeThreadFrameV1* header, WarpscopeThreadV1* self) {
    const std::uint32_t rank = rank_of(self);
    const std::uint32_t odd = self->calls->barrier_count(rank % 2),
                        few = self->calls->barrier_count(rank < 3);
    frame_of(header).out[rank] = 100 * odd + few;
  });
  EXPECT_EQ(frame.out, std::vector<std::uint64_t>(64, 3203));
}

TEST(Threads, ShuffleByAMaskAlthoughOthersComeLater) {
  Frame frame;
  run(frame, [](WarpscopeThreadFrameV1* header, WarpscopeThreadV1* self) {
    const std::uint32_t rank = rank_of(self), lane = rank % 32;
    if (lane % 2 == 1) self->calls->barrier_count(0);  // comes only when the even lanes are there as well
    const std::uint32_t mask = lane % 2 == 1 ? 0xaaaaaaaa : 0x55555555;
    frame_of(header).out[rank] = self->calls->exchange(WARPSCOPE_SHUFFLE, mask, rank, lane ^ 2);
    if (lane % 2 == 0) self->calls->barrier_count(0);
  });
  for (std::uint32_t rank = 0; rank < 64; ++rank) EXPECT_EQ(frame.out[rank], rank ^ 2) << rank;
}

TEST(Threads, AShuffleFromALaneThatHasEndedGivesTheOwnValue) {
  Frame frame;
  run(frame, [](WarpscopeThreadFrameV1* header, WarpscopeThreadV1* self) {
    if (rank_of(self) == 3) return;
    frame_of(header).out[rank_of(self)] =
        self->calls->exchange(WARPSCOPE_SHUFFLE, ~0u, 1000 + rank_of(self), 3);
  });
  EXPECT_EQ(frame.out[0], 1000u);
  EXPECT_EQ(frame.out[40], 1035u);  // the other warp has its lane 3
}

TEST(Threads, VotesAndReductionsAreOfThoseWhoTakePart) {
  Frame frame;
  run(frame, [](WarpscopeThreadFrameV1* header, WarpscopeThreadV1* self) {
    const std::uint32_t rank = rank_of(self);
    if (rank >= 8) return;
    const auto& calls = *self->calls;
    const std::uint64_t odd = calls.exchange(WARPSCOPE_BALLOT, 0xff, rank % 2, 0);
    const std::uint64_t same = calls.exchange(WARPSCOPE_MATCH, 0xff, rank / 4, 0);
    const std::uint64_t sum = calls.exchange(WARPSCOPE_ADD, 0xff, rank, 0);
    const std::uint64_t least = calls.exchange(WARPSCOPE_MIN_SIGNED, 0xff,
                                               static_cast<std::uint32_t>(-1 - static_cast<int>(rank)), 0);
    frame_of(header).out[rank] =
        odd == 0xaa && same == (rank < 4 ? 0x0fu : 0xf0u) && sum == 28 && least == 0xfffffff8 ? 1 : 0;
  });
  EXPECT_EQ(std::count(frame.out.begin(), frame.out.end(), 1u), 8);
}

TEST(Threads, WithoutAMaskThoseAtOnePlaceAreTogether) {
  Frame frame;
  run(frame, [](WarpscopeThreadFrameV1* header, WarpscopeThreadV1* self) {
    const std::uint32_t lane = rank_of(self) % 32;
    std::uint64_t& out = frame_of(header).out[rank_of(self)];
    if (lane < 10)
      out = self->calls->exchange(WARPSCOPE_BALLOT, 0, 1, 0);
    else
      out = self->calls->exchange(WARPSCOPE_BALLOT, 0, 1, 0) + 1;
  });
  EXPECT_EQ(frame.out[9], 0x3ffu);
  EXPECT_EQ(frame.out[42], 0xfffffc01u);
}

TEST(Threads, APollerLetsTheOneRunThatItWaitsFor) {
  Frame frame;
  run(frame, [](WarpscopeThreadFrameV1* header, WarpscopeThreadV1* self) {
    Frame& in = frame_of(header);
    if (rank_of(self) == 0) {
      while (in.flag == 0) self->calls->poll();
      in.out[0] = in.flag;
    } else if (rank_of(self) == 63) {
      // Waits for whoever comes, while lane 0 of the other warp polls.
      self->calls->exchange(WARPSCOPE_SYNC, 0, 0, 0);
      in.flag = 9;
    }
  });
  EXPECT_EQ(frame.out[0], 9u);
}

TEST(Threads, WhoWaitsForThreadsThatDoNotComeGoesOn) {
  Frame frame;
  run(frame, [](WarpscopeThreadFrameV1* header, WarpscopeThreadV1* self) {
    if (rank_of(self) < 32)
      self->calls->barrier();  // one side of a branch
    else
      self->calls->exchange(WARPSCOPE_SYNC, rank_of(self) < 48 ? ~0u : 1u, 0, 0);
    frame_of(header).out[rank_of(self)] = 1;
  });
  EXPECT_EQ(frame.out, std::vector<std::uint64_t>(64, 1));
}

TEST(Threads, ABlockStopsAtTheGridsBarrier) {
  Frame frame;
  StackPool stacks(/*guarded=*/false);
  Block block(
      [](WarpscopeThreadFrameV1* header, WarpscopeThreadV1* self) {
        self->calls->grid_barrier();
        frame_of(header).out[rank_of(self)] = 1;
      },
      frame.header, 0, stacks);
  EXPECT_EQ(block.run(), Block::End::AtGridBarrier);
  EXPECT_EQ(frame.out, std::vector<std::uint64_t>(64, 0));
  EXPECT_EQ(block.run(), Block::End::Done);
  EXPECT_EQ(frame.out, std::vector<std::uint64_t>(64, 1));
}

}  // namespace
}  // namespace warpscope::threads
