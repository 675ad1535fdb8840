// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/memory.hpp"

namespace a2a3::isa {

// The effect of each operation, as isa::execute defines it.
void apply(const TLoad& load, LocalMemory local, GlobalPort& global);
void apply(const TStore& store, LocalMemory local, GlobalPort& global);
void apply(const TPut& put, LocalMemory local, GlobalPort& global);
void apply(const TGet& get, LocalMemory local, GlobalPort& global);
void apply(const TPutAsync& put, GlobalPort& global);
void apply(const TGetAsync& get, GlobalPort& global);
void apply(const TNotify& notify, GlobalPort& global);
void apply(const TBinary& binary, LocalMemory local);
void apply(const TBinaryScalar& binary, LocalMemory local);
void apply(const TUnary& unary, LocalMemory local);
void apply(const TCast& cast, LocalMemory local);
void apply(const TFill& fill, LocalMemory local);
void apply(const TMove& move, LocalMemory local);
void apply(const TRowSum& sum, LocalMemory local);
void apply(const TMatmul& product, LocalMemory local);
void apply(const ScalarRead& read, LocalMemory local, GlobalPort& global);
void apply(const ScalarWrite& write, LocalMemory local, GlobalPort& global);

}  // namespace a2a3::isa
