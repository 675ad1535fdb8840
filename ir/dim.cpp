// SPDX-License-Identifier: Apache-2.0
#include "ir/dim.hpp"

#include <algorithm>
#include <iterator>

namespace a2a3::ir {

Dim::Dim(std::int64_t constant) {
  if (constant != 0) terms_[{}] = constant;
}

Dim Dim::symbol(Symbol symbol) {
  Dim dim;
  dim.terms_[{symbol}] = 1;
  return dim;
}

Dim Dim::unknown() {
  Dim dim;
  dim.forget();
  return dim;
}

std::optional<std::int64_t> Dim::constant() const {
  if (!is_known_) return std::nullopt;
  if (terms_.empty()) return 0;
  if (terms_.size() == 1 && terms_.begin()->first.empty()) return terms_.begin()->second;
  return std::nullopt;
}

bool Dim::has_opaque_symbol() const {
  return !is_known_ || std::any_of(terms_.begin(), terms_.end(), [](const auto& term) {
    return !term.first.empty() && term.first.back() > kFirstOpaque;
  });
}

bool Dim::provably_at_least(const Dim& other) const {
  const Dim difference = *this - other;
  if (difference.has_opaque_symbol()) return false;  // a run-time scalar may be anything
  // Dimensions and the world size are at least 1: written in s - 1 for each symbol s, a polynomial
  // without negative coefficients is not negative.
  Dim shifted;
  for (const auto& [monomial, coefficient] : difference.terms_) {
    Dim product(coefficient);
    for (const Symbol factor : monomial)
      product = product * (symbol(factor) + Dim(1));
    shifted = shifted + product;
  }
  return shifted.is_known_ && std::all_of(shifted.terms_.begin(), shifted.terms_.end(),
                                          [](const auto& term) { return term.second >= 0; });
}

bool Dim::provably_greater(const Dim& other) const {
  return provably_at_least(other + Dim(1));
}

std::optional<std::int64_t> Dim::evaluate(
    const std::function<std::optional<std::int64_t>(Symbol)>& value_of) const {
  if (!is_known_) return std::nullopt;
  std::int64_t sum = 0;
  for (const auto& [monomial, coefficient] : terms_) {
    std::int64_t product = coefficient;
    for (const Symbol symbol : monomial) {
      const std::optional<std::int64_t> value = value_of(symbol);
      if (!value || __builtin_mul_overflow(product, *value, &product)) return std::nullopt;
    }
    if (__builtin_add_overflow(sum, product, &sum)) return std::nullopt;
  }
  return sum;
}

std::string Dim::to_string(const std::function<std::string(Symbol)>& name_of) const {
  if (!is_known_) return "?";
  if (terms_.empty()) return "0";
  std::string text;
  // The constant term has the smallest key; people write it last.
  const auto append = [&](const Monomial& monomial, std::int64_t coefficient) {
    const bool negative = coefficient < 0;
    if (!text.empty()) {
      text += negative ? " - " : " + ";
    } else if (negative) {
      text += "-";
    }
    const std::string magnitude = std::to_string(coefficient).substr(negative ? 1 : 0);
    if (monomial.empty() || magnitude != "1") text += magnitude;
    for (std::size_t i = 0; i < monomial.size(); ++i) {
      if (i > 0 || magnitude != "1") text += " * ";
      text += name_of(monomial[i]);
    }
  };
  for (const auto& [monomial, coefficient] : terms_) {
    if (!monomial.empty()) append(monomial, coefficient);
  }
  if (const auto constant = terms_.find({}); constant != terms_.end()) append({}, constant->second);
  return text;
}

void Dim::forget() {
  terms_.clear();
  is_known_ = false;
}

void Dim::add_term(const Monomial& monomial, std::int64_t a, std::int64_t b) {
  if (!is_known_) return;
  const auto term = terms_.try_emplace(monomial, 0).first;
  std::int64_t coefficient = 0;
  if (__builtin_mul_overflow(a, b, &coefficient) ||
      __builtin_add_overflow(term->second, coefficient, &term->second) ||
      terms_.size() > kMostTerms || monomial.size() > kHighestDegree) {
    forget();
  } else if (term->second == 0) {
    terms_.erase(term);
  }
}

Dim operator+(const Dim& a, const Dim& b) {
  Dim sum = a;
  if (!b.is_known_) sum.forget();
  for (const auto& [monomial, coefficient] : b.terms_)
    sum.add_term(monomial, coefficient, 1);
  return sum;
}

Dim operator-(const Dim& a, const Dim& b) {
  return a + b * Dim(-1);
}

Dim operator*(const Dim& a, const Dim& b) {
  Dim product;
  if (!a.is_known_ || !b.is_known_) product.forget();
  for (const auto& [left, left_coefficient] : a.terms_) {
    for (const auto& [right, right_coefficient] : b.terms_) {
      Dim::Monomial monomial;
      monomial.reserve(left.size() + right.size());
      std::merge(left.begin(), left.end(), right.begin(), right.end(),
                 std::back_inserter(monomial));
      product.add_term(monomial, left_coefficient, right_coefficient);
    }
  }
  return product;
}

}  // namespace a2a3::ir
