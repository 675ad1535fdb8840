// SPDX-License-Identifier: Apache-2.0
#include "models/traffic/claim.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/vocabulary.hpp"
#include "models/golden/evaluator.hpp"
#include "models/traffic/claim_call.hpp"

namespace a2a3::models {
namespace {

struct Quantity {
  const char* name;
  std::optional<std::int64_t> ExpectedTraffic::*member;
};
constexpr std::array kQuantities{Quantity{"received", &ExpectedTraffic::received_bytes},
                                 Quantity{"sent", &ExpectedTraffic::sent_bytes},
                                 Quantity{"local", &ExpectedTraffic::local_bytes},
                                 Quantity{"signals", &ExpectedTraffic::signals},
                                 Quantity{"clears", &ExpectedTraffic::clears}};

/// One claim under evaluation.
class ClaimReader {
 public:
  ClaimReader(const ClaimScope& scope, ir::Diagnostics& diagnostics)
      : scope_(scope), diagnostics_(diagnostics) {
    golden_.ranks = scope.ranks;
    golden_.settings = scope.values;
  }

  std::optional<TrafficClaim> schedule(const ClaimText& text);
  std::optional<TrafficClaim> formulas(const std::map<std::string, ClaimText>& texts);

 private:
  using Tensor = std::pair<const std::string, ClaimTensor>;

  /// The tensor of that name, or the only input for an empty one. Reports at `where`.
  const Tensor* data(const std::string& name, const ir::SourceLocation& where);
  const Tensor* only_input() const;
  [[nodiscard]] std::vector<std::string> tensor_names() const;
  /// Elements of one rank's part of the tensor.
  [[nodiscard]] std::int64_t part(const ClaimTensor& tensor) const;
  bool size_of_data(const ClaimCall& call, const Schedule& schedule, ScheduleSize& size);
  std::optional<std::int64_t> whole_number(const ir::Expr& expr, std::int64_t rank,
                                           const std::string& what);
  bool number(const ClaimCall& call, const char* parameter, std::int64_t at_least,
              std::int64_t& value);
  const Schedule* find(const ClaimCall& call);

