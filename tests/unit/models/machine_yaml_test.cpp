// SPDX-License-Identifier: Apache-2.0
#include "models/machine_yaml.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "models/compare_file.hpp"
#include "models/load_machine.hpp"
#include "models/machine_fields.hpp"
#include "models/machine_reference.hpp"
#include "models/run_file.hpp"
#include "models/sweep_file.hpp"

namespace a2a3::models::machine_yaml_test {
namespace {

namespace fs = std::filesystem;

const MachineSearch kShipped{A2A3_SOURCE_DIR, {}};

TEST(MachineYaml, A2HoldsThePublishedFigures) {
  const MachineYaml read = read_machine("a2", kShipped);
  ASSERT_TRUE(read.machine) << format(read.diagnostics);
  const MachineDescription& machine = *read.machine;
  EXPECT_EQ(machine.name, "a2");
  EXPECT_EQ(machine.devices, 8u);
  EXPECT_EQ(machine.vector_cores_per_device, 48u);
  EXPECT_EQ(machine.core.clock_hz, 1.85e9);
  EXPECT_EQ(machine.core.ub_bytes, 192u * 1024);
  EXPECT_EQ(machine.core.ub_reserved_bytes, 8u * 1024);
  EXPECT_EQ(machine.core.load_startup_cycles, 264);
  EXPECT_EQ(machine.core.store_startup_cycles, 153);
  EXPECT_EQ(machine.vector.div.slope_cycles, 4.03);
  EXPECT_EQ(machine.vector.div.bias_cycles, 31);
  EXPECT_EQ(machine.memory.read_bytes_per_second, 1.49e12);
  EXPECT_EQ(machine.link.bytes_per_second, 28e9);
  EXPECT_DOUBLE_EQ(machine.link.hop_seconds, 160e-9);
  EXPECT_EQ(machine.link.packet_header_bytes, 38u);
  EXPECT_DOUBLE_EQ(machine.signal.clean_seconds, 80e-9);
  EXPECT_DOUBLE_EQ(machine.sdma.stream_bytes_per_second, 21e9);
  EXPECT_EQ(machine.signal.payload_bytes, 4u);
}

TEST(MachineYaml, EveryFigureOfAShippedMachineHasASource) {
  ASSERT_GE(shipped_machines(kShipped).size(), 2u);
  for (const std::string& name : shipped_machines(kShipped)) {
    const MachineYaml read = read_machine(name, kShipped);
    ASSERT_TRUE(read.machine) << format(read.diagnostics);
    EXPECT_NE(read.machine->description, "");
    const auto count = std::ranges::count_if(machine_fields(), [&](const MachineField& field) {
      return field.read_by == nullptr || field.read_by(*read.machine);
    });
    EXPECT_EQ(read.values.size(), static_cast<std::size_t>(count));
    for (const MachineValue& value : read.values) {
      EXPECT_NE(value.source, "none given") << name << ": " << value.path;
      EXPECT_NE(value.where(), "") << name << ": " << value.path;
      EXPECT_NE(value.help, "") << value.path;
    }
  }
}

TEST(MachineYaml, DefaultMachineIsA2WithAnyNumberOfDevices) {
  const MachineYaml a2 = read_machine("a2", kShipped);
  const MachineYaml any = read_machine("a2a3sim", kShipped);
  ASSERT_TRUE(a2.machine && any.machine);
  EXPECT_EQ(any.machine->devices, 0u);
  for (const MachineField& field : machine_fields()) {
    if (field.path != "devices") {
      EXPECT_EQ(field.get(*a2.machine), field.get(*any.machine)) << field.path;
    }
  }
}

TEST(MachineYaml, A3HoldsThePublishedFigures) {
  const MachineYaml read = read_machine("a3", kShipped);
  ASSERT_TRUE(read.machine) << format(read.diagnostics);
  const MachineDescription& machine = *read.machine;
  EXPECT_EQ(machine.topology, Topology::switched);
  EXPECT_EQ(machine.switched.uplink_bytes_per_second, 196e9);
  const double startup = machine.core.load_startup_cycles / machine.core.clock_hz;
  const auto total = [&](const TierParameters& tier) { return startup + 2 * tier.hop_seconds; };
  EXPECT_NEAR(total(machine.switched.package), 0.20e-6, 0.2e-9);
  EXPECT_NEAR(total(machine.switched.node), 0.70e-6, 0.2e-9);
  EXPECT_NEAR(total(machine.switched.cluster), 2.10e-6, 0.2e-9);
  EXPECT_EQ(machine.switched.package.aiv_read_bytes_per_second, 210e9);
  EXPECT_EQ(machine.switched.node.aiv_read_bytes_per_second, 170e9);
  EXPECT_EQ(machine.switched.node.dma_write_bytes_per_second, 126e9);
  EXPECT_EQ(machine.switched.cluster.aiv_read_bytes_per_second, 150e9);
  for (const MachineValue& value : read.values)
    EXPECT_NE(value.path, "link.bandwidth") << "of a2, which a switch does not read";
}

TEST(MachineYaml, TheUsersExampleChangesWhatItSays) {
  const MachineYaml a2 = read_machine("a2", kShipped);
  const MachineYaml mine =
      read_machine(std::string(A2A3_SOURCE_DIR) + "/examples/machines/my_a2.yaml", kShipped);
  ASSERT_TRUE(mine.machine) << format(mine.diagnostics);
  EXPECT_EQ(mine.machine->link.bytes_per_second, 2 * a2.machine->link.bytes_per_second);
  EXPECT_EQ(mine.machine->core.clock_hz, a2.machine->core.clock_hz);
  ASSERT_EQ(mine.machine->slow_links.size(), 2u);
  EXPECT_EQ(mine.machine->slow_links[0].bytes_per_second, 14e9);
  EXPECT_EQ(mine.machine->slow_links[1].hop_seconds, 1e-6);
  EXPECT_EQ(mine.machine->launch.random_skew.kind, SkewKind::uniform);
  EXPECT_EQ(mine.values.back().path, "slow_links");
  EXPECT_EQ(mine.values.back().source, "assumed: both directions");
}

TEST(MachineYaml, DeviceCount) {
  const MachineDescription a2 = *read_machine("a2", kShipped).machine;
  const MachineDescription any = *read_machine("a2a3sim", kShipped).machine;
  EXPECT_FALSE(check_device(a2, 7));
  EXPECT_FALSE(check_device(any, 4095));
  EXPECT_TRUE(check_device(a2, 8));
  const std::optional<ir::Diagnostic> error = check_device(a2, 15);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "there is no device 15: machine 'a2' has devices 0 to 7");
  const std::string note = error->notes.at(0).message;
  EXPECT_NE(note.find("extends: a2"), std::string::npos);
  EXPECT_NE(note.find("devices: 16"), std::string::npos);
}

TEST(MachineYaml, UnknownNameListsTheShippedOnes) {
  const LoadedMachine loaded = load_machine("a3x", A2A3_SOURCE_DIR);
  EXPECT_FALSE(loaded.machine);
  EXPECT_NE(loaded.errors.find("unknown machine 'a3x'"), std::string::npos);
  EXPECT_NE(loaded.errors.find("a2, a2a3sim"), std::string::npos);
  EXPECT_FALSE(load_machine("", A2A3_SOURCE_DIR).machine);
  EXPECT_FALSE(load_machine("..", A2A3_SOURCE_DIR).machine);
  EXPECT_FALSE(load_machine("./nowhere.yaml", A2A3_SOURCE_DIR).machine);
  EXPECT_FALSE(load_machine("a2", "/nowhere").machine);
}

TEST(MachineFields, SetAndGetAgreeAndReachDistinctMembers) {
  MachineDescription machine;
  double value = 1;
  for (const MachineField& field : machine_fields()) {
    if (field.words.empty()) field.set(machine, value++);
  }
  value = 1;
  std::set<std::string> paths;
  for (const MachineField& field : machine_fields()) {
    if (field.words.empty()) {
      EXPECT_EQ(field.get(machine), value++) << field.path;
    }
    EXPECT_TRUE(paths.insert(field.path).second) << field.path;
    EXPECT_LE(field.low, field.high) << field.path;
  }
}

TEST(MachineFields, MappingsFollowThePaths) {
  const auto& mappings = machine_mappings();
  EXPECT_EQ(mappings.at("vector.add"), (std::vector<std::string>{"slope", "bias"}));
  EXPECT_EQ(mappings.at("launch"),
            (std::vector<std::string>{"skew", "distribution", "seed", "max", "mean", "deviation"}));
  const std::vector<std::string>& root = mappings.at("");
  EXPECT_EQ(root.front(), "extends");
  EXPECT_NE(std::find(root.begin(), root.end(), "link"), root.end());
}

std::string content(const fs::path& path) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// A generated file is what the generator says; with A2A3_REBASE=1 it is written.
void expect_generated(const char* name, const std::string& text) {
  const fs::path path = fs::path(A2A3_SOURCE_DIR) / "yaml" / "schema" / name;
  if (std::getenv("A2A3_REBASE") != nullptr) std::ofstream(path) << text;
  EXPECT_EQ(content(path), text) << "run models_tests with A2A3_REBASE=1 to write " << path;
}

TEST(Schema, FilesAreGenerated) {
  expect_generated("machine.schema.json", machine_schema());
  expect_generated("run.schema.json", run_file_schema());
  expect_generated("sweep.schema.json", sweep_file_schema());
  expect_generated("compare.schema.json", compare_file_schema());
}

TEST(Reference, NamesEveryField) {
  const std::string table = machine_reference();
  for (const MachineField& field : machine_fields()) {
    EXPECT_NE(table.find("`" + field.path + "`"), std::string::npos) << field.path;
  }
}

}  // namespace
}  // namespace a2a3::models::machine_yaml_test
