// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace a2a3::ir {

/// A tensor dimension or an offset known up to symbols: an integer polynomial over dynamic
/// dimensions in canonical form, so that `NR * SIZE` equals `SIZE * NR`. A quotient or a run-time
/// scalar becomes an opaque symbol of its own. What has more terms, a higher degree or greater
/// coefficients than kMostTerms, kHighestDegree and 64 bits allow is not known: it equals nothing,
/// not even itself, and nothing is provable about it.
class Dim {
 public:
  /// Symbols 0..2^31-1 are DynamicDim ids; higher ones are opaque, made by the checker: the first
  /// is pld.world_size(), the others stand for scalars that only the run knows.
  using Symbol = std::uint32_t;
  static constexpr Symbol kFirstOpaque = 0x80000000u;
  using Monomial = std::vector<Symbol>;  ///< sorted, with repetition
  static constexpr std::size_t kMostTerms = 64;
  static constexpr std::size_t kHighestDegree = 8;

  Dim() = default;
  Dim(std::int64_t constant);  // NOLINT(google-explicit-constructor): an int is a dimension
  static Dim symbol(Symbol symbol);
  static Dim unknown();
  /// `pld.world_size()`, the one opaque symbol with a meaning of its own.
  static Dim world_size() { return symbol(kFirstOpaque); }

  [[nodiscard]] bool is_known() const { return is_known_; }
  [[nodiscard]] std::optional<std::int64_t> constant() const;
  [[nodiscard]] bool is_constant() const { return constant().has_value(); }
  /// Some symbol is a quotient or a run-time scalar; true as well for what is not known.
  [[nodiscard]] bool has_opaque_symbol() const;
  /// True when the order holds whatever the dimensions and the world size are (at least 1). False
  /// does not mean that the opposite holds.
  [[nodiscard]] bool provably_at_least(const Dim& other) const;
  [[nodiscard]] bool provably_greater(const Dim& other) const;
  /// The value with every symbol replaced; nothing when `value_of` does not know one of them, or
  /// when it does not fit in 64 bits.
  [[nodiscard]] std::optional<std::int64_t> evaluate(
      const std::function<std::optional<std::int64_t>(Symbol)>& value_of) const;
  [[nodiscard]] std::string to_string(const std::function<std::string(Symbol)>& name_of) const;

  /// The monomials with their coefficients; none for 0 and for what is not known.
  [[nodiscard]] const std::map<Monomial, std::int64_t>& terms() const { return terms_; }

  friend Dim operator+(const Dim& a, const Dim& b);
  friend Dim operator-(const Dim& a, const Dim& b);
  friend Dim operator*(const Dim& a, const Dim& b);
  friend bool operator==(const Dim& a, const Dim& b) {
    return a.is_known_ && b.is_known_ && a.terms_ == b.terms_;
  }

 private:
  /// Adds `a` times `b` times the monomial.
  void add_term(const Monomial& monomial, std::int64_t a, std::int64_t b);
  void forget();

  std::map<Monomial, std::int64_t> terms_;  ///< no zero coefficients
  bool is_known_ = true;
};

}  // namespace a2a3::ir
