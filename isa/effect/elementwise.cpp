// SPDX-License-Identifier: Apache-2.0
#include "isa/effect/elementwise.hpp"

#include <limits>
#include <type_traits>

#include <Eigen/Core>

#include "isa/effect/element.hpp"

namespace a2a3::isa {
namespace {

template <class T>
using Column = Eigen::Array<T, Eigen::Dynamic, 1>;
using Stride = Eigen::InnerStride<>;
template <class T>
using Source = Eigen::Map<const Column<T>>;
template <class T>
using Target = Eigen::Map<Column<T>>;
template <class T>
using StridedSource = Eigen::Map<const Column<T>, Eigen::Unaligned, Stride>;
template <class T>
using StridedTarget = Eigen::Map<Column<T>, Eigen::Unaligned, Stride>;

/// Unsigned arithmetic of at least 32 bits: wraps around, and no 16-bit product overflows an int.
template <class T>
using Wide = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

// Each operation takes two array expressions and gives a third.

struct Add {
  template <class X, class Y>
  static auto of(const X& x, const Y& y) {
    using T = typename X::Scalar;
    if constexpr (std::is_integral_v<T>) {
      return x.binaryExpr(y, [](T a, T b) { return static_cast<T>(Wide<T>(a) + Wide<T>(b)); });
    } else {
      return x + y;
    }
  }
};

struct Sub {
  template <class X, class Y>
  static auto of(const X& x, const Y& y) {
    using T = typename X::Scalar;
    if constexpr (std::is_integral_v<T>) {
      return x.binaryExpr(y, [](T a, T b) { return static_cast<T>(Wide<T>(a) - Wide<T>(b)); });
    } else {
      return x - y;
    }
  }
};

struct Mul {
  template <class X, class Y>
  static auto of(const X& x, const Y& y) {
    using T = typename X::Scalar;
    if constexpr (std::is_integral_v<T>) {
      return x.binaryExpr(y, [](T a, T b) { return static_cast<T>(Wide<T>(a) * Wide<T>(b)); });
    } else {
      return x * y;
    }
  }
};

struct Div {
  template <class X, class Y>
  static auto of(const X& x, const Y& y) {
    using T = typename X::Scalar;
    if constexpr (std::is_integral_v<T>) {
      return x.binaryExpr(y, [](T a, T b) {
        if (b == 0) return T{0};
        if constexpr (std::is_signed_v<T>) {
          if (b == -1) return static_cast<T>(Wide<T>(0) - Wide<T>(a));
        }
        return static_cast<T>(a / b);
      });
    } else {
      return x / y;
    }
  }
};

struct Maximum {
  template <class X, class Y>
  static auto of(const X& x, const Y& y) {
    using T = typename X::Scalar;
    return x.binaryExpr(y, [](T a, T b) {
      const T larger = b > a ? b : a;
      return (Eigen::numext::isnan)(b) ? b : larger;
    });
  }
};

struct Minimum {
  template <class X, class Y>
  static auto of(const X& x, const Y& y) {
    using T = typename X::Scalar;
    return x.binaryExpr(y, [](T a, T b) {
      const T smaller = b < a ? b : a;
      return (Eigen::numext::isnan)(b) ? b : smaller;
    });
  }
};

/// Lines that follow each other without a gap, in all operands, are one line.
void merge_lines(const SourceLines& lhs, const SourceLines& rhs, const TargetLines& dst,
                 LineCount& count) {
  const auto follows = [&](std::int64_t line_stride, std::int64_t stride) {
    return line_stride == stride * count.length;
  };
  if (follows(lhs.line_stride, lhs.stride) && follows(rhs.line_stride, rhs.stride) &&
      follows(dst.line_stride, dst.stride)) {
    count.length *= count.lines;
    count.lines = 1;
  }
}

template <class T, class Op>
void run(const SourceLines& lhs, const SourceLines& rhs, const TargetLines& dst,
         const LineCount& count) {
  const auto* a = reinterpret_cast<const T*>(lhs.first);
  const auto* b = reinterpret_cast<const T*>(rhs.first);
  auto* c = reinterpret_cast<T*>(dst.first);
  const Eigen::Index n = count.length;
  const bool dense = lhs.stride == 1 && dst.stride == 1;
  for (std::int64_t line = 0; line < count.lines; ++line) {
    if (dense && rhs.stride == 1) {
      Target<T>(c, n) = Op::of(Source<T>(a, n), Source<T>(b, n));
    } else if (dense && rhs.stride == 0) {
      Target<T>(c, n) = Op::of(Source<T>(a, n), Column<T>::Constant(n, *b));
    } else {
      StridedTarget<T>(c, n, Stride(dst.stride)) = Op::of(
          StridedSource<T>(a, n, Stride(lhs.stride)), StridedSource<T>(b, n, Stride(rhs.stride)));
    }
    a += lhs.line_stride;
    b += rhs.line_stride;
    c += dst.line_stride;
  }
}

template <class T>
void run(BinaryOp op, const SourceLines& lhs, const SourceLines& rhs, const TargetLines& dst,
         const LineCount& count) {
  switch (op) {
    case BinaryOp::add:
      return run<T, Add>(lhs, rhs, dst, count);
    case BinaryOp::sub:
      return run<T, Sub>(lhs, rhs, dst, count);
    case BinaryOp::mul:
      return run<T, Mul>(lhs, rhs, dst, count);
    case BinaryOp::div:
      return run<T, Div>(lhs, rhs, dst, count);
    case BinaryOp::maximum:
      return run<T, Maximum>(lhs, rhs, dst, count);
    case BinaryOp::minimum:
      return run<T, Minimum>(lhs, rhs, dst, count);
  }
}

}  // namespace

void apply_elementwise(BinaryOp op, DType dtype, SourceLines lhs, SourceLines rhs, TargetLines dst,
                       LineCount count) {
  merge_lines(lhs, rhs, dst, count);
  with_element(dtype, [&]<class T>(std::type_identity<T>) { run<T>(op, lhs, rhs, dst, count); });
}

}  // namespace a2a3::isa
