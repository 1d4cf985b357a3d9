#include "base/process/descendants.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>

namespace kjoule {

namespace {

using std::chrono::steady_clock;
constexpr auto kTermPatience = std::chrono::seconds(2);
constexpr auto kLookAgain = std::chrono::milliseconds(10);
/// Longest wait for a killed process, which may still be busy in the driver.
constexpr auto kLongestDeath = std::chrono::seconds(10);

struct Stat {
  char state = '?';
  pid_t parent = 0;
};

Stat stat_of(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string text;
  std::getline(file, text);
  // The process name is in parentheses and may contain any character.
  const size_t name_end = text.rfind(')');
  Stat stat;
  if (name_end != std::string::npos)
    std::istringstream(text.substr(name_end + 1)) >> stat.state >> stat.parent;
  return stat;
}

/// The id and state of all processes, by the id of their parents.
using ProcessTree = std::multimap<pid_t, std::pair<pid_t, char>>;

pid_t left_out = 0;

ProcessTree all_processes() {
  ProcessTree tree;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const Stat stat = stat_of(name);
    tree.emplace(stat.parent, std::pair(std::stoi(name), stat.state));
  }
  return tree;
}

bool is_running(char state) {
  return state != 'Z' && state != 'X';
}

/// Returns the running descendants of the processes in `open`, without the excluded process.
std::set<pid_t> running_below(const ProcessTree& tree, std::vector<pid_t> open) {
  std::set<pid_t> running;
  while (!open.empty()) {
    const auto [first, last] = tree.equal_range(open.back());
    open.pop_back();
    for (auto child = first; child != last; ++child) {
      const auto [pid, state] = child->second;
      if (pid == left_out) continue;
      open.push_back(pid);
      if (is_running(state)) running.insert(pid);
    }
  }
  return running;
}

/// Returns whether the process was started with `assignment` ("NAME=VALUE") in its environment.
bool has_variable(pid_t pid, const std::string& assignment) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/environ", std::ios::binary);
  for (std::string variable; std::getline(file, variable, '\0');)
    if (variable == assignment) return true;
  return false;
}

bool ended_within(const std::function<std::vector<pid_t>()>& list, std::chrono::milliseconds patience) {
  const auto deadline = steady_clock::now() + patience;
  while (!list().empty()) {
    if (steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kLookAgain);
  }
  return true;
}

void signal_all(const std::vector<pid_t>& processes, int signal) {
  for (const pid_t pid : processes) kill(pid, signal);
}

}  // namespace

void adopt_orphans() {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void leave_out_of_descendants(pid_t child) {
  left_out = child;
}

std::vector<pid_t> running_descendants() {
  const std::set<pid_t> running = running_below(all_processes(), {getpid()});
  return {running.begin(), running.end()};
}

std::vector<pid_t> running_with_variable(const std::string& name, const std::string& value) {
  const std::string assignment = name + "=" + value;
  const ProcessTree tree = all_processes();
  std::vector<pid_t> with;
  std::set<pid_t> running;
  for (const auto& [parent, process] : tree)
    if (process.first != getpid() && has_variable(process.first, assignment)) {
      with.push_back(process.first);
      if (is_running(process.second)) running.insert(process.first);
    }
  running.merge(running_below(tree, with));
  return {running.begin(), running.end()};
}

void signal_descendants(int signal, pid_t spared) {
  for (const pid_t pid : running_descendants())
    if (pid != spared) kill(pid, signal);
}

void end_descendants(std::chrono::milliseconds patience) {
  end_processes(running_descendants, patience);
}

void end_processes(const std::function<std::vector<pid_t>()>& list, std::chrono::milliseconds patience) {
  if (ended_within(list, patience)) return;
  signal_all(list(), SIGTERM);
  if (ended_within(list, kTermPatience)) return;
  // SIGKILL is sent repeatedly, because a process may have forked after the list was made.
  const auto deadline = steady_clock::now() + kLongestDeath;
  do {
    signal_all(list(), SIGKILL);
  } while (!ended_within(list, kLookAgain) && steady_clock::now() < deadline);
}

}  // namespace kjoule
