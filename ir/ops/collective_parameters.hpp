// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "ir/op.hpp"

/// Operands of the collectives (kernel_language 4.5).
namespace a2a3::ir::parameters {

inline constexpr std::array kBarrier{OpParameter{"signal"}};
inline constexpr std::array kBroadcast{OpParameter{"target"}, OpParameter{"signal"},
                                       OpParameter{"root", true, true}};
inline constexpr std::array kAllreduce{
    OpParameter{"target"}, OpParameter{"signal", false, false, "None"},
    OpParameter{"op", false, true, "pld.ReduceOp.Sum"},
    OpParameter{"mode", false, true, "\"mesh\""}, OpParameter{"core_num", false, true, "1"}};
inline constexpr std::array kAllgather{OpParameter{"local_data"}, OpParameter{"target"},
                                       OpParameter{"signal"}};
inline constexpr std::array kReduceScatter{OpParameter{"target"}, OpParameter{"signal"},
                                           OpParameter{"op", false, true, "pld.ReduceOp.Sum"}};
inline constexpr std::array kAllToAll{OpParameter{"input"}, OpParameter{"target"},
                                      OpParameter{"signal"}};
inline constexpr std::array kAllToAllV{OpParameter{"input"}, OpParameter{"target"},
                                       OpParameter{"signal"}, OpParameter{"send_counts"},
                                       OpParameter{"recv_counts"}};

}  // namespace a2a3::ir::parameters
