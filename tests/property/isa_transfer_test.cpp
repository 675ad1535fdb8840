// SPDX-License-Identifier: Apache-2.0
// TPUT and TGET of random boxes through random stages: the sequence against a literal rendering of
// the sliding rules, the bytes against a plain copy, the overlap against the rules of each form.
#include <cstring>

#include <gtest/gtest.h>

#include "isa/hazard.hpp"
#include "isa/memory.hpp"
#include "isa/transfer_plan.hpp"
#include "isa/validate.hpp"
#include "property/isa_boxes.hpp"
#include "property/isa_reference.hpp"
#include "unit/isa/operands.hpp"
#include "unit/isa/vector_port.hpp"

namespace a2a3::isa::isa_transfer_test {
namespace {

using reference::Random;

constexpr std::size_t kGmBytes = 1 << 15;
constexpr std::size_t kUbBytes = 1 << 14;

struct Transfer {
  bool put = true;
  GmBox src;
  GmBox dst;
  Tile stage;
  std::optional<Tile> stage2;
  bool atomic_add = false;

  [[nodiscard]] TransferPlan plan() const {
    return put ? TransferPlan(TPut{dst, src, stage, stage2, atomic_add})
               : TransferPlan(TGet{dst, src, stage, stage2});
  }
  [[nodiscard]] Operation operation() const {
    if (put) return TPut{dst, src, stage, stage2, atomic_add};
    return TGet{dst, src, stage, stage2};
  }
};

/// Shape and stage with a chunk count about the limits of intra-tile ping-pong.
void aim_at_ping_pong(Random& random, Transfer& transfer) {
  const std::int64_t rows = 2 * random.in(1, 2);
  const std::int64_t cols = random.in(1, 6);
  const std::int64_t across = random.in(1, 3);
  const std::int64_t down = random.in(6, 18) / across;
  transfer.src.shape = {1, 1, 1, rows * down, cols * across};
  if (random.chance(30)) transfer.src.shape[3] -= random.in(0, rows - 1);
  if (random.chance(30)) transfer.src.shape[4] -= random.in(0, cols - 1);
  transfer.src = reference::random_strides(random, transfer.src);
  transfer.stage = tile_at(64, transfer.src.dtype, static_cast<std::int32_t>(rows),
                           static_cast<std::int32_t>(cols));
  if (random.chance(10)) transfer.stage.cols += 1;
  if (random.chance(10)) transfer.stage.rows += 2;
  if (random.chance(10)) transfer.stage.layout = TileLayout::col_major;
}

Transfer random_transfer(Random& random) {
  const std::vector<DType> dtypes{DType::fp32,  DType::fp16,  DType::bf16,
                                  DType::int32, DType::int16, DType::int8};
  Transfer transfer;
  transfer.put = random.chance(50);
  const DType dtype = random.of(dtypes);
  transfer.src = reference::random_box(random, dtype, 6, 40);
  if (random.chance(3)) transfer.src.shape[static_cast<std::size_t>(random.in(0, 4))] = 0;
  const bool ping_pong = random.chance(30);
  if (ping_pong) aim_at_ping_pong(random, transfer);
  transfer.dst = reference::random_strides(random, transfer.src);
  transfer.dst.base.device = (transfer.src.base.device + 1) % 3;
  transfer.atomic_add = transfer.put && random.chance(30);

  if (ping_pong) return transfer;

  const std::int64_t most_rows = std::max<std::int64_t>(transfer.src.rows(), 1);
  const std::int64_t most_cols = std::max<std::int64_t>(transfer.src.cols(), 1);
  const std::int64_t rows = random.chance(25) ? most_rows : random.in(1, std::min(most_rows, 8L));
  const std::int64_t cols = random.chance(40) ? most_cols : random.in(1, most_cols);
  transfer.stage = random.tile(dtype, 64, rows, cols, false);
  if (random.chance(10)) transfer.stage.valid_rows = static_cast<std::int32_t>(random.in(1, rows));
  if (random.chance(25)) {
    transfer.stage2 = transfer.stage;
    transfer.stage2->offset_bytes = kUbBytes / 2;
  }
  return transfer;
}

/// One expected step. Barriers have no box.
struct Step {
  enum Kind { load, store, barrier } kind = barrier;
  std::array<std::int64_t, kBoxDims> at{};  // first element of the box
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::uint32_t stage_offset = 0;
};

/// transfers.md, rendered with loops and a list.
class Expected {
 public:
  explicit Expected(const Transfer& t) : t_(t), shape_(t.src.shape) {
    step(Step::barrier);
    if (t.src.elements() > 0) body();
    step(Step::barrier);
  }
  std::vector<Step> steps;
  std::int64_t chunks = 0;
  bool halves = false;

