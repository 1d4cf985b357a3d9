#include "base/process/process.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"

namespace kjoule {
namespace {

ChildProcess shell(const std::string& script) {
  return ChildProcess({"bash", "-c", script, "shell", "{fd}"});
}

std::string receive_all(int socket) {
  std::string all;
  char part[64];
  for (ssize_t got = 0; (got = read(socket, part, sizeof part)) > 0;)
    all.append(part, static_cast<size_t>(got));
  return all;
}

TEST(ChildProcess, TalksOverTheSocketWhoseNumberItIsTold) {
  const ChildProcess child = shell("read -u $1 line; echo \"got $line\" >&$1");
  ASSERT_EQ(write(child.socket(), "hello\n", 6), 6);
  EXPECT_EQ(receive_all(child.socket()), "got hello\n");
}

TEST(ChildProcess, TheNumberMayBePartOfAnArgument) {
  const ChildProcess child({"bash", "-c", "echo ok >&${1#--fd=}", "shell", "--fd={fd}"});
  EXPECT_EQ(receive_all(child.socket()), "ok\n");
}

TEST(ChildProcess, SaysHowItEnded) {
  ChildProcess exits = shell("exit 3");
  EXPECT_EQ(receive_all(exits.socket()), "");
  EXPECT_EQ(exits.how_it_ended(), "exit code 3");
  EXPECT_EQ(exits.how_it_ended(), "exit code 3");
  ChildProcess killed = shell("kill -9 $$");
  EXPECT_EQ(killed.how_it_ended(), "killed by signal 9 (Killed)");
}

TEST(ChildProcess, KeepsItsLastLine) {
  ChildProcess child = shell("echo first; printf 'l\\377st\\n\\n' >&2; exit 3");
  EXPECT_EQ(child.how_it_ended(), "exit code 3");
  EXPECT_EQ(child.last_line(), "l?st");
  ChildProcess silent = shell("exit 0");
  silent.how_it_ended();
  EXPECT_EQ(silent.last_line(), "");
}

TEST(ChildProcess, CannotStartWhatIsNotThere) {
  try {
    const ChildProcess child({"kjoule-no-such-program"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "kjoule-no-such-program cannot be started: No such file or directory");
  }
}

TEST(ChildProcess, IsKilledAndReapedOnDestruction) {
  pid_t pid = 0;
  {
    const ChildProcess child = shell("sleep 100");
    pid = child.pid();
  }
  EXPECT_EQ(kill(pid, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

/// Returns whether the process has ended; it need not have been reaped by its new parent.
bool ended(pid_t pid) {
  try {
    const std::string stat = read_text("/proc/" + std::to_string(pid) + "/stat");
    return stat.at(stat.rfind(')') + 2) == 'Z';
  } catch (const Error&) {
    return true;
  }
}

TEST(ChildProcess, DiesWithItsParent) {
  const TemporaryFolder folder;
  const std::string file = (folder / "pid").string();
  const pid_t parent = fork();
  if (parent == 0) {
    const ChildProcess child = shell("echo $$ > " + file + "; echo ready >&$1; exec sleep 100");
    char ready = 0;
    const bool heard = read(child.socket(), &ready, 1) == 1;
    _exit(heard ? 0 : 1);  // without running destructors, as a killed parent
  }
  int status = 0;
  waitpid(parent, &status, 0);
  ASSERT_EQ(status, 0);
  const pid_t pid = std::stoi(read_text(file));
  for (int i = 0; i < 500 && !ended(pid); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(ended(pid));
}

TEST(RunProgram, ReturnsTheExitCode) {
  EXPECT_EQ(run_program({"bash", "-c", "exit 7"}), 7);
  EXPECT_EQ(run_program({"bash", "-c", "kill -TERM $$"}), 128 + SIGTERM);
  EXPECT_THROW(run_program({"kjoule-no-such-program"}), Error);
  EXPECT_THROW(run_program({}), Error);
}

TEST(RunProgram, HasTheActionOfAClosedPipeThatThisProcessInherited) {
  const auto inherited = std::signal(SIGPIPE, SIG_DFL);
  ignore_closed_pipes();
  EXPECT_EQ(run_program({"bash", "-c", "kill -PIPE $$"}), 128 + SIGPIPE);
  std::signal(SIGPIPE, inherited);
}

TEST(ReadProgram, KeepsWhatItWrote) {
  const ProgramOutput output = read_program({"bash", "-c", "cat; echo out; echo err >&2; exit 4"}, 10);
  EXPECT_EQ(output.text, "out\nerr\n");
  EXPECT_EQ(output.exit_code, 4);
  EXPECT_EQ(read_program({"head", "-c", "300000", "/dev/zero"}, 10).text.size(), 300'000U);
  EXPECT_THROW(read_program({"kjoule-no-such-program"}, 10), Error);
}

TEST(ReadProgram, EndsWhatTakesTooLong) {
  const auto start = std::chrono::steady_clock::now();
  const ProgramOutput output = read_program({"bash", "-c", "exec sleep 100"}, 0.2);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(50));
  EXPECT_EQ(output.exit_code, 128 + SIGKILL);
}

TEST(ReadProgram, KeepsWhatAProgramWroteThatTookTooLong) {
  ProgramOutput output;
  // A busy machine may need longer than the first limits to start the program.
  for (double limit = 0.2; output.text.empty() && limit < 60; limit *= 2) {
    output = read_program({"bash", "-c", "echo begun; exec sleep 1000"}, limit);
    EXPECT_EQ(output.exit_code, 128 + SIGKILL);
  }
  EXPECT_EQ(output.text, "begun\n");
}

TEST(ExecutableFolder, IsWhereThisTestIs) {
  EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(executable_folder()) / "kjoule_base_test"));
}

}  // namespace
}  // namespace kjoule
