// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <variant>

#include "ir/node.hpp"
#include "ir/op.hpp"
#include "ir/ops/collective_parameters.hpp"
#include "ir/ops/rules.hpp"

namespace a2a3::ir {
namespace {

using Names = std::string_view;
using P = OpParameter;

constexpr std::uint8_t kKernel = static_cast<std::uint8_t>(Level::kernel);
constexpr std::uint8_t kChip = static_cast<std::uint8_t>(Level::chip);
constexpr std::uint8_t kHost = static_cast<std::uint8_t>(Level::host);
constexpr std::uint8_t kCollective = kKernel | kHost;
constexpr std::uint8_t kAnywhere = kKernel | kChip | kHost;

constexpr P required(Names name) {
  return {name, true, false, {}};
}
constexpr P required_keyword(Names name) {
  return {name, true, true, {}};
}
constexpr P optional(Names name, Names otherwise = "None") {
  return {name, false, false, otherwise};
}
constexpr P keyword(Names name, Names otherwise) {
  return {name, false, true, otherwise};
}

constexpr std::array<Names, 1> kLoadNames{"pl.tile.load"};
constexpr std::array<Names, 1> kStoreNames{"pl.tile.store"};
constexpr std::array<Names, 2> kAddNames{"pl.tile.add", "pl.tensor.add"};
constexpr std::array<Names, 2> kSubNames{"pl.tile.sub", "pl.tensor.sub"};
constexpr std::array<Names, 2> kMulNames{"pl.tile.mul", "pl.tensor.mul"};
constexpr std::array<Names, 2> kDivNames{"pl.tile.div", "pl.tensor.div"};
constexpr std::array<Names, 2> kMaximumNames{"pl.tile.maximum", "pl.tensor.maximum"};
constexpr std::array<Names, 2> kMinimumNames{"pl.tile.minimum", "pl.tensor.minimum"};
constexpr std::array<Names, 2> kCastNames{"pl.tile.cast", "pl.tensor.cast"};
constexpr std::array<Names, 2> kReadNames{"pl.tile.read", "pl.tensor.read"};
constexpr std::array<Names, 2> kWriteNames{"pl.tile.write", "pl.tensor.write"};
constexpr std::array<Names, 1> kCreateNames{"pl.create_tile"};
constexpr std::array<Names, 1> kFullNames{"pl.full"};
constexpr std::array<Names, 1> kSetValidShapeNames{"pl.set_validshape"};
constexpr std::array<Names, 1> kFillPadNames{"pl.fillpad"};
constexpr std::array<Names, 1> kCreateTensorNames{"pl.tensor.create"};
constexpr std::array<Names, 1> kContextNames{"pld.get_comm_ctx"};
constexpr std::array<Names, 1> kRankNames{"pld.rank"};
constexpr std::array<Names, 1> kNranksNames{"pld.nranks"};
constexpr std::array<Names, 1> kWorldSizeNames{"pld.world_size"};
constexpr std::array<Names, 1> kBlockIndexNames{"pl.get_block_idx"};
constexpr std::array<Names, 1> kBlockCountNames{"pl.get_block_num"};
constexpr std::array<Names, 1> kAllocNames{"pld.alloc_window_buffer"};
constexpr std::array<Names, 1> kWindowNames{"pld.window"};
constexpr std::array<Names, 1> kRemoteLoadNames{"pld.remote_load"};
constexpr std::array<Names, 2> kRemoteStoreNames{"pld.tensor.remote_store", "pld.remote_store"};
constexpr std::array<Names, 2> kSliceNames{"pl.tile.slice", "pl.tensor.slice"};
constexpr std::array<Names, 2> kAssembleNames{"pl.tile.assemble", "pl.tensor.assemble"};
constexpr std::array<Names, 1> kTileReshapeNames{"pl.tile.reshape"};
constexpr std::array<Names, 1> kRowSumNames{"pl.row_sum"};
constexpr std::array<Names, 1> kMoveNames{"pl.tile.move"};
constexpr std::array<Names, 1> kMatmulNames{"pl.tile.matmul"};

constexpr std::array kLoad{required("tensor"),
                           required("offsets"),
                           required("shapes"),
                           optional("valid_shape"),
                           optional("target_memory", "pl.MemorySpace.Vec"),
                           optional("clamp", "False")};
constexpr std::array kStore{required("tile"), required("offsets"), required("output_tensor"),
                            optional("shapes"), keyword("atomic", "pld.AtomicType.None_")};
constexpr std::array kTwo{required("a"), required("b")};
constexpr std::array kCast{required("x"), required("target_type"), optional("mode", "\"round\"")};
constexpr std::array kRead{required("src"), required("idx")};
constexpr std::array kWrite{required("dst"), required("idx"), required("value")};
constexpr std::array kCreate{required("shape"), required("dtype"),
                             optional("target_memory", "pl.MemorySpace.Vec")};
constexpr std::array kFull{required("shape"), required_keyword("dtype"), required_keyword("value")};
constexpr std::array kSetValidShape{required("tile"), required("valid_rows"),
                                    required("valid_cols")};
constexpr std::array kFillPad{required("tile"), optional("pad_value", "0")};
constexpr std::array kReshape{required("tensor"), required("shape")};
constexpr std::array kSlice{required("input"), required("shape"), required("offset"),
                            optional("valid_shape")};
constexpr std::array kAssemble{required("target"), required("source"), required("offset")};
constexpr std::array kTileReshape{required("input"), required("shape")};
constexpr std::array kRowSum{required("tile"), required("tmp")};
constexpr std::array kMove{required("tile"), required("target_memory")};
constexpr std::array kMatmul{required("lhs"), required("rhs")};
constexpr std::array kArrayCreate{required("n"), required("dtype")};
constexpr std::array kDim{required("tensor"), required("axis")};
constexpr std::array kCheckCount{required("count"), required("peer")};
constexpr std::array kCheckSignal{required("signal"), required("collective"), required("layout"),
                                  optional("elements", "0")};
constexpr std::array kCreateTensor{required("shape"), required_keyword("dtype")};
constexpr std::array kConst{required("value"), required("dtype")};
constexpr std::array kContext{required("tensor")};
constexpr std::array kRank{required("ctx")};
constexpr std::array kAlloc{required("size"), keyword("dtype", "None")};
constexpr std::array kWindow{required("buffer"), required("shape"), required_keyword("dtype")};
constexpr std::array kNotify{required("target"), required("peer"), required("offsets"),
                             required("value"), required_keyword("op")};
constexpr std::array kWait{required("signal"), required("offsets"), required("expected"),
                           required_keyword("cmp")};
constexpr std::array kRemoteLoad{required("target"), required("peer"), required("offsets"),
                                 required("shape"), optional("valid_shape")};
constexpr std::array kRemoteStore{required("src"), required("target"), required("peer"),
                                  required("offsets"), keyword("atomic", "pld.AtomicType.None_")};
constexpr std::array kPut{required("dst"),
                          required("peer"),
                          required("src"),
                          optional("dst_offsets"),
                          optional("src_offsets"),
                          optional("shape"),
                          keyword("atomic", "pld.AtomicType.None_"),
                          keyword("chunk_rows", "0"),
                          keyword("chunk_cols", "0"),
                          keyword("pipeline", "False")};
constexpr std::array kGet{required("dst"),
                          required("peer"),
                          required("src"),
                          optional("dst_offsets"),
                          optional("src_offsets"),
                          optional("shape"),
                          keyword("chunk_rows", "0"),
                          keyword("chunk_cols", "0"),
                          keyword("pipeline", "False")};
constexpr std::array kTilePut{
    required("dst"),         required("peer"),   required("src"),
    required("stage"),       optional("stage2"), optional("dst_offsets"),
    optional("src_offsets"), optional("shape"),  keyword("atomic", "pld.AtomicType.None_")};
constexpr std::array kTileGet{required("dst"),         required("peer"),   required("src"),
                              required("stage"),       optional("stage2"), optional("dst_offsets"),
                              optional("src_offsets"), optional("shape")};

// In the order of OpId.
constexpr std::array kTable{
    OpInfo{OpId::tile_load, "pl.load", kLoadNames, kLoad, kKernel, "TLOAD",
           "Copies a box of a tensor or of the own window slice into a tile.", rules::tile_load},
    OpInfo{OpId::tile_store, "pl.store", kStoreNames, kStore, kKernel, "TSTORE",
           "Copies a tile's valid box into a tensor or the own window slice.", rules::tile_store},
    OpInfo{OpId::add, "pl.add", kAddNames, kTwo, kAnywhere, "TADD, TADDS",
           "Elementwise or scalar sum.", rules::elementwise},
    OpInfo{OpId::sub, "pl.sub", kSubNames, kTwo, kAnywhere, "TSUB, TSUBS",
           "Elementwise or scalar difference.", rules::elementwise},
    OpInfo{OpId::mul, "pl.mul", kMulNames, kTwo, kAnywhere, "TMUL, TMULS",
           "Elementwise or scalar product.", rules::elementwise},
    OpInfo{OpId::div, "pl.div", kDivNames, kTwo, kAnywhere, "TDIV, TDIVS", "Elementwise quotient.",
           rules::elementwise},
    OpInfo{OpId::maximum, "pl.maximum", kMaximumNames, kTwo, kAnywhere, "TMAX, TMAXS",
           "Elementwise or scalar maximum.", rules::elementwise},
    OpInfo{OpId::minimum, "pl.minimum", kMinimumNames, kTwo, kAnywhere, "TMIN, TMINS",
           "Elementwise or scalar minimum.", rules::elementwise},
    OpInfo{OpId::scalar_min,
           "pl.min",
           {},
           kTwo,
           kAnywhere,
           "-",
           "Smaller of two integer scalars.",
           rules::scalar_extremum},
    OpInfo{OpId::scalar_max,
           "pl.max",
           {},
           kTwo,
           kAnywhere,
           "-",
           "Larger of two integer scalars.",
           rules::scalar_extremum},
    OpInfo{OpId::cast, "pl.cast", kCastNames, kCast, kKernel, "TCVT",
           "Converts a tile or a scalar to another dtype.", rules::cast},
    OpInfo{OpId::read, "pl.read", kReadNames, kRead, kKernel, "scalar load",
           "Reads one element of a tensor, window or tile.", rules::read},
    OpInfo{OpId::write, "pl.write", kWriteNames, kWrite, kKernel, "scalar store",
           "Writes one element of a tensor, window or tile.", rules::write},
    OpInfo{OpId::tile_create, "pl.tile.create", kCreateNames, kCreate, kKernel, "-",
           "Allocates a tile with undefined contents.", rules::tile_create},
    OpInfo{OpId::tile_full, "pl.tile.full", kFullNames, kFull, kKernel, "TEXPANDS",
           "Allocates a tile filled with one value.", rules::tile_full},
    OpInfo{OpId::tile_set_validshape, "pl.tile.set_validshape", kSetValidShapeNames, kSetValidShape,
           kKernel, "-", "The same tile with another valid box.", rules::tile_set_validshape},
    OpInfo{OpId::tile_fillpad, "pl.tile.fillpad", kFillPadNames, kFillPad, kKernel, "TFILLPAD",
           "Fills a tile outside of its valid box; the whole tile is valid then.",
           rules::tile_fillpad},
    OpInfo{OpId::tensor_reshape,
           "pl.tensor.reshape",
           {},
           kReshape,
           kKernel,
           "-",
           "The same tensor or window slice seen with another shape.",
           rules::tensor_reshape},
    OpInfo{OpId::tensor_dim,
           "pl.tensor.dim",
           {},
           kDim,
           kKernel,
           "-",
           "The extent of a tensor in one dimension.",
           rules::tensor_dim},
    OpInfo{OpId::slice, "pl.slice", kSliceNames, kSlice, kAnywhere, "TEXTRACT",
           "A box: of a tensor or window as a view, of a tile as a copy; also x[a:b, c:d].",
           rules::slice},
    OpInfo{OpId::assemble, "pl.assemble", kAssembleNames, kAssemble, kAnywhere, "TSTORE, TINSERT",
           "Overwrites a box of a tensor, window or tile; also x[a:b, c:d] = source. Above kernels "
           "the source is a kernel's result, which the kernel writes into the box.",
           rules::assemble},
    OpInfo{OpId::tile_reshape, "pl.reshape", kTileReshapeNames, kTileReshape, kKernel, "-",
           "The same elements with another shape.", rules::tile_reshape},
    OpInfo{OpId::row_sum, "pl.tile.row_sum", kRowSumNames, kRowSum, kKernel, "TROWSUM",
           "Sum of each row.", rules::row_sum},
    OpInfo{OpId::tile_move, "pl.move", kMoveNames, kMove, kKernel, "TMOV",
           "Copies a tile from Mat to Left or Right.", rules::tile_move},
    OpInfo{OpId::matmul, "pl.matmul", kMatmulNames, kMatmul, kKernel, "TMATMUL",
           "Product of a Left and a Right tile, in Acc: FP32, of INT8 operands INT32.",
           rules::matmul},
    OpInfo{OpId::array_create,
           "pl.array.create",
           {},
           kArrayCreate,
           kKernel,
           "-",
           "An array of scalars, zero at first; a[i] reads and a[i] = v writes.",
           rules::array_create},
    OpInfo{OpId::create_tensor, "pl.create_tensor", kCreateTensorNames, kCreateTensor, kChip, "-",
           "Allocates a tensor in global memory that lives as long as the function.",
           rules::create_tensor},
    OpInfo{OpId::const_value,
           "pl.const",
           {},
           kConst,
           kAnywhere,
           "-",
           "A typed constant.",
           rules::const_value},
    OpInfo{OpId::get_byte,
           "get_byte",
           {},
           {},
           kAnywhere,
           "-",
           "Bytes per element of a dtype.",
           nullptr},
    OpInfo{OpId::get_comm_ctx, "pld.system.get_comm_ctx", kContextNames, kContext, kKernel, "-",
           "The communication context of a window's domain.", rules::get_comm_ctx},
    OpInfo{OpId::rank, "pld.system.rank", kRankNames, kRank, kKernel, "scalar load",
           "The own rank in a context's domain.", rules::rank},
    OpInfo{OpId::nranks, "pld.system.nranks", kNranksNames, kRank, kKernel, "scalar load",
           "The number of ranks in a context's domain.", rules::nranks},
    OpInfo{OpId::world_size,
           "pld.system.world_size",
           kWorldSizeNames,
           {},
           kHost,
           "-",
           "The number of devices.",
           rules::world_size},
    OpInfo{OpId::get_block_idx,
           "pl.tile.get_block_idx",
           kBlockIndexNames,
           {},
           kKernel,
           "scalar register",
           "Which block of a pl.spmd launch this core runs.",
           rules::block_index},
    OpInfo{OpId::get_block_num,
           "pl.tile.get_block_num",
           kBlockCountNames,
           {},
           kKernel,
           "scalar register",
           "How many blocks the launch has.",
           rules::block_index},
    OpInfo{OpId::alloc_window_buffer, "pld.tensor.alloc_window_buffer", kAllocNames, kAlloc, kHost,
           "-", "Allocates a zero-filled window buffer on every participating rank.",
           rules::alloc_window_buffer},
    OpInfo{OpId::window, "pld.tensor.window", kWindowNames, kWindow, kHost, "-",
           "A typed view of a window buffer.", rules::window},
    OpInfo{OpId::notify,
           "pld.system.notify",
           {},
           kNotify,
           kKernel,
           "TNOTIFY",
           "Adds to or sets a signal cell of a peer, after everything issued before.",
           rules::notify},
    OpInfo{OpId::wait,
           "pld.system.wait",
           {},
           kWait,
           kKernel,
           "TWAIT",
           "Waits until an own signal cell compares true.",
           rules::wait},
    OpInfo{OpId::defer_wait,
           "pld.system.defer_wait",
           {},
           kWait,
           kKernel,
           "task condition",
           "Completes the enclosing pl.at task only when an own cell is at least a value.",
           rules::defer_wait},
    OpInfo{OpId::check_signal,
           "pld.system.check_signal",
           {},
           kCheckSignal,
           kKernel,
           "-",
           "In lowered programs: checks a signal window whose shape only the launch knows.",
           rules::check_signal},
    OpInfo{OpId::check_count,
           "pld.system.check_count",
           {},
           kCheckCount,
           kKernel,
           "-",
           "In lowered programs: warns of a row count below 0.",
           rules::check_count},
    OpInfo{OpId::remote_load, "pld.tile.remote_load", kRemoteLoadNames, kRemoteLoad, kKernel,
           "TLOAD", "Copies a box of a peer's window slice into a tile.", rules::remote_load},
    OpInfo{OpId::remote_load_padded,
           "pld.tile.remote_load_padded",
           {},
           kRemoteLoad,
           kKernel,
           "TLOAD",
           "In lowered programs: remote_load of whole 32-byte blocks, which may reach behind the "
           "window's last element.",
           rules::remote_load_padded},
    OpInfo{OpId::remote_store, "pld.tile.remote_store", kRemoteStoreNames, kRemoteStore, kKernel,
           "TSTORE", "Copies a tile, or a computed tensor, into a peer's window slice.",
           rules::remote_store},
    OpInfo{OpId::tensor_put,
           "pld.tensor.put",
           {},
           kPut,
           kKernel,
           "TPUT",
           "Copies an own tensor or window region into a peer's window slice.",
           rules::tensor_put},
    OpInfo{OpId::tensor_get,
           "pld.tensor.get",
           {},
           kGet,
           kKernel,
           "TGET",
           "Copies a region of a peer's window slice into an own tensor or window.",
           rules::tensor_get},
    OpInfo{OpId::tile_put,
           "pld.tile.put",
           {},
           kTilePut,
           kKernel,
           "TPUT",
           "pld.tensor.put through explicit staging tiles.",
           rules::tile_put},
    OpInfo{OpId::tile_get,
           "pld.tile.get",
           {},
           kTileGet,
           kKernel,
           "TGET",
           "pld.tensor.get through explicit staging tiles.",
           rules::tile_get},
    OpInfo{OpId::barrier,
           "pld.tensor.barrier",
           {},
           parameters::kBarrier,
           kCollective,
           "lowered",
           "Waits until every rank has come here.",
           rules::barrier},
    OpInfo{OpId::broadcast,
           "pld.tensor.broadcast",
           {},
           parameters::kBroadcast,
           kCollective,
           "lowered",
           "Every rank gets the root's target.",
           rules::broadcast},
    OpInfo{OpId::allreduce,
           "pld.tensor.allreduce",
           {},
           parameters::kAllreduce,
           kCollective,
           "lowered",
           "Every rank gets the reduction of all ranks' targets.",
           rules::allreduce},
    OpInfo{OpId::allgather,
           "pld.tensor.allgather",
           {},
           parameters::kAllgather,
           kCollective,
           "lowered",
           "Row q of every rank's target becomes rank q's data.",
           rules::allgather},
    OpInfo{OpId::reduce_scatter,
           "pld.tensor.reduce_scatter",
           {},
           parameters::kReduceScatter,
           kCollective,
           "lowered",
           "Row r of rank r's target becomes the sum of all ranks' row r.",
           rules::reduce_scatter},
    OpInfo{OpId::all_to_all,
           "pld.tensor.all_to_all",
           {},
           parameters::kAllToAll,
           kCollective,
           "lowered",
           "Row q of rank r's target becomes row r of rank q's input.",
           rules::all_to_all},
    OpInfo{OpId::all_to_all_v,
           "pld.tensor.all_to_all_v",
           {},
           parameters::kAllToAllV,
           kCollective,
           "lowered",
           "all_to_all of blocks of rows, with a row count per peer.",
           rules::all_to_all_v},
};

static_assert(kTable.size() == static_cast<std::size_t>(OpId::all_to_all_v) + 1,
              "every OpId has a row");
static_assert(
    [] {
      for (std::size_t i = 0; i < kTable.size(); ++i) {
        if (static_cast<std::size_t>(kTable[i].id) != i) return false;
      }
      return true;
    }(),
    "rows stand in the order of OpId");

}  // namespace

std::span<const OpInfo> op_table() {
  return kTable;
}

const OpInfo& op_info(OpId id) {
  return kTable[static_cast<std::size_t>(id)];
}

const OpInfo* find_op(std::string_view dotted_name) {
  static const std::map<std::string_view, const OpInfo*> by_name = [] {
    std::map<std::string_view, const OpInfo*> names;
    for (const OpInfo& op : kTable) {
      names[op.name] = &op;
      for (const Names alias : op.aliases)
        names[alias] = &op;
    }
    names.erase("get_byte");  // a method of dtypes, not a name of its own
    return names;
  }();
  const auto found = by_name.find(dotted_name);
  return found == by_name.end() ? nullptr : found->second;
}

std::size_t operand_index(const OpInfo& op, std::string_view name) {
  const auto found = std::find_if(op.parameters.begin(), op.parameters.end(),
                                  [&](const OpParameter& p) { return p.name == name; });
  return static_cast<std::size_t>(found - op.parameters.begin());
}

const Expr* named_operand(const Call& call, std::string_view name) {
  const std::size_t index = operand_index(*call.op, name);
  const Expr* expr = index < call.op->parameters.size() ? call.operand(index) : nullptr;
  return expr != nullptr && std::holds_alternative<NoneLiteral>(expr->node) ? nullptr : expr;
}

std::string signature(const OpInfo& op) {
  std::string text = std::string(op.name) + "(";
  bool first = true;
  bool keyword_only = false;
  for (const OpParameter& parameter : op.parameters) {
    if (!first) text += ", ";
    first = false;
    if (parameter.keyword_only && !keyword_only) {
      keyword_only = true;
      text += "*, ";
    }
    text += parameter.name;
    if (!parameter.required) text += "=" + std::string(parameter.default_value);
  }
  return text + ")";
}

}  // namespace a2a3::ir
