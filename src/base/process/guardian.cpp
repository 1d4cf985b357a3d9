#include "base/process/guardian.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/process/descendants.hpp"
#include "base/process/run_mark.hpp"
#include "base/process/temporary_folder.hpp"

namespace kjoule {

namespace {

/// The guardian and the pipe that it reads: a byte dismisses the guardian; the end of the pipe without a byte
/// means that this process was killed.
struct Guarded {
  pid_t guardian = 0;
  int pipe = -1;
};
Guarded guarded;

/// Closes all descriptors except `kept`; stdin, stdout and stderr become /dev/null.
void close_all_but(int kept) {
  std::vector<int> open_files;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", ignored))
    open_files.push_back(std::stoi(entry.path().filename()));
  for (const int file : open_files)
    if (file > STDERR_FILENO && file != kept) close(file);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, standard);
  close(nothing);
}

/// The main function of the guardian.
[[noreturn]] void guard(int pipe_end, pid_t process, const std::string& mark,
                        const TemporaryFolders& folders) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  setsid();
  // The guardian gets another name than kjoule, so that "pkill kjoule" does not end it.
  prctl(PR_SET_NAME, fmt::format("guard-{}", process).c_str());
  close_all_but(pipe_end);
  [[maybe_unused]] const int changed = chdir("/");  // so that the current folder can be unmounted
  char dismissed = 0;
  ssize_t got = 0;
  do got = read(pipe_end, &dismissed, 1);
  while (got < 0 && errno == EINTR);
  if (got == 1) _exit(0);
  end_processes([&] { return running_with_variable(kRunMark, mark); }, std::chrono::milliseconds(0));
  if (!folders.parent.empty()) folders.remove();
  _exit(0);
}

}  // namespace

Guardian::Guardian() {
  const TemporaryFolders folders = temporary_folders();
  const std::string mark = run_mark();
  const pid_t process = getpid();
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
  const pid_t pid = fork();
  if (pid == 0) {
    close(ends[1]);
    guard(ends[0], process, mark, folders);
  }
  close(ends[0]);
  if (pid < 0) {
    close(ends[1]);
    return;
  }
  guarded = {pid, ends[1]};
  leave_out_of_descendants(pid);
}

Guardian::~Guardian() {
  dismiss_guardian();
}

void dismiss_guardian() {
  if (guarded.guardian == 0) return;
  const Guarded dismissed = std::exchange(guarded, {});
  std::signal(SIGPIPE, SIG_IGN);  // the guardian may have been killed
  [[maybe_unused]] const ssize_t written = write(dismissed.pipe, "", 1);
  close(dismissed.pipe);
  while (waitpid(dismissed.guardian, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace kjoule