  const ClaimScope& scope_;
  ir::Diagnostics& diagnostics_;
  GoldenScope golden_;
  GoldenLimits limits_;
};

std::vector<std::string> ClaimReader::tensor_names() const {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : scope_.tensors)
    names.push_back(name);
  return names;
}

const ClaimReader::Tensor* ClaimReader::only_input() const {
  const Tensor* only = nullptr;
  for (const Tensor& tensor : scope_.tensors) {
    if (!tensor.second.is_input) continue;
    if (only != nullptr) return nullptr;
    only = &tensor;
  }
  return only;
}

const ClaimReader::Tensor* ClaimReader::data(const std::string& name,
                                             const ir::SourceLocation& where) {
  if (name.empty()) {
    if (const Tensor* only = only_input()) return only;
    diagnostics_
        .error(where,
               "which tensor's size does the schedule work on? The program has not exactly "
               "one input: give data=NAME, or elements and element_bytes")
        .notes.push_back({fmt::format("host tensors: {}", fmt::join(tensor_names(), ", ")), {}});
    return nullptr;
  }
  const auto found = scope_.tensors.find(name);
  if (found != scope_.tensors.end()) return &*found;
  diagnostics_
      .error(where, fmt::format("the program has no tensor '{}'{}", name,
                                ir::suggestion(name, tensor_names())))
      .notes.push_back({fmt::format("host tensors: {}", fmt::join(tensor_names(), ", ")), {}});
  return nullptr;
}

std::int64_t ClaimReader::part(const ClaimTensor& tensor) const {
  std::int64_t elements = 1;
  for (const std::int64_t extent : tensor.shape)
    elements *= extent;
  const bool by_rank = !tensor.shape.empty() && tensor.shape[0] == scope_.ranks;
  return by_rank ? elements / scope_.ranks : elements;
}

std::optional<std::int64_t> ClaimReader::whole_number(const ir::Expr& expr, std::int64_t rank,
                                                      const std::string& what) {
  Evaluator evaluator(golden_, limits_, diagnostics_);
  const Evaluator::Value value = evaluator.evaluate(expr, rank);
  if (!value) return std::nullopt;
  constexpr double kLargest = 0x1p53;
  if (value->elements() == 1) {
    const double number = value->data[0];
    if (number >= 0 && number <= kLargest && number == std::floor(number)) {
      return static_cast<std::int64_t>(number);
    }
    diagnostics_.error(expr.location, fmt::format("{} must be a whole number from 0 up, got {:g} "
                                                  "on rank {}",
                                                  what, number, rank));
  } else {
    diagnostics_.error(expr.location, fmt::format("{} must be one number, got {} of them", what,
                                                  value->elements()));
  }
  return std::nullopt;
}

bool ClaimReader::number(const ClaimCall& call, const char* parameter, std::int64_t at_least,
                         std::int64_t& value) {
  const ir::Expr* expr = call.find(parameter);
  if (expr == nullptr) return true;
  const auto number = whole_number(*expr, 0, parameter);
  if (!number) return false;
  if (*number < at_least) {
    diagnostics_.error(expr->location,
                       fmt::format("{} must be at least {}, got {}", parameter, at_least, *number));
    return false;
  }
  value = *number;
  return true;
}

const Schedule* ClaimReader::find(const ClaimCall& call) {
  if (const Schedule* found = find_schedule(call.function, ScheduleForm::hand)) return found;
  std::vector<std::string> known;
  for (const Schedule& schedule : schedules()) {
    if (schedule.form == ScheduleForm::hand) known.emplace_back(schedule.name);
  }
  diagnostics_
      .error(call.location, fmt::format("unknown schedule '{}'{}", call.function,
                                        ir::suggestion(call.function, known)))
      .notes.push_back({fmt::format("schedules: {}", fmt::join(known, ", ")), {}});
  return nullptr;
}

bool ClaimReader::size_of_data(const ClaimCall& call, const Schedule& schedule,
                               ScheduleSize& size) {
  if (schedule.data == ScheduleData::none) return true;
  const bool has_elements = call.find("elements") != nullptr;
  if (has_elements != (call.find("element_bytes") != nullptr)) {
    diagnostics_.error(call.location,
                       fmt::format("{}: missing parameter {}: elements and "
                                   "element_bytes belong together",
                                   schedule.name, has_elements ? "element_bytes" : "elements"));
    return false;
  }
  if (has_elements) {
    return number(call, "elements", 0, size.elements) &&
           number(call, "element_bytes", 1, size.element_bytes);
  }
  const ir::Expr* given = call.find("data");
  const auto* name = given == nullptr ? nullptr : std::get_if<ir::Name>(&given->node);
  if (given != nullptr && name == nullptr) {
    diagnostics_.error(given->location, "data must be the name of a host tensor");
    return false;
  }
  const Tensor* tensor =
      data(name == nullptr ? "" : name->id, given == nullptr ? call.location : given->location);
  if (tensor == nullptr) return false;
  size.element_bytes = isa::size_of(tensor->second.dtype);
  size.elements = part(tensor->second);
  // An allgather's data is its slice; the others have one for every rank.
  if (schedule.data != ScheduleData::slices || schedule.name == "allgather") return true;
  if (size.elements % scope_.ranks != 0) {
    diagnostics_.error(given == nullptr ? call.location : given->location,
                       fmt::format("{}: {} has {} elements per rank, not a multiple of the {} "
                                   "ranks that get a slice each",
                                   schedule.name, tensor->first, size.elements, scope_.ranks));
    return false;
  }
  size.elements /= scope_.ranks;
  return true;
}

std::optional<TrafficClaim> ClaimReader::schedule(const ClaimText& text) {
  const auto call = parse_claim_call(text, diagnostics_);
  if (!call) return std::nullopt;
  const Schedule* schedule = find(*call);
  if (schedule == nullptr) return std::nullopt;
  std::vector<std::string> parameters;
  if (schedule->data != ScheduleData::none) parameters = {"data", "elements", "element_bytes"};
  if (schedule->has_root) parameters.insert(parameters.begin(), "root");
  if (!call->check(parameters, diagnostics_)) return std::nullopt;
  if (schedule->has_root && call->find("root") == nullptr) {
    diagnostics_.error(call->location, fmt::format("{0}: missing parameter root, as in {0}(root=0)",
                                                   schedule->name));
    return std::nullopt;
  }
  ScheduleSize size;
  size.ranks = scope_.ranks;
  if (!number(*call, "root", 0, size.root)) return std::nullopt;
  if (size.root >= size.ranks) {
    diagnostics_.error(call->find("root")->location,
                       fmt::format("root {} is none of the {} ranks", size.root, size.ranks));
    return std::nullopt;
  }
  if (!size_of_data(*call, *schedule, size)) return std::nullopt;
  TrafficClaim claim{
      std::string(schedule->name),      schedule->formula(), {},  schedule->buffer_bytes(size),
      schedule->bus_factor(size.ranks), size.elements,       size};
  for (size.rank = 0; size.rank < size.ranks; ++size.rank)
    claim.ranks.push_back(schedule->traffic(size));
  return claim;
}

std::optional<TrafficClaim> ClaimReader::formulas(const std::map<std::string, ClaimText>& texts) {
  const auto named = texts.find("data");
  const Tensor* tensor =
      named == texts.end() ? only_input() : data(named->second.text, named->second.location);
  if (named != texts.end() && tensor == nullptr) return std::nullopt;
  if (tensor != nullptr) {
    golden_.settings["N"] =
        static_cast<double>(part(tensor->second) * isa::size_of(tensor->second.dtype));
  }
  TrafficClaim claim{.schedule = "own formulas", .formula = "", .ranks = {}, .size = {}};
  claim.ranks.resize(static_cast<std::size_t>(scope_.ranks));
  bool right = true;
  for (const Quantity& quantity : kQuantities) {
    const auto given = texts.find(quantity.name);
    if (given == texts.end()) continue;
    const auto parsed = parse_claim_formula(given->second, diagnostics_);
    right = right && parsed.has_value();
    if (!parsed) continue;
    claim.formula +=
        (claim.formula.empty() ? "" : "; ") + std::string(quantity.name) + " " + given->second.text;
    for (std::int64_t rank = 0; rank < scope_.ranks; ++rank) {
      const auto value = whole_number(*parsed->expr, rank, quantity.name);
      right = right && value.has_value();
      if (!value) break;
      claim.ranks[static_cast<std::size_t>(rank)].*quantity.member = value;
    }
  }
  if (!right) return std::nullopt;
  for (ExpectedTraffic& rank : claim.ranks)
    rank.useful_bytes = rank.received_bytes;
  return claim;
}

}  // namespace

const std::vector<std::string>& claim_quantities() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Quantity& quantity : kQuantities)
      all.emplace_back(quantity.name);
    return all;
  }();
  return names;
}

ir::SourceLocation TrafficClaimText::location() const {
  ir::SourceLocation first = schedule.location;
  for (const auto& [quantity, text] : formulas) {
    if (!first.known() || text.location.line < first.line) first = text.location;
  }
  return first;
}

std::optional<TrafficClaim> evaluate_claim(const TrafficClaimText& text, const ClaimScope& scope,
                                           ir::Diagnostics& diagnostics) {
  ClaimReader reader(scope, diagnostics);
  return text.formulas.empty() ? reader.schedule(text.schedule) : reader.formulas(text.formulas);
}

}  // namespace a2a3::models
