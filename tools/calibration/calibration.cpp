// SPDX-License-Identifier: Apache-2.0
#include "tools/calibration/calibration.hpp"

#include <cmath>

#include <fmt/format.h>

#include "tools/calibration/program.hpp"

namespace a2a3::tools {
namespace {

/// What was simulated, in the unit of the measured figure.
double in_unit(const Simulated& simulated, CalibrationUnit unit, double count_seconds,
               const models::MachineDescription& machine) {
  const double seconds = static_cast<double>(simulated.time) * 1e-12;
  switch (unit) {
    case CalibrationUnit::counts:
      return seconds / count_seconds;
    case CalibrationUnit::cycles:
      return seconds * machine.core.clock_hz;
    case CalibrationUnit::nanoseconds:
      return seconds * 1e9;
    case CalibrationUnit::microseconds:
      return seconds * 1e6;
    case CalibrationUnit::gigabytes_per_second:
      return static_cast<double>(simulated.bytes) / seconds * 1e-9;
  }
  return 0;
}

}  // namespace

const char* name(CalibrationUnit unit) {
  switch (unit) {
    case CalibrationUnit::counts:
      return "counts";
    case CalibrationUnit::cycles:
      return "cycles";
    case CalibrationUnit::nanoseconds:
      return "ns";
    case CalibrationUnit::microseconds:
      return "us";
    case CalibrationUnit::gigabytes_per_second:
      return "GB/s";
  }
  return "";
}

TableResult calibrate(const CalibrationTable& table, double count_seconds,
                      const models::MachineDescription& machine, ir::Diagnostics& diagnostics) {
  TableResult result;
  result.within = true;
  double sum = 0;
  for (const CalibrationRow& row : table.rows) {
    RowResult& one = result.rows.emplace_back();
    try {
      one.simulated =
          in_unit(table.workload->simulate(row.input, machine), table.unit, count_seconds, machine);
    } catch (const WorkloadError& error) {
      diagnostics.error(row.location, fmt::format("{} cannot run on {}: {}", table.workload->name,
                                                  machine.name, error.what()));
    }
    one.error = (one.simulated - row.measured) / row.measured;
    one.within = std::abs(one.error) <= row.row_error;
    result.within = result.within && one.within;
    sum += std::abs(one.error);
  }
  result.mean_error = sum / static_cast<double>(table.rows.size());
  if (table.mean_error && result.mean_error > *table.mean_error) result.within = false;
  return result;
}

}  // namespace a2a3::tools
