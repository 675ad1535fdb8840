// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/run_points.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <new>
#include <optional>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "tools/run.hpp"
#include "tools/sweep/interrupt.hpp"
#include "tools/sweep/sweep_progress.hpp"

namespace a2a3::tools {
namespace {

PointResult failure(const char* status, ExitStatus exit_status, std::string error) {
  PointResult result;
  result.status = status;
  result.exit_status = exit_status;
  result.error = std::move(error);
  return result;
}

/// What a run gives, whatever it throws.
PointResult guarded_run(const RunOptions& options) {
  try {
    return result_of(execute_run(options));
  } catch (const std::bad_alloc&) {
    return failure(PointResult::kKilled, ExitStatus::wrong_input, "not enough memory for this run");
  } catch (const std::exception& error) {
    return failure("internal fault", ExitStatus::internal_fault, error.what());
  }
}

/// The child: one run, its result into the store. Ends with the parent, also when that is killed.
[[noreturn]] void run_worker(const SweepPoint& point, const std::string& hash,
                             const ResultStore& store, const std::string& log, pid_t parent) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  if (getppid() != parent) _exit(1);
  InterruptWatch::forget();
  const int nowhere = open("/dev/null", O_WRONLY);
  const int errors = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  dup2(nowhere, STDOUT_FILENO);
  dup2(errors < 0 ? nowhere : errors, STDERR_FILENO);
  const std::string error = store.write(hash, guarded_run(point.options));
  if (!error.empty()) fmt::print(stderr, "{}\n", error);
  std::fflush(stderr);
  _exit(error.empty() ? 0 : 1);
}

std::string last_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string last;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

/// The result of a worker that left none.
PointResult result_of_death(int wait_status, const std::string& log) {
  const std::string said = last_line(log);
  const std::string words = said.empty() ? "" : ": " + said;
  if (!WIFSIGNALED(wait_status)) {
    return failure(PointResult::kKilled, ExitStatus::internal_fault,
                   fmt::format("ended without a result{}", words));
  }
  const int signal = WTERMSIG(wait_status);
  if (signal == SIGKILL) {
    return failure(PointResult::kKilled, ExitStatus::wrong_input,
                   "killed by signal 9, as the system does when memory runs out (-j 1 takes less)");
  }
  return failure(PointResult::kKilled, ExitStatus::internal_fault,
                 fmt::format("killed by signal {} ({}){}", signal, strsignal(signal), words));
}

/// Points to run, those that take longest first, so that no long one is left for the end.
std::vector<std::size_t> in_order_of_work(const std::vector<SweepPoint>& points,
                                          std::vector<std::size_t> missing) {
  std::ranges::stable_sort(
      missing, [&](std::size_t a, std::size_t b) { return points[a].weight > points[b].weight; });
  return missing;
}

class Pool {
 public:
  Pool(const std::vector<SweepPoint>& points, const std::vector<std::string>& hashes,
       const ResultStore& store, std::vector<PointResult>& results)
      : points_(points), hashes_(hashes), store_(store), results_(results) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  /// Leaves nobody behind when something throws.
  ~Pool() {
    for (const auto& [pid, worker] : workers_)
      kill(pid, SIGKILL);
    for (const auto& [pid, worker] : workers_) {
      waitpid(pid, nullptr, 0);
      clear_up_after(pid, worker);
    }
  }

  [[nodiscard]] std::size_t running() const { return workers_.size(); }

  void start(std::size_t point) {
    std::cout.flush();
    std::cerr.flush();
    std::fflush(nullptr);
    const std::string log = store_.log_path(hashes_[point]).string();
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (child == 0) run_worker(points_[point], hashes_[point], store_, log, parent);
    workers_[child] = {point, log};
  }

  /// Waits for one of them and takes its result. The point's index.
  std::size_t finish_one() {
    int status = 0;
    std::map<pid_t, Worker>::node_type ended;
    while (!ended) {
      const pid_t child = waitpid(-1, &status, 0);
      const int error = child < 0 ? errno : 0;
      ended = workers_.extract(child);
      try {
        InterruptWatch::check();
      } catch (...) {
        if (ended) clear_up_after(ended.key(), ended.mapped());
        throw;
      }
      if (error != 0 && error != EINTR)
        throw std::system_error(error, std::generic_category(), "waitpid");
    }
    const Worker& worker = ended.mapped();
    const bool wrote = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    std::optional<PointResult> result;
    if (wrote) result = store_.read(hashes_[worker.point]);
    if (!result) {
      result = result_of_death(status, worker.log);
      // A store that cannot be written to has no result either way: the point is run again.
      (void)store_.write(hashes_[worker.point], *result);
    }
    clear_up_after(ended.key(), worker);
    results_[worker.point] = *std::move(result);
    return worker.point;
  }

 private:
  struct Worker {
    std::size_t point = 0;
    std::string log;
  };

  void clear_up_after(pid_t process, const Worker& worker) const {
    std::error_code ignored;
    std::filesystem::remove(worker.log, ignored);
    std::filesystem::remove(store_.unfinished_path(hashes_[worker.point], process), ignored);
  }

  const std::vector<SweepPoint>& points_;
  const std::vector<std::string>& hashes_;
  const ResultStore& store_;
  std::vector<PointResult>& results_;
  std::map<pid_t, Worker> workers_;
};

}  // namespace

PoolReport run_points(const std::vector<SweepPoint>& points, const std::vector<std::string>& hashes,
                      const ResultStore& store, const PoolOptions& options) {
  PoolReport report;
  report.results.resize(points.size());
  std::map<std::string, std::size_t> first;
  std::vector<std::size_t> missing;
  double weight = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!first.emplace(hashes[i], i).second) continue;
    const auto known = store.read(hashes[i]);
    if (known && known->is_final()) {
      report.results[i] = *known;
      continue;
    }
    missing.push_back(i);
    weight += points[i].weight;
  }
  const unsigned jobs =
      options.jobs > 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  SweepProgress progress(missing.size(), weight, options.progress);
  const InterruptWatch watch;
  Pool pool(points, hashes, store, report.results);
  const auto finish_one = [&] {
    const std::size_t point = pool.finish_one();
    progress.finished(points[point].weight, report.results[point].failed());
  };
  for (const std::size_t point : in_order_of_work(points, missing)) {
    if (pool.running() == jobs) finish_one();
    pool.start(point);
  }
  while (pool.running() > 0)
    finish_one();
  report.ran = missing.size();
  for (std::size_t i = 0; i < points.size(); ++i)
    report.results[i] = report.results[first.at(hashes[i])];
  return report;
}

}  // namespace a2a3::tools