 private:
  struct Chunk {
    std::array<std::int64_t, kBoxDims> at;
    std::int64_t h;
    std::int64_t w;
  };

  void step(Step::Kind kind, const Chunk& chunk = {}, std::uint32_t offset = 0) {
    steps.push_back({kind, chunk.at, chunk.h, chunk.w, offset});
  }

  void body() {
    const std::int64_t total_rows = shape_[0] * shape_[1] * shape_[2] * shape_[3];
    const std::int64_t r = t_.stage.valid_rows;
    const std::int64_t c = t_.stage.valid_cols;
    if (total_rows <= r && shape_[4] <= c) {
      chunks = 1;
      const Chunk all{{}, total_rows, shape_[4]};
      step(Step::load, all, t_.stage.offset_bytes);
      if (!t_.put || t_.stage2) step(Step::barrier);
      return step(Step::store, all, t_.stage.offset_bytes);
    }
    std::vector<Chunk> list;
    for (std::int64_t i0 = 0; i0 < shape_[0]; ++i0)
      for (std::int64_t i1 = 0; i1 < shape_[1]; ++i1)
        for (std::int64_t i2 = 0; i2 < shape_[2]; ++i2)
          for (std::int64_t y = 0; y < shape_[3]; y += r)
            for (std::int64_t x = 0; x < shape_[4]; x += c)
              list.push_back(
                  {{i0, i1, i2, y, x}, std::min(r, shape_[3] - y), std::min(c, shape_[4] - x)});
    chunks = static_cast<std::int64_t>(list.size());
    if (t_.stage2) return two_tiles(list);
    halves = t_.stage.layout == TileLayout::row_major && t_.stage.rows % 2 == 0 &&
             r == t_.stage.rows && c == t_.stage.cols && chunks >= 8 && (!t_.put || chunks <= 16);
    for (const Chunk& chunk : list)
      if (halves && chunk.h == r && chunk.w == c)
        two_halves(chunk);
      else
        serial(chunk, t_.stage.offset_bytes);
  }

  void serial(const Chunk& chunk, std::uint32_t offset) {
    step(Step::load, chunk, offset);
    step(Step::barrier);
    step(Step::store, chunk, offset);
  }

  void two_halves(Chunk chunk) {
    chunk.h /= 2;
    serial(chunk, t_.stage.offset_bytes);
    chunk.at[3] += chunk.h;
    serial(chunk, t_.stage.offset_bytes +
                      static_cast<std::uint32_t>(chunk.h * chunk.w * size_of(t_.stage.dtype)));
  }

  void two_tiles(const std::vector<Chunk>& list) {
    const std::array offsets{t_.stage.offset_bytes, t_.stage2->offset_bytes};
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) {
        step(Step::barrier);
        step(Step::store, list[i - 1], offsets[(i - 1) % 2]);
      }
      step(Step::load, list[i], offsets[i % 2]);
    }
    step(Step::barrier);
    step(Step::store, list.back(), offsets[(list.size() - 1) % 2]);
  }

  const Transfer& t_;
  std::array<std::int64_t, kBoxDims> shape_;
};

std::uint64_t address_of(const GmBox& box, const std::array<std::int64_t, kBoxDims>& at) {
  std::int64_t element = 0;
  for (std::size_t d = 0; d < kBoxDims; ++d)
    element += at[d] * box.stride[d];
  return box.base.offset_bytes + static_cast<std::uint64_t>(element * size_of(box.dtype));
}

