// SPDX-License-Identifier: Apache-2.0
#include "isa/instruction.hpp"

namespace a2a3::isa {
namespace {

struct Mnemonic {
  const char* operator()(const TLoad&) const { return "TLOAD"; }
  const char* operator()(const TStore&) const { return "TSTORE"; }
  const char* operator()(const TPut&) const { return "TPUT"; }
  const char* operator()(const TGet&) const { return "TGET"; }
  const char* operator()(const TNotify&) const { return "TNOTIFY"; }
  const char* operator()(const TDeferWait&) const { return "TDEFERWAIT"; }
  const char* operator()(const TWait&) const { return "TWAIT"; }
  const char* operator()(const TPutAsync&) const { return "TPUT_ASYNC"; }
  const char* operator()(const TGetAsync&) const { return "TGET_ASYNC"; }
  const char* operator()(const TWaitEvent&) const { return "TWAIT_EVENT"; }
  const char* operator()(const TCast&) const { return "TCVT"; }
  const char* operator()(const TFill& fill) const {
    return fill.padding_only ? "TFILLPAD" : "TEXPANDS";
  }
  const char* operator()(const TMove& move) const {
    if (move.dst.space != MemorySpace::ub) return "TMOV";
    return move.insert ? "TINSERT" : "TEXTRACT";
  }
  const char* operator()(const TRowSum&) const { return "TROWSUM"; }
  const char* operator()(const TMatmul&) const { return "TMATMUL"; }
  const char* operator()(const ScalarRead& read) const {
    return read.tile ? "TGETVAL" : "LOAD_SCALAR";
  }
  const char* operator()(const ScalarWrite& write) const {
    return write.tile ? "TSETVAL" : "STORE_SCALAR";
  }
  const char* operator()(const PipeBarrier&) const { return "PIPE_ALL"; }
  const char* operator()(const TaskBegin&) const { return "TASK_BEGIN"; }
  const char* operator()(const TaskEnd&) const { return "TASK_END"; }

  const char* operator()(const TBinary& binary) const {
    switch (binary.op) {
      case BinaryOp::add:
        return "TADD";
      case BinaryOp::sub:
        return "TSUB";
      case BinaryOp::mul:
        return "TMUL";
      case BinaryOp::div:
        return "TDIV";
      case BinaryOp::maximum:
        return "TMAX";
      case BinaryOp::minimum:
        return "TMIN";
    }
    return "?";
  }

  const char* operator()(const TBinaryScalar& binary) const {
    switch (binary.op) {
      case BinaryOp::add:
        return "TADDS";
      case BinaryOp::sub:
        return "TSUBS";
      case BinaryOp::mul:
        return "TMULS";
      case BinaryOp::div:
        return "TDIVS";
      case BinaryOp::maximum:
        return "TMAXS";
      case BinaryOp::minimum:
        return "TMINS";
    }
    return "?";
  }

  const char* operator()(const TUnary& unary) const {
    switch (unary.op) {
      case UnaryOp::exp:
        return "TEXP";
      case UnaryOp::ln:
        return "TLOG";
      case UnaryOp::sqrt:
        return "TSQRT";
      case UnaryOp::relu:
        return "TRELU";
    }
    return "?";
  }
};

}  // namespace

const char* mnemonic(const Operation& operation) {
  return std::visit(Mnemonic{}, operation);
}

}  // namespace a2a3::isa
