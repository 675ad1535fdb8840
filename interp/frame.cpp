// SPDX-License-Identifier: Apache-2.0
#include "interp/frame.hpp"

#include <algorithm>

#include "ir/arithmetic_warnings.hpp"

namespace a2a3::interp {
namespace {

/// Another iteration follows the one at `index`, which is short of `stop`; the next index need not
/// fit in 64 bits.
bool continues(std::int64_t index, std::int64_t stop, std::int64_t step) {
  const auto from = static_cast<std::uint64_t>(index);
  const auto to = static_cast<std::uint64_t>(stop);
  const auto by = static_cast<std::uint64_t>(step);
  return step > 0 ? to - from > by : from - to > 0 - by;
}

bool another_iteration(std::int64_t counter, std::int64_t stop, std::int64_t step) {
  return step > 0 ? counter < stop : counter > stop;
}

/// An integer result of 64 bits in its dtype; `wraps`: as 64 bits. True when it is worth a warning.
bool put(std::int64_t& into, std::int64_t result, bool wraps, isa::DType dtype) {
  into = wrap(result, dtype);
  return (wraps || into != result) && ir::warns_of_wrapping(dtype);
}

}  // namespace

ir::WideInteger Advance::exact() const {
  const ir::WideInteger a = lhs;
  switch (op->code) {
    case OpCode::add:
      return a + rhs;
    case OpCode::subtract:
      return a - rhs;
    case OpCode::multiply:
      return a * rhs;
    case OpCode::shift_left:
      return a * (ir::WideInteger{1} << rhs);
    case OpCode::negate:
      return -a;
    default:
      return a;  // OpCode::fit_integer
  }
}

Advance advance(Frame& frame, std::uint64_t max_steps) {
  const Op* const ops = frame.program->ops.data();
  std::int64_t* const s = frame.scalars.data();
  const Op* op = ops + frame.pc;
  std::uint32_t scalar_ops = frame.scalar_ops;
  std::uint64_t steps = frame.steps;
  const auto leave = [&](Stop stop, const Op* at, std::int64_t lhs = 0, std::int64_t rhs = 0) {
    frame.pc = static_cast<std::uint32_t>(at + 1 - ops);
    frame.scalar_ops = scalar_ops;
    frame.steps = steps;
    return Advance{stop, at, lhs, rhs};
  };
  const auto real = [&](Register index) { return as_double(s[index]); };

  for (;; ++op) {
    ++steps;
    scalar_ops += op->scalar_ops;
    switch (op->code) {
      case OpCode::move:
        s[op->dst] = s[op->a];
        break;
      case OpCode::add: {
        const std::int64_t a = s[op->a];
        const std::int64_t b = s[op->b];
        std::int64_t sum = 0;
        const bool wraps = __builtin_add_overflow(a, b, &sum);
        if (put(s[op->dst], sum, wraps, op->dtype)) return leave(Stop::wraps, op, a, b);
        break;
      }
      case OpCode::subtract: {
        const std::int64_t a = s[op->a];
        const std::int64_t b = s[op->b];
        std::int64_t difference = 0;
        const bool wraps = __builtin_sub_overflow(a, b, &difference);
        if (put(s[op->dst], difference, wraps, op->dtype)) return leave(Stop::wraps, op, a, b);
        break;
      }
      case OpCode::multiply: {
        const std::int64_t a = s[op->a];
        const std::int64_t b = s[op->b];
        std::int64_t product = 0;
        const bool wraps = __builtin_mul_overflow(a, b, &product);
        if (put(s[op->dst], product, wraps, op->dtype)) return leave(Stop::wraps, op, a, b);
        break;
      }
      case OpCode::divide:
      case OpCode::modulo: {
        const std::int64_t a = s[op->a];
        const std::int64_t b = s[op->b];
        if (b == 0) return leave(Stop::division_by_zero, op, a, b);
        s[op->dst] =
            wrap(op->code == OpCode::divide ? truncated_quotient(a, b) : truncated_remainder(a, b),
                 op->dtype);
        if (a < 0 || b < 0) return leave(Stop::negative_operand, op, a, b);
        break;
      }
      case OpCode::divide_floor:
        if (s[op->b] == 0) return leave(Stop::division_by_zero, op, s[op->a], 0);
        s[op->dst] = wrap(floored_quotient(s[op->a], s[op->b]), op->dtype);
        break;
      case OpCode::modulo_floor:
        if (s[op->b] == 0) return leave(Stop::division_by_zero, op, s[op->a], 0);
        s[op->dst] = wrap(floored_remainder(s[op->a], s[op->b]), op->dtype);
        break;
      case OpCode::shift_left: {
        const std::int64_t a = s[op->a];
        const std::int64_t b = s[op->b];
        if (b < 0 || b > 63) return leave(Stop::shift_out_of_range, op, a, b);
        const auto shifted = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << b);
        if (put(s[op->dst], shifted, shifted >> b != a, op->dtype))
          return leave(Stop::wraps, op, a, b);
        break;
      }
      case OpCode::shift_right:
        if (s[op->b] < 0 || s[op->b] > 63)
          return leave(Stop::shift_out_of_range, op, s[op->a], s[op->b]);
        s[op->dst] = wrap(s[op->a] >> s[op->b], op->dtype);
        break;
      case OpCode::minimum:
        s[op->dst] = std::min(s[op->a], s[op->b]);
        break;
      case OpCode::maximum:
        s[op->dst] = std::max(s[op->a], s[op->b]);
        break;
      case OpCode::negate: {
        const std::int64_t a = s[op->a];
        std::int64_t negated = 0;
        const bool wraps = __builtin_sub_overflow(std::int64_t{0}, a, &negated);
        if (put(s[op->dst], negated, wraps, op->dtype)) return leave(Stop::wraps, op, a);
        break;
      }
      case OpCode::invert:
        s[op->dst] =
            op->dtype == isa::DType::boolean ? (s[op->a] == 0 ? 1 : 0) : wrap(~s[op->a], op->dtype);
        break;
      case OpCode::logical_not:
        s[op->dst] = s[op->a] == 0 ? 1 : 0;
        break;
      case OpCode::logical_and:
        s[op->dst] = s[op->a] != 0 && s[op->b] != 0 ? 1 : 0;
        break;
      case OpCode::logical_or:
        s[op->dst] = s[op->a] != 0 || s[op->b] != 0 ? 1 : 0;
        break;
      case OpCode::equal:
        s[op->dst] = s[op->a] == s[op->b] ? 1 : 0;
        break;
      case OpCode::not_equal:
        s[op->dst] = s[op->a] != s[op->b] ? 1 : 0;
        break;
      case OpCode::less:
        s[op->dst] = s[op->a] < s[op->b] ? 1 : 0;
        break;
      case OpCode::less_equal:
        s[op->dst] = s[op->a] <= s[op->b] ? 1 : 0;
        break;
      case OpCode::float_add:
        s[op->dst] = as_bits(round_to_dtype(real(op->a) + real(op->b), op->dtype));
        break;
      case OpCode::float_subtract:
        s[op->dst] = as_bits(round_to_dtype(real(op->a) - real(op->b), op->dtype));
        break;
      case OpCode::float_multiply:
        s[op->dst] = as_bits(round_to_dtype(real(op->a) * real(op->b), op->dtype));
        break;
      case OpCode::float_divide:
        s[op->dst] = as_bits(round_to_dtype(real(op->a) / real(op->b), op->dtype));
        break;
      case OpCode::float_minimum:
        s[op->dst] = as_bits(std::min(real(op->a), real(op->b)));
        break;
      case OpCode::float_maximum:
        s[op->dst] = as_bits(std::max(real(op->a), real(op->b)));
        break;
      case OpCode::float_negate:
        s[op->dst] = as_bits(-real(op->a));
        break;
      case OpCode::float_equal:
        s[op->dst] = real(op->a) == real(op->b) ? 1 : 0;
        break;
      case OpCode::float_not_equal:
        s[op->dst] = real(op->a) != real(op->b) ? 1 : 0;
        break;
      case OpCode::float_less:
        s[op->dst] = real(op->a) < real(op->b) ? 1 : 0;
        break;
      case OpCode::float_less_equal:
        s[op->dst] = real(op->a) <= real(op->b) ? 1 : 0;
        break;
      case OpCode::fit_integer: {
        const std::int64_t a = s[op->a];
        if (put(s[op->dst], a, false, op->dtype)) return leave(Stop::wraps, op, a);
        break;
      }
      case OpCode::to_integer:
        s[op->dst] = wrap(s[op->a], op->dtype);
        break;
      case OpCode::integer_to_float:
        s[op->dst] = as_bits(round_to_dtype(static_cast<double>(s[op->a]), op->dtype));
        break;
      case OpCode::float_to_integer:
        s[op->dst] = float_to_integer(real(op->a), op->dtype);
        break;
      case OpCode::to_float:
        s[op->dst] = as_bits(round_to_dtype(real(op->a), op->dtype));
        break;
      case OpCode::move_reference:
        frame.references[static_cast<std::size_t>(op->dst)] =
            frame.references[static_cast<std::size_t>(op->a)];
        break;
      case OpCode::jump:
        if (steps > max_steps) return leave(Stop::step_limit, op);
        op = ops + op->target - 1;
        break;
      case OpCode::branch_false:
        if (s[op->a] == 0) op = ops + op->target - 1;
        break;
      case OpCode::loop_begin:
        if (s[op->c] == 0) return leave(Stop::zero_step, op);
        if (another_iteration(s[op->a], s[op->b], s[op->c])) {
          s[op->dst] = s[op->a];
        } else {
          op = ops + op->target - 1;
        }
        break;
      case OpCode::loop_next:
        if (steps > max_steps) return leave(Stop::step_limit, op);
        if (continues(s[op->a], s[op->b], s[op->c])) {
          s[op->a] += s[op->c];
          s[op->dst] = s[op->a];
          op = ops + op->target - 1;
        }
        break;
      default:
        return leave(Stop::effect, op);
    }
  }
}

}  // namespace a2a3::interp
