#include "base/process/program.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/process/descendants.hpp"
#include "base/process/temporary_folder.hpp"

namespace kjoule {
namespace {

using std::chrono::milliseconds;

/// Waits up to 10 s until `condition` is true, and returns its last value.
template <class Condition>
bool becomes_true(const Condition& condition) {
  for (int i = 0; i < 1000 && !condition(); ++i) std::this_thread::sleep_for(milliseconds(10));
  return condition();
}

/// Waits until a shell has written a pid to the file, and returns the pid.
pid_t pid_in(const std::filesystem::path& file) {
  const auto written = [&] { return std::filesystem::exists(file) && read_text(file).ends_with('\n'); };
  EXPECT_TRUE(becomes_true(written));
  return std::stoi(read_text(file));
}

/// Returns whether the process has ended; it need not have been reaped by its new parent.
bool gone(pid_t pid) {
  const std::filesystem::path stat = "/proc/" + std::to_string(pid) + "/stat";
  if (!std::filesystem::exists(stat)) return true;
  const std::string text = read_text(stat);
  return text.at(text.rfind(')') + 2) == 'Z';
}

TEST(Program, ReadsAndWritesWhereItIsTold) {
  const TemporaryFolder folder;
  const auto path = [&](const char* name) { return (folder.path() / name).string(); };
  std::ofstream(path("input")) << "asked\n";
  const int input = open(path("input").c_str(), O_RDONLY | O_CLOEXEC);
  const int output = open(path("output").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  Program program({"sh", "-c", "cat; echo failed >&2"}, {}, {.input = input, .output = output});
  EXPECT_EQ(program.run_to_end(), 0);
  EXPECT_EQ(read_text(path("output")), "asked\nfailed\n");
  Program without({"cat"}, {}, {.output = output});
  EXPECT_EQ(without.run_to_end(), 0) << "its input is empty";
  close(input);
  close(output);
}

TEST(Program, HasTheVariablesItIsGivenAndThoseOfThisProcess) {
  setenv("KJOULE_TEST_OLD", "old", 1);
  setenv("KJOULE_TEST_BOTH", "old", 1);
  Program program({"bash", "-c", "[ $KJOULE_TEST_OLD$KJOULE_TEST_BOTH$KJOULE_TEST_NEW = oldnewnew ]"},
                  {{"KJOULE_TEST_BOTH", "new"}, {"KJOULE_TEST_NEW", "new"}});
  EXPECT_EQ(program.run_to_end(), 0);
}

TEST(Program, SaysHowItEnded) {
  Program runs({"sleep", "100"}, {});
  EXPECT_EQ(runs.how_it_ended(milliseconds(10)), std::nullopt);
  kill(runs.pid(), SIGKILL);
  EXPECT_EQ(runs.how_it_ended(milliseconds(5000)), "killed by signal 9 (Killed)");
  EXPECT_EQ(runs.run_to_end(), 128 + SIGKILL);
  Program shell({"bash", "-c", "exec 2> /dev/null; bash -c 'kill -SEGV $$'; exit $?"}, {});
  EXPECT_EQ(shell.how_it_ended(milliseconds(5000)),
            "exit code 139, which means signal 11 (Segmentation fault)");
  EXPECT_THROW(Program({"kjoule-no-such-program"}, {}), Error);
}

TEST(Program, IsCalledByItsCommandLine) {
  EXPECT_EQ(Program({"/bin/true", "a", "b c"}, {}).name(), "true a b c");
  EXPECT_EQ(Program({"true", std::string(100, 'x')}, {}).name().size(), 60U);
}

TEST(Program, EndsWithAllThatItStarted) {
  const TemporaryFolder folder;
  const std::string orphan = (folder / "orphan").string();
  const std::string deaf = (folder / "deaf").string();
  pid_t pids[3];
  {
    Program program(
        {"bash", "-c",
         "setsid bash -c '(sleep 100 & echo $! > " + orphan + ")'; bash -c 'trap \"\" TERM; echo $$ > " +
             deaf + "; while :; do sleep 1; done' & wait"},
        {});
    pids[0] = program.pid();
    pids[1] = pid_in(orphan);
    pids[2] = pid_in(deaf);
    EXPECT_GE(running_descendants().size(), 3U);
  }
  for (const pid_t pid : pids) EXPECT_TRUE(gone(pid)) << pid;
}

TEST(Program, KeepsWhatItLeftRunningWhenItRanToItsEnd) {
  const TemporaryFolder folder;
  const std::string left = (folder / "left").string();
  {
    Program program({"bash", "-c", "sleep 100 & echo $! > " + left + "; exit 5"}, {});
    EXPECT_EQ(program.run_to_end(), 5);
  }
  EXPECT_FALSE(gone(pid_in(left)));
  end_descendants(milliseconds(0));
}

/// Runs `body`, which must end its process, in a child process. Returns the exit code, or 128 + signal.
template <class Body>
int in_a_fork(const Body& body) {
  const pid_t pid = fork();
  if (pid == 0) {
    body();
    _exit(0);
  }
  return exit_code_of(wait_for(pid));
}

TEST(Program, ASignalEndsItAndThenThisProcess) {
  const TemporaryFolder folder;
  const std::string file = (folder / "pid").string();
  const int code = in_a_fork([&] {
    Program program({"bash", "-c", "echo $$ > " + file + "; exec sleep 100"}, {});
    pid_in(file);
    kill(getpid(), SIGTERM);
    pause();
  });
  EXPECT_EQ(code, 128 + SIGTERM);
  EXPECT_TRUE(gone(pid_in(file)));
}

TEST(Program, ASignalThatIsIgnoredStaysIgnored) {
  const int code = in_a_fork([] {
    std::signal(SIGHUP, SIG_IGN);
    Program program({"sleep", "0.2"}, {});
    kill(getpid(), SIGHUP);
    _exit(program.how_it_ended(milliseconds(5000)) == "exit code 0" ? 42 : 1);
  });
  EXPECT_EQ(code, 42);
}

TEST(Program, OnItsWayToItsEndItOnlyGetsTheSignal) {
  // Signals are passed on only after the parent has called run_to_end(), in which its main thread sleeps.
  const int code = in_a_fork([] {
    Program program({"bash", "-c",
                     "trap 'exit 9' TERM; sleep 10 & until grep -q '^State:.S' /proc/$PPID/status; "
                     "do sleep 0.01; done; kill -TERM $PPID; wait; exit 1"},
                    {});
    _exit(program.run_to_end());
  });
  EXPECT_EQ(code, 9);
}

}  // namespace
}  // namespace kjoule
