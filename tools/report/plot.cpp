// SPDX-License-Identifier: Apache-2.0
#include "tools/report/plot.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/output_file.hpp"
#include "tools/sweep/temporary_directory.hpp"

extern char** environ;

namespace a2a3::tools {
namespace {

/// Okabe and Ito, "Color Universal Design", 2008, without the yellow, which is faint on white.
constexpr const char* kColours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                    "#56B4E9", "#E69F00", "#000000"};
/// gnuplot's point types: filled and open circle, square, triangle, diamond.
constexpr int kPoints[] = {7, 4, 9, 12, 6, 5, 8};
constexpr std::size_t kPanelsInRow = 3;
constexpr std::size_t kMostTicks = 7;
constexpr std::size_t kPanelWidth = 380;
constexpr std::size_t kPanelHeight = 340;
constexpr std::size_t kTitleHeight = 40;

std::string in_quotes(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') quoted += '\'';
    quoted += c == '\n' ? ' ' : c;
  }
  return quoted + "'";
}

/// Data of all series, named $d0, $d1, ... in the order of the panels.
std::string data_blocks(const Plot& plot) {
  std::string text;
  std::size_t block = 0;
  for (const PlotPanel& panel : plot.panels) {
    for (const PlotSeries& series : panel.series) {
      text += fmt::format("$d{} << EOD\n", block++);
      for (const auto& [x, y] : series.points)
        text += fmt::format("{:.17g} {:.17g}\n", x, y);
      text += "EOD\n";
    }
  }
  return text;
}

/// Smallest and largest x or y of all panels, as "[a:b]" with room around.
std::string axis_range(const Plot& plot, double std::pair<double, double>::*axis) {
  double low = 0;
  double high = 0;
  for (const PlotPanel& panel : plot.panels) {
    for (const PlotSeries& series : panel.series) {
      for (const auto& point : series.points) {
        low = low == 0 ? point.*axis : std::min(low, point.*axis);
        high = std::max(high, point.*axis);
      }
    }
  }
  constexpr double kRoom = 1.3;
  return fmt::format("[{:.6g}:{:.6g}]", low / kRoom, high * kRoom);
}

/// The tick marks of x, at most kMostTicks of them, evenly left out when there are more.
std::string x_ticks(const Plot& plot) {
  const std::size_t every = (plot.x_ticks.size() + kMostTicks - 1) / kMostTicks;
  std::string text;
  for (std::size_t i = 0; i < plot.x_ticks.size(); i += every) {
    const auto& [label, x] = plot.x_ticks[i];
    text += fmt::format("{}{} {:.17g}", text.empty() ? "" : ", ", in_quotes(label), x);
  }
  return text;
}

bool has_points(const Plot& plot) {
  return std::ranges::any_of(plot.panels, [](const PlotPanel& panel) {
    return std::ranges::any_of(panel.series,
                               [](const PlotSeries& series) { return !series.points.empty(); });
  });
}

/// The exit status of gnuplot; an error number of the system, negated, when it did not start.
int run_gnuplot(const std::string& script) {
  std::string name = "gnuplot";
  std::string defaults = "-d";  // no settings of the user's
  std::string file = script;
  char* arguments[] = {name.data(), defaults.data(), file.data(), nullptr};
  pid_t child = -1;
  if (const int error = posix_spawnp(&child, "gnuplot", nullptr, nullptr, arguments, environ)) {
    return -error;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

std::string gnuplot_commands(const Plot& plot, const std::filesystem::path& svg) {
  const std::size_t columns = std::clamp<std::size_t>(plot.panels.size(), 1, kPanelsInRow);
  const std::size_t rows = (plot.panels.size() + columns - 1) / columns;
  std::string text = data_blocks(plot);
  text += fmt::format(
      "set encoding utf8\n"
      "set terminal svg noenhanced size {},{} fixed font 'sans-serif,12' background '#ffffff'\n"
      "set output {}\n"
      "set multiplot layout {},{} title {} noenhanced\n"
      "set logscale x 2\nset logscale y 10\n"
      "set format y '%g'\nset xtics rotate by -45 ({})\n"
      "set grid xtics ytics linecolor '#dddddd' linetype 1 linewidth 0.5\n"
      "set border linecolor '#444444'\n"
      "set key top left Left reverse noenhanced\n"
      "set xlabel {}\nset ylabel {}\nset xrange {}\nset yrange {}\n",
      kPanelWidth * columns, kPanelHeight * rows + kTitleHeight, in_quotes(svg.string()), rows,
      columns, in_quotes(plot.title), x_ticks(plot), in_quotes(plot.x_label),
      in_quotes(plot.y_label), axis_range(plot, &std::pair<double, double>::first),
      axis_range(plot, &std::pair<double, double>::second));
  std::size_t block = 0;
  for (const PlotPanel& panel : plot.panels) {
    text += fmt::format("set title {} noenhanced\n", in_quotes(panel.title));
    std::string curves;
    for (std::size_t s = 0; s < panel.series.size(); ++s, ++block) {
      if (panel.series[s].points.empty()) continue;
      curves += fmt::format(
          "{}$d{} using 1:2 with linespoints linewidth 2 dashtype {} pointtype {} pointsize 0.6 "
          "linecolor '{}' title {}",
          curves.empty() ? "plot " : ", ", block, s % 5 + 1, kPoints[s % std::size(kPoints)],
          kColours[s % std::size(kColours)], in_quotes(panel.series[s].name));
    }
    text += curves.empty() ? "set multiplot next\n" : curves + "\n";
  }
  return text + "unset multiplot\nunset output\n";
}

std::string draw_svg(const Plot& plot, const std::filesystem::path& svg) {
  if (!has_points(plot)) return "there is nothing to plot: no run gave a time";
  std::optional<TemporaryDirectory> directory;
  try {
    directory.emplace();
  } catch (const NoTemporaryDirectory& error) {
    return error.what();
  }
  const std::filesystem::path script = directory->path() / "plot.gnuplot";
  const std::filesystem::path drawn = directory->path() / "plot.svg";
  if (std::string error = write_whole_file(script, gnuplot_commands(plot, drawn)); !error.empty())
    return error;
  const int status = run_gnuplot(script.string());
  if (status == -ENOENT)
    return "gnuplot is not installed; on Debian: sudo apt-get install gnuplot-nox";
  if (status < 0) return fmt::format("cannot start gnuplot: {}", std::strerror(-status));
  if (status > 0) return fmt::format("gnuplot ended with exit status {}", status);
  std::ostringstream text;
  text << std::ifstream(drawn, std::ios::binary).rdbuf();
  return write_whole_file(svg, text.str());
}

}  // namespace a2a3::tools
