// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace a2a3::tools {

/// A line of a plot: x and y in ascending x.
struct PlotSeries {
  std::string name;
  std::vector<std::pair<double, double>> points;
};

struct PlotPanel {
  std::string title;
  std::vector<PlotSeries> series;
};

/// Panels side by side with the same axes, both logarithmic.
struct Plot {
  std::string title;
  std::string x_label;  ///< with its unit
  std::string y_label;
  std::vector<std::pair<std::string, double>> x_ticks;  ///< text and place
  std::vector<PlotPanel> panels;
};

/// The commands that draw the plot to `svg`: on white, the colours of Okabe and Ito, which the
/// colour-blind can tell apart, and for every series another dash and another point as well.
[[nodiscard]] std::string gnuplot_commands(const Plot& plot, const std::filesystem::path& svg);

/// Draws with gnuplot. The same plot gives the same bytes. An error text, empty when the file is
/// written; it says how gnuplot is installed when it is missing.
[[nodiscard]] std::string draw_svg(const Plot& plot, const std::filesystem::path& svg);

}  // namespace a2a3::tools
