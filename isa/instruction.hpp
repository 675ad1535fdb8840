// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "isa/async_transfer.hpp"
#include "isa/operand.hpp"

namespace a2a3::isa {

/// Copies the box `src` into the valid box of `dst` (row r, column c of the tile = element r, c of
/// the flattened box). A remote load when src.base.device is not the core's own device.
/// `peer_addressed` tells remote_load with peer == own rank (counted as a local transfer) from a
/// plain load. The last `padding_cols` columns of the box are no data: they are read only to fill a
/// block of kBlockBytes.
struct TLoad {
  GmBox src;
  Tile dst;
  bool peer_addressed = false;
  std::int64_t padding_cols = 0;
};

/// Copies the valid box of `src` to `dst`; with `atomic_add` the memory adds instead of
/// overwriting.
struct TStore {
  Tile src;
  GmBox dst;
  bool atomic_add = false;
  bool peer_addressed = false;  ///< as in TLoad
};

/// Remote write: own `src` -> `stage` -> `dst` on the peer, in the chunk order of TransferPlan.
struct TPut {
  GmBox dst;
  GmBox src;
  Tile stage;
  std::optional<Tile> stage2;
  bool atomic_add = false;
};

/// Remote read: peer's `src` -> `stage` -> own `dst`, in the chunk order of TransferPlan.
struct TGet {
  GmBox dst;
  GmBox src;
  Tile stage;
  std::optional<Tile> stage2;
};

enum class NotifyOp : std::uint8_t { atomic_add, set };
enum class WaitCmp : std::uint8_t { eq, ge };

/// Signals an int32 cell, on a peer or on the own device, once everything this core issued before
/// is complete (release).
struct TNotify {
  GlobalAddress cell;
  std::int32_t value = 0;
  NotifyOp op = NotifyOp::atomic_add;
};

/// Sum and difference of values of cells, which wrap around.
[[nodiscard]] constexpr std::int32_t cell_sum(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}
[[nodiscard]] constexpr std::int32_t cell_difference(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
}

/// Blocks the core until its own cell compares true with `expected` (signed), then acquires.
struct TWait {
  GlobalAddress cell;
  std::int32_t expected = 0;
  WaitCmp cmp = WaitCmp::ge;
};

/// Makes it a condition of the running task's completion that the own cell is at least `expected`,
/// both unsigned. The core goes on; what waits for the task starts when all its conditions have
/// held.
struct TDeferWait {
  GlobalAddress cell;
  std::int32_t expected = 0;
};

[[nodiscard]] constexpr bool condition_holds(const TWait& wait, std::int32_t value) {
  return wait.cmp == WaitCmp::eq ? value == wait.expected : value >= wait.expected;
}
/// Unsigned, as the task scheduler compares.
[[nodiscard]] constexpr bool condition_holds(const TDeferWait& condition, std::int32_t value) {
  return static_cast<std::uint32_t>(value) >= static_cast<std::uint32_t>(condition.expected);
}

enum class BinaryOp : std::uint8_t { add, sub, mul, div, maximum, minimum };

/// dst = lhs op rhs on the valid box of lhs. A dimension of rhs that is 1 is broadcast. fp16 and
/// bf16 are computed in fp32 and rounded once, to nearest even. Integers wrap around; their
/// division truncates towards zero and gives 0 for x / 0. maximum and minimum give NaN when an
/// operand is NaN.
struct TBinary {
  BinaryOp op = BinaryOp::add;
  Tile lhs;
  Tile rhs;
  Tile dst;
};

/// dst = src op scalar on the valid box; the scalar is first converted to the tile's dtype.
/// With `scalar_first` the operands are exchanged (scalar op src).
struct TBinaryScalar {
  BinaryOp op = BinaryOp::add;
  Tile src;
  Scalar scalar;
  Tile dst;
  bool scalar_first = false;
};

enum class UnaryOp : std::uint8_t { exp, ln, sqrt, relu };

/// dst = op(src) on the valid box of src: fp32, or fp16 and bf16 computed in fp32 and rounded once,
/// to nearest even; relu takes int32, too. Outside of an op's domain the result is that of IEEE
/// 754: sqrt(-1) and ln(-1) are NaN, ln(0) is minus infinity.
struct TUnary {
  UnaryOp op = UnaryOp::exp;
  Tile src;
  Tile dst;
};

enum class RoundMode : std::uint8_t { none, rint, round, floor, ceil, trunc, odd };

/// dst = convert(src) on the valid box of src. `mode` says how a value that the target type lacks
/// is rounded: to an integer, or to the precision of a narrower float. `none` is rint then.
/// Integers saturate.
struct TCast {
  Tile src;
  Tile dst;
  RoundMode mode = RoundMode::round;
};

/// Fills the whole physical tile with one value, or with `padding_only` what lies outside of the
/// valid box.
struct TFill {
  Tile dst;
  Scalar value;
  bool padding_only = false;
};

/// Copies a box between two tiles of one core: element (r, c) of the box comes from
/// (src_row + r, src_col + c) of `src` and goes to (dst_row + r, dst_col + c) of `dst`. In the
/// unified buffer this is a slice of a tile (TEXTRACT) or, with `insert`, a write into one
/// (TINSERT); from L1 into L0A or L0B it feeds the cube (TMOV).
struct TMove {
  Tile src;
  Tile dst;
  std::int32_t src_row = 0;
  std::int32_t src_col = 0;
  std::int32_t dst_row = 0;
  std::int32_t dst_col = 0;
  std::int32_t rows = 0;
  std::int32_t cols = 0;
  bool insert = false;
};

/// Column 0 of `dst`, one element per valid row of `src`, becomes the sum of the row's valid
/// elements, added from the first to the last one (fp16 and bf16 in fp32, rounded once; integers
/// wrap around). `tmp` is scratch space that the device's tree of partial sums needs.
struct TRowSum {
  Tile src;
  Tile tmp;
  Tile dst;
};

/// dst = lhs * rhs on the valid boxes: lhs in L0A, rhs in L0B, dst in L0C. Floats are multiplied
/// and accumulated in fp32, int8 in int32 (which wraps around), in the order of the inner index.
struct TMatmul {
  Tile lhs;
  Tile rhs;
  Tile dst;
};

/// Reads one element into `result` before the source's next `next()`. Exactly one of `gm`, `tile`
/// addresses it.
struct ScalarRead {
  std::optional<GlobalAddress> gm;
  std::optional<Tile> tile;  ///< a 1 x 1 view of the element
  DType dtype = DType::int32;
  Scalar* result = nullptr;
  Tile viewed = {};  ///< what `tile` is an element of: who reports it names its place there
};

/// Writes one element: of value.dtype at `gm`, or of the tile's dtype.
struct ScalarWrite {
  std::optional<GlobalAddress> gm;
  std::optional<Tile> tile;
  Scalar value;
};

/// Waits until every pipe of the core is empty and all its transfers are complete; asynchronous
/// ones are not its business.
struct PipeBarrier {
  bool after_flag = false;  ///< a flag between two pipes is waited for first, which costs its time
};

/// Marks the start of a task (one kernel launched on this core by the orchestration).
struct TaskBegin {
  std::uint32_t task = 0;
};
struct TaskEnd {
  std::uint32_t task = 0;
};

using Operation =
    std::variant<TLoad, TStore, TPut, TGet, TNotify, TWait, TDeferWait, TBinary, TBinaryScalar,
                 TUnary, TCast, TFill, TMove, TRowSum, TMatmul, ScalarRead, ScalarWrite,
                 PipeBarrier, TaskBegin, TaskEnd, TPutAsync, TGetAsync, TWaitEvent>;

/// Opaque handle of a source position; only the instruction source can turn it back into file, line
/// and column.
using SourceId = std::uint32_t;

/// What a core executes. `scalar_ops` counts the scalar-unit operations (address arithmetic,
/// compares, jumps) that precede it in program order, which the timing model charges to the scalar
/// unit.
struct Instruction {
  Operation operation;
  SourceId source = 0;
  std::uint32_t scalar_ops = 0;
  std::span<const Tile> created = {};  ///< tiles that exist from here on, with nothing in them
};

/// The mnemonic of an operation, for example "TLOAD".
[[nodiscard]] const char* mnemonic(const Operation& operation);

}  // namespace a2a3::isa
