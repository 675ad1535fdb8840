// SPDX-License-Identifier: Apache-2.0
#include "isa/hints/delivery_check.hpp"

#include <algorithm>

#include "isa/hazard.hpp"

namespace a2a3::isa {
namespace {

constexpr std::uint64_t kCellBytes = sizeof(std::int32_t);

/// Where a transfer of global memory reads and writes; a null box is a tile of the core.
struct Ends {
  const GmBox* src = nullptr;
  const GmBox* dst = nullptr;
  bool adds = false;
};

struct EndsOf {
  Ends operator()(const TLoad& load) const { return {&load.src, nullptr, false}; }
  Ends operator()(const TStore& store) const { return {nullptr, &store.dst, store.atomic_add}; }
  Ends operator()(const TPut& put) const { return {&put.src, &put.dst, put.atomic_add}; }
  Ends operator()(const TGet& get) const { return {&get.src, &get.dst, false}; }
  Ends operator()(const TPutAsync& put) const { return {&put.src, &put.dst, false}; }
  Ends operator()(const TGetAsync& get) const { return {&get.src, &get.dst, false}; }
  template <class Other>
  Ends operator()(const Other& /*operation*/) const {
    return {};
  }
};

}  // namespace

/// Makes a delivery of the operation when it is one.
std::optional<DeliveryId> DeliveryCheck::enter(const RunEvent& event, const Operation& operation) {
  const PieceRange pieces = pieces_.count({event.task, line_of_(event.source)}, operation);
  const Ends ends = std::visit(EndsOf{}, operation);
  if (ends.src == nullptr && ends.dst == nullptr) return std::nullopt;
  const std::uint32_t from = ends.src == nullptr ? event.device : ends.src->base.device;
  const std::uint32_t to = ends.dst == nullptr ? event.device : ends.dst->base.device;
  if (from == to) return std::nullopt;
  const GmBox& box = ends.dst == nullptr ? *ends.src : *ends.dst;
  auto bytes = static_cast<std::uint64_t>(box.payload_bytes());
  if (const auto* load = std::get_if<TLoad>(&operation)) {
    bytes -= static_cast<std::uint64_t>(box.rows() * load->padding_cols * size_of(box.dtype));
  }
  const bool is_tile = ends.dst == nullptr;
  deliveries_.push_back({event, to, box.base, bytes, pieces, is_tile, bytes == 0});
  return static_cast<DeliveryId>(deliveries_.size() - 1);
}

ValueIdentity DeliveryCheck::intern(Key key) {
  const auto [known, is_new] = identities_.try_emplace(std::move(key), last_identity_ + 1);
  if (is_new) ++last_identity_;
  return known->second;
}

std::uint64_t DeliveryCheck::last_write(const GmBox& box) const {
  if (box.base.device >= memories_.size() || box.elements() == 0) return 0;
  std::uint64_t last = 0;
  const std::uint64_t begin = box.base.offset_bytes;
  memories_[box.base.device].visit(begin, begin + extent_bytes(box),
                                   [&](std::uint64_t, std::uint64_t, const Bytes& bytes) {
                                     last = std::max(last, bytes.serial);
                                   });
  return last;
}

void DeliveryCheck::describe(Key& key, const GmBox& box) {
  key.insert(key.end(), {box.base.device, static_cast<std::int64_t>(box.base.offset_bytes),
                         static_cast<std::int64_t>(box.dtype)});
  key.insert(key.end(), box.shape.begin(), box.shape.end());
  key.insert(key.end(), box.stride.begin(), box.stride.end());
}

void DeliveryCheck::describe(Key& key, const RunEvent& event, const Tile& tile) {
  key.insert(key.end(),
             {static_cast<std::int64_t>(tile.dtype), static_cast<std::int64_t>(tile.layout),
              tile.rows, tile.cols, tile.valid_rows, tile.valid_cols});
  // Bytes that nothing wrote are this task's alone.
  if (!tiles_.describe(key, event.task, tile))
    key.insert(key.end(), {-1, static_cast<std::int64_t>(++last_identity_)});
}

/// What a load or a plain transfer moves, and where to.
ValueIdentity DeliveryCheck::identity_of(const RunEvent& event, const Operation& operation) {
  const Ends ends = std::visit(EndsOf{}, operation);
  if ((ends.src == nullptr && ends.dst == nullptr) || ends.adds) return ++last_identity_;
  Key key{ends.src != nullptr, ends.dst != nullptr};
  if (ends.src != nullptr) {
    describe(key, *ends.src);
    key.push_back(static_cast<std::int64_t>(last_write(*ends.src)));
  } else {
    describe(key, event, std::get<TStore>(operation).src);
  }
  if (ends.dst != nullptr) {
    describe(key, *ends.dst);
  } else {
    const Tile& tile = std::get<TLoad>(operation).dst;
    key.insert(key.end(), {static_cast<std::int64_t>(tile.layout), tile.rows, tile.cols,
                           tile.valid_rows, tile.valid_cols});
  }
  return intern(std::move(key));
}

RangeMap<DeliveryCheck::Bytes>& DeliveryCheck::memory(std::uint32_t device) {
  if (device >= memories_.size()) memories_.resize(device + 1);
  return memories_[device];
}

void DeliveryCheck::read(GlobalAddress address, std::uint64_t bytes) {
  memory(address.device)
      .change(
          address.offset_bytes, address.offset_bytes + bytes,
          [](std::uint64_t, std::uint64_t, Bytes& here) { here.unread = DeliveryLists::kEmpty; });
}

/// Adds bytes to what a delivery wasted in the same way.
void DeliveryCheck::waste(std::vector<Waste>& wastes, const Waste& more) {
  for (auto known = wastes.rbegin(); known != wastes.rend(); ++known) {
    if (known->delivery != more.delivery || known->kind != more.kind || known->other != more.other)
      continue;
    if (known->stretch_bytes == known->bytes && known->address.device == more.address.device &&
        known->address.offset_bytes + known->bytes == more.address.offset_bytes)
      known->stretch_bytes += more.bytes;
    known->bytes += more.bytes;
    return;
  }
  wastes.push_back(more);
}

void DeliveryCheck::write(GlobalAddress address, std::uint64_t bytes, ValueIdentity identity,
                          const RunEvent& event, std::optional<DeliveryId> delivery) {
  std::vector<Waste> found;
  memory(address.device)
      .change(address.offset_bytes, address.offset_bytes + bytes,
              [&](std::uint64_t begin, std::uint64_t end, Bytes& here) {
                const bool same = delivery && here.identity == identity;
                lists_.for_each(here.unread, [&](DeliveryId earlier) {
                  const GlobalAddress at{address.device, begin};
                  const std::uint64_t size = end - begin;
                  waste(found, same ? Waste{*delivery, WastedDelivery::Kind::twice,
                                            deliveries_[earlier].at.source, at, size, size}
                                    : Waste{earlier, WastedDelivery::Kind::overwritten,
                                            event.source, at, size, size});
                });
                here = {identity, serial_, DeliveryLists::kEmpty};
                if (delivery) here.unread = lists_.with(here.unread, *delivery);
              });
  for (const Waste& one : found)
    wastes_.push_back(one);
}

void DeliveryCheck::add(GlobalAddress address, std::uint64_t bytes,
                        std::optional<DeliveryId> delivery) {
  const ValueIdentity identity = ++last_identity_;
  memory(address.device)
      .change(address.offset_bytes, address.offset_bytes + bytes,
              [&](std::uint64_t, std::uint64_t, Bytes& here) {
                here.identity = identity;
                here.serial = serial_;
                if (delivery) here.unread = lists_.with(here.unread, *delivery);
              });
}

void DeliveryCheck::check_size() {
  std::uint64_t records =
      deliveries_.size() + lists_.size() + wastes_.size() + 3 * identities_.size();
  for (const RangeMap<Bytes>& memory : memories_)
    records += memory.stretches();
  if (records <= max_records_) return;
  complete_ = false;
  memories_.clear();
  lists_.clear();
  identities_.clear();
  tiles_.clear();
}

void DeliveryCheck::on_operation(const RunEvent& event, const Operation& operation) {
  if (!complete_) return;
  if (std::holds_alternative<TaskEnd>(operation)) {
    tiles_.forget(event.task);
    check_size();
    return;
  }
  ++serial_;
  current_.delivery = enter(event, operation);
  tiles_.read(event.task, operation, [&](DeliveryId id) { deliveries_[id].used = true; });
  const Ends ends = std::visit(EndsOf{}, operation);
  current_.identity = ends.dst == nullptr ? ++last_identity_ : identity_of(event, operation);
  const bool is_load = std::holds_alternative<TLoad>(operation);
  tiles_.write(event.task, operation, is_load ? identity_of(event, operation) : ++last_identity_,
               is_load ? current_.delivery : std::nullopt);
  constexpr std::uint64_t kOften = 1024;
  if (serial_ % kOften == 0) check_size();
}

void DeliveryCheck::on_access(const RunEvent& event, AccessKind kind, GlobalAddress address,
                              std::uint64_t bytes) {
  if (!complete_) return;
  switch (kind) {
    case AccessKind::read:
      return read(address, bytes);
    case AccessKind::write:
      return write(address, bytes, current_.identity, event, current_.delivery);
    case AccessKind::atomic_add:
      return add(address, bytes, current_.delivery);
  }
}

void DeliveryCheck::on_wait(const RunEvent& /*event*/, const TWait& wait, std::int32_t /*value*/) {
  if (complete_) read(wait.cell, kCellBytes);
}

void DeliveryCheck::on_meet(const RunEvent& /*event*/, const TDeferWait& condition,
                            std::int32_t /*value*/) {
  if (complete_) read(condition.cell, kCellBytes);
}

std::vector<WastedDelivery> DeliveryCheck::wasted() const {
  std::vector<Waste> all;
  std::map<DeliveryId, std::vector<Waste>> by_delivery;
  for (const Waste& one : wastes_)
    waste(by_delivery[one.delivery], one);
  for (std::uint32_t device = 0; device < memories_.size(); ++device) {
    memories_[device].visit(0, ~std::uint64_t{0},
                            [&](std::uint64_t begin, std::uint64_t end, const Bytes& bytes) {
                              lists_.for_each(bytes.unread, [&](DeliveryId one) {
                                waste(by_delivery[one], {one,
                                                         WastedDelivery::Kind::unread,
                                                         std::nullopt,
                                                         {device, begin},
                                                         end - begin,
                                                         end - begin});
                              });
                            });
  }
  for (DeliveryId id = 0; id < deliveries_.size(); ++id) {
    const Delivery& one = deliveries_[id];
    if (complete_ && one.is_tile && !one.used) {
      by_delivery[id].push_back(
          {id, WastedDelivery::Kind::unused_tile, std::nullopt, one.address, one.bytes, one.bytes});
    }
  }
  std::vector<WastedDelivery> found;
  for (const auto& [id, wastes] : by_delivery) {
    const Delivery& delivery = deliveries_[id];
    for (const Waste& one : wastes) {
      found.push_back({one.kind, delivery.at, delivery.receiver, one.other, one.address, one.bytes,
                       one.stretch_bytes, one.bytes == delivery.bytes, delivery.pieces});
    }
  }
  return found;
}

}  // namespace a2a3::isa
