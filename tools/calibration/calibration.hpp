// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/diagnostic.hpp"
#include "ir/source.hpp"
#include "models/machine_description.hpp"
#include "tools/calibration/workload.hpp"

namespace a2a3::tools {

/// What the measured figures of a table are in.
enum class CalibrationUnit : std::uint8_t {
  counts,
  cycles,
  nanoseconds,
  microseconds,
  gigabytes_per_second
};

/// One published figure.
struct CalibrationRow {
  WorkloadInput input;
  std::string label;  ///< the row's own values, as they are printed
  double measured = 0;
  double row_error = 0;  ///< largest absolute error allowed, as a share of `measured`
  ir::SourceLocation location;
};

struct CalibrationTable {
  std::string name;
  std::string title;
  std::string source;
  const Workload* workload = nullptr;
  CalibrationUnit unit = CalibrationUnit::cycles;
  std::optional<double> mean_error;  ///< bound on the mean of the rows' absolute errors
  std::vector<CalibrationRow> rows;
};

/// Measurements of a machine: a file of yaml/calibration.
struct CalibrationData {
  std::string machine;
  double count_seconds = 0;  ///< of the system counter
  std::vector<CalibrationTable> tables;
};

/// A row's measured figure beside the simulated one, in the table's unit.
struct RowResult {
  double simulated = 0;
  double error = 0;  ///< (simulated - measured) / measured
  bool within = false;
};

struct TableResult {
  std::vector<RowResult> rows;
  double mean_error = 0;  ///< mean of the absolute errors
  bool within = false;    ///< rows and mean
};

[[nodiscard]] const char* name(CalibrationUnit unit);

/// Simulates every row of a table on the machine. A row that the machine cannot do is an error at
/// its place.
[[nodiscard]] TableResult calibrate(const CalibrationTable& table, double count_seconds,
                                    const models::MachineDescription& machine,
                                    ir::Diagnostics& diagnostics);

}  // namespace a2a3::tools