void expect_step(const Transfer& t, const Step& expected, const Operation& actual) {
  if (expected.kind == Step::barrier) {
    ASSERT_TRUE(std::holds_alternative<PipeBarrier>(actual)) << mnemonic(actual);
    return;
  }
  const bool loads = expected.kind == Step::load;
  ASSERT_STREQ(mnemonic(actual), loads ? "TLOAD" : "TSTORE");
  const GmBox& box = loads ? std::get<TLoad>(actual).src : std::get<TStore>(actual).dst;
  const Tile& tile = loads ? std::get<TLoad>(actual).dst : std::get<TStore>(actual).src;
  const GmBox& whole = loads ? t.src : t.dst;
  EXPECT_EQ(
      loads ? std::get<TLoad>(actual).peer_addressed : std::get<TStore>(actual).peer_addressed,
      loads != t.put);
  if (!loads) {
    EXPECT_EQ(std::get<TStore>(actual).atomic_add, t.atomic_add);
  }
  EXPECT_EQ(box.base.device, whole.base.device);
  EXPECT_EQ(box.base.offset_bytes, address_of(whole, expected.at));
  EXPECT_EQ(box.rows(), expected.rows);
  EXPECT_EQ(box.cols(), expected.cols);
  EXPECT_EQ(tile.valid_rows, expected.rows);
  EXPECT_EQ(tile.valid_cols, expected.cols);
  EXPECT_EQ(tile.offset_bytes, expected.stage_offset);
  EXPECT_EQ(tile.layout, t.stage.layout);
}

TEST(IsaTransfer, SequenceFollowsTheSlidingRules) {
  Random random(20260831);
  std::array<int, 5> forms{};
  const std::vector<std::uint64_t> sizes(3, kGmBytes);
  for (int round = 0; round < 6000; ++round) {
    const Transfer transfer = random_transfer(random);
    const Expected expected(transfer);
    TransferPlan plan = transfer.plan();
    ++forms[static_cast<std::size_t>(plan.form())];
    ASSERT_EQ(plan.form() == TransferForm::intra_tile_ping_pong, expected.halves);
    ASSERT_EQ(plan.chunks(), expected.chunks);

    const bool halves_aligned =
        transfer.stage.bytes() / 2 % static_cast<std::int64_t>(kTileAlignment) == 0;
    const TransferCounts counts = plan.counts();
    TransferCounts counted;
    Operation step;
    for (std::size_t i = 0; plan.next(step); ++i) {
      ASSERT_LT(i, expected.steps.size()) << "round " << round;
      ASSERT_NO_FATAL_FAILURE(expect_step(transfer, expected.steps[i], step));
      if (!expected.halves || halves_aligned) {
        ASSERT_EQ(validate(step, {kUbBytes, 0, sizes}), std::nullopt) << "round " << round;
      }
      counted.loads += std::holds_alternative<TLoad>(step);
      counted.stores += std::holds_alternative<TStore>(step);
      counted.barriers += std::holds_alternative<PipeBarrier>(step);
      ASSERT_FALSE(HasFailure()) << "round " << round << " step " << i;
    }
    ASSERT_FALSE(plan.next(step));
    ASSERT_EQ(counts, counted) << "round " << round;
    ASSERT_EQ(counted.loads + counted.stores + counted.barriers,
              static_cast<std::int64_t>(expected.steps.size()));
  }
  for (const int seen : forms)
    EXPECT_GT(seen, 50) << "a form is hardly covered";
}

