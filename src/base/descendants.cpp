#include "base/descendants.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>

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
  // The name stands in parentheses and may hold any character.
  const size_t name_end = text.rfind(')');
  Stat stat;
  if (name_end != std::string::npos)
    std::istringstream(text.substr(name_end + 1)) >> stat.state >> stat.parent;
  return stat;
}

bool ended_within(std::chrono::milliseconds patience) {
  const auto deadline = steady_clock::now() + patience;
  while (!running_descendants().empty()) {
    if (steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kLookAgain);
  }
  return true;
}

}  // namespace

void adopt_orphans() {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

std::vector<pid_t> running_descendants() {
  std::multimap<pid_t, std::pair<pid_t, char>> children;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const Stat stat = stat_of(name);
    children.emplace(stat.parent, std::pair(std::stoi(name), stat.state));
  }
  std::vector<pid_t> running;
  std::vector<pid_t> open{getpid()};
  while (!open.empty()) {
    const auto [first, last] = children.equal_range(open.back());
    open.pop_back();
    for (auto child = first; child != last; ++child) {
      const auto [pid, state] = child->second;
      open.push_back(pid);
      if (state != 'Z' && state != 'X') running.push_back(pid);
    }
  }
  return running;
}

void signal_descendants(int signal, pid_t spared) {
  for (const pid_t pid : running_descendants())
    if (pid != spared) kill(pid, signal);
}

void end_descendants(std::chrono::milliseconds patience) {
  if (ended_within(patience)) return;
  signal_descendants(SIGTERM);
  if (ended_within(kTermPatience)) return;
  // SIGKILL is sent repeatedly, because a process may have forked after the list was made.
  const auto deadline = steady_clock::now() + kLongestDeath;
  do {
    signal_descendants(SIGKILL);
  } while (!ended_within(kLookAgain) && steady_clock::now() < deadline);
}

}  // namespace kjoule
