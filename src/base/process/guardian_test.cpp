#include "base/process/guardian.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/files/files.hpp"
#include "base/process/descendants.hpp"
#include "base/process/process.hpp"
#include "base/process/program.hpp"
#include "base/process/temporary_folder.hpp"

namespace kjoule {
namespace {

bool comes_true(const std::function<bool()>& condition) {
  for (int i = 0; i < 1000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return condition();
}

bool is_written(const std::filesystem::path& file) {
  return std::filesystem::exists(file) && read_text(file).ends_with('\n');
}

bool has_ended(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(stat, text);
  return text.empty() || text.at(text.rfind(')') + 2) == 'Z';
}

/// Runs `body` in a child process, and returns the wait status of that process.
int status_of(const std::function<void()>& body) {
  const pid_t pid = fork();
  if (pid == 0) {
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return status;
}

/// Starts a program that starts a process in another session, and waits until both have written their pids.
std::unique_ptr<Program> program_with_daemon(const TemporaryFolder& folder) {
  const std::string daemon = folder / "daemon", child = folder / "child";
  auto program = std::make_unique<Program>(
      std::vector<std::string>{"bash", "-c",
                               "setsid bash -c '(trap \"\" TERM; exec sleep 100) & echo $! > " + daemon +
                                   "'; echo $$ > " + child + "; exec sleep 100"},
      Environment{});
  EXPECT_TRUE(comes_true([&] { return is_written(daemon) && is_written(child); }));
  return program;
}

pid_t number_in(const std::filesystem::path& file) {
  return std::stoi(read_text(file));
}

TEST(Guardian, EndsEverythingWhenItsProcessIsKilled) {
  const TemporaryFolder folder;
  const int status = status_of([&] {
    const Guardian guardian;
    const auto program = program_with_daemon(folder);
    const TemporaryFolder own;
    std::ofstream(folder / "own") << own.path().string() << "\n" << std::flush;
    kill(getpid(), SIGKILL);
  });
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  std::string own = read_text(folder / "own");
  own.pop_back();
  EXPECT_TRUE(comes_true([&] { return !std::filesystem::exists(own); }));
  for (const char* name : {"child", "daemon"}) EXPECT_TRUE(has_ended(number_in(folder / name))) << name;
}

TEST(Guardian, LeavesEverythingWhenItIsDismissed) {
  const TemporaryFolder folder;
  const int status = status_of([&] {
    {
      const Guardian guardian;
      EXPECT_TRUE(running_descendants().empty());
      const auto program = program_with_daemon(folder);
      kill(program->pid(), SIGKILL);
      program->run_to_end();
    }
    _exit(waitpid(-1, nullptr, WNOHANG) <= 0 ? 7 : 1);
  });
  EXPECT_EQ(WEXITSTATUS(status), 7);
  const pid_t daemon = number_in(folder / "daemon");
  EXPECT_FALSE(has_ended(daemon));
  kill(daemon, SIGKILL);
}

TEST(Guardian, HoldsNoFileOfItsProcessOpen) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    const Guardian guardian;
    close(ends[0]);
    close(ends[1]);
    pause();
  }
  close(ends[1]);
  char none = 0;
  EXPECT_EQ(read(ends[0], &none, 1), 0);  // blocks while a process has the other end
  close(ends[0]);
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
}

}  // namespace
}  // namespace kjoule
