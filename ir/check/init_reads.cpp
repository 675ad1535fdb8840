// SPDX-License-Identifier: Apache-2.0
#include "ir/check/init_reads.hpp"

#include <algorithm>
#include <functional>

#include "ir/walk.hpp"

namespace a2a3::ir {
namespace {

/// A variable's name somewhere in a function.
struct SlotUse {
  Slot slot = kNoSlot;
  SourceLocation location;
};

class InitReads {
 public:
  InitReads(const Function& function, Diagnostics& diagnostics) : diagnostics_(diagnostics) {
    walk(function.body, [this](const Expr& expr) {
      if (const auto* name = std::get_if<Name>(&expr.node)) {
        reads_.push_back({name->slot, expr.location});
      }
    });
    visit(function.body);
    for (const auto& [loop, closing] : loops_)
      check(*loop, *closing);
  }

 private:
  void visit(const Block& block) {
    for (const Stmt& stmt : block) {
      if (const auto* assign = std::get_if<Assign>(&stmt.node)) {
        for (std::size_t i = 0; i < assign->names.size(); ++i)
          writes_.push_back({assign->names[i].slot, assign->name_locations.at(i)});
      } else if (const auto* loop = std::get_if<For>(&stmt.node)) {
        const auto* closing =
            loop->body.empty() ? nullptr : std::get_if<Assign>(&loop->body.back().node);
        if (!loop->carried.empty() && closing != nullptr) loops_.emplace_back(loop, closing);
      }
      for (const Block* inner : inner_blocks(stmt))
        visit(*inner);
    }
  }

  void check(const For& loop, const Assign& closing) {
    for (std::size_t i = 0; i < closing.names.size() && i < loop.init_values.size(); ++i) {
      const auto* init = std::get_if<Name>(&loop.init_values[i]->node);
      const Name& result = closing.names[i];
      if (init == nullptr || init->slot == kNoSlot || init->slot == result.slot) continue;
      const SourceLocation end = closing.name_locations.at(i);
      const auto is_result = [&](const SlotUse& use) { return use.slot == result.slot; };
      const auto is_init_behind = [&](const SlotUse& use) {
        return use.slot == init->slot && use.location.is_behind(end);
      };
      const auto read = std::ranges::find_if(reads_, is_init_behind);
      if (read == reads_.end() || std::ranges::any_of(reads_, is_result) ||
          std::ranges::any_of(writes_, is_init_behind)) {
        continue;
      }
      diagnostics_
          .warning(read->location, "'" + init->id +
                                       "' holds the value from before the loop; the loop's result "
                                       "is '" +
                                       result.id + "', which nobody reads")
          .notes.push_back({"the loop ends here", end});
    }
  }

  Diagnostics& diagnostics_;
  std::vector<SlotUse> reads_;
  std::vector<SlotUse> writes_;
  std::vector<std::pair<const For*, const Assign*>> loops_;
};

}  // namespace

void warn_of_init_reads(const Function& function, Diagnostics& diagnostics) {
  InitReads(function, diagnostics);
}

}  // namespace a2a3::ir