TEST(IsaTransfer, BytesAreThoseOfOneCopy) {
  Random random(20260832);
  for (int round = 0; round < 2000; ++round) {
    const Transfer transfer = random_transfer(random);
    const DType dtype = transfer.src.dtype;
    const auto size = static_cast<std::size_t>(size_of(dtype));
    VectorPort gm(3, kGmBytes);
    for (std::size_t at = 0; at < gm.gm[0].size() / 2; at += size)
      reference::encode(dtype, static_cast<reference::Number>(random.in(-60, 60)), RoundMode::rint,
                        &gm.gm[0][at]);
    for (std::size_t device = 1; device < gm.gm.size(); ++device)  // the same, shifted
      std::copy_n(gm.gm[0].begin(), gm.gm[0].size() / 2,
                  &gm.gm[device][static_cast<std::size_t>(random.in(1, 50)) * size]);
    auto expected = gm.gm;
    std::vector<std::size_t> from;
    reference::for_each_element(transfer.src,
                                [&](auto, auto, std::size_t byte) { from.push_back(byte); });
    std::size_t next = 0;
    std::vector<std::byte>& target = expected[transfer.dst.base.device];
    reference::for_each_element(transfer.dst, [&](auto, auto, std::size_t byte) {
      const std::byte* element = &gm.gm[transfer.src.base.device][from[next++]];
      reference::Number value = reference::decode(dtype, element);
      if (transfer.atomic_add) value += reference::decode(dtype, &target[byte]);
      reference::encode(dtype, value, RoundMode::rint, &target[byte]);
    });
    std::vector<std::byte> ub(kUbBytes);
    execute(transfer.operation(), ub, gm);
    ASSERT_EQ(gm.gm, expected) << "round " << round;
    for (std::size_t at = 0; at < 64; ++at)
      ASSERT_EQ(ub[at], std::byte{0});
  }
}

TEST(IsaTransfer, ChunksCoverTheBoxExactlyOnce) {
  Random random(20260833);
  for (int round = 0; round < 3000; ++round) {
    const Transfer transfer = random_transfer(random);
    TransferPlan plan = transfer.plan();
    std::vector<int> read(kGmBytes);
    std::vector<int> written(kGmBytes);
    const auto mark = [](std::vector<int>& counts, const GmBox& box) {
      reference::for_each_element(box, [&](auto, auto, std::size_t byte) { ++counts[byte]; });
    };
    Operation step;
    while (plan.next(step)) {
      if (const auto* load = std::get_if<TLoad>(&step)) mark(read, load->src);
      if (const auto* store = std::get_if<TStore>(&step)) mark(written, store->dst);
    }
    std::vector<int> once_read(kGmBytes);
    std::vector<int> once_written(kGmBytes);
    mark(once_read, transfer.src);
    mark(once_written, transfer.dst);
    ASSERT_EQ(read, once_read) << "round " << round;
    ASSERT_EQ(written, once_written) << "round " << round;
  }
}

bool depends(const Operation& later, const Operation& earlier) {
  const ByteRanges a = operand_ranges(later);
  const ByteRanges b = operand_ranges(earlier);
  for (int i = 0; i < a.count; ++i)
    for (int j = 0; j < b.count; ++j)
      if (a.range[static_cast<std::size_t>(i)].conflicts_with(b.range[static_cast<std::size_t>(j)]))
        return true;
  return false;
}

// A load may overlap the store before it exactly when that store left from other stage bytes:
// between the halves of one full chunk, and between the chunks of the two-tile form.
TEST(IsaTransfer, LoadsOverlapStoresOnlyWhereTheFormSaysSo) {
  Random random(20260834);
  int overlaps = 0;
  for (int round = 0; round < 3000; ++round) {
    const Transfer transfer = random_transfer(random);
    TransferPlan plan = transfer.plan();
    const TransferForm form = plan.form();
    std::vector<Operation> loads;
    std::vector<Operation> stores;
    Operation step;
    while (plan.next(step)) {
      if (std::holds_alternative<TLoad>(step)) loads.push_back(step);
      if (std::holds_alternative<TStore>(step)) stores.push_back(step);
    }
    for (std::size_t i = 0; i < loads.size(); ++i) {
      ASSERT_TRUE(depends(stores[i], loads[i])) << "round " << round;
      if (i == 0) continue;
      const bool next_half =
          form == TransferForm::intra_tile_ping_pong &&
          std::get<TLoad>(loads[i]).dst.offset_bytes != transfer.stage.offset_bytes;
      const bool overlaps_store = next_half || form == TransferForm::two_tile_ping_pong;
      ASSERT_EQ(depends(loads[i], stores[i - 1]), !overlaps_store)
          << "round " << round << " piece " << i;
      overlaps += overlaps_store;
    }
  }
  EXPECT_GT(overlaps, 1000);
}

}  // namespace
}  // namespace a2a3::isa::isa_transfer_test
