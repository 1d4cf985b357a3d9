#include "base/process/start.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/error.hpp"
#include "base/process/run_mark.hpp"
#include "base/process/signal_handler.hpp"

namespace kjoule {

namespace {

/// Returns the texts as pointers with a final null, as exec requires them.
std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

std::vector<std::string> environment_with(const Environment& more) {
  std::vector<std::string> all;
  Environment with = more;
  with[kRunMark] = run_mark();
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    if (!with.contains(text.substr(0, text.find('=')))) all.push_back(text);
  }
  for (const auto& [name, value] : with) all.push_back(std::string(name).append("=").append(value));
  return all;
}

/// The action for SIGPIPE before ignore_closed_pipes(); SIG_ERR before that function was called.
std::atomic<sighandler_t> inherited_pipe_action = SIG_ERR;

/// Prepares the new process and calls exec. It runs after fork(), so it makes only calls that are safe there.
/// It never returns.
[[noreturn]] void become(char* const* arguments, char* const* environment, const StartOptions& start,
                         const sigset_t* blocked, pid_t parent, int failure_pipe) {
  bool ready = true;
  if (start.death_signal != 0) {
    ready = prctl(PR_SET_PDEATHSIG, start.death_signal) == 0;
    if (getppid() != parent) _exit(127);  // the parent died before the line above
  }
  if (start.keep_open >= 0) ready = ready && fcntl(start.keep_open, F_SETFD, 0) == 0;
  int input = start.input;
  if (input < 0 && start.output >= 0) input = open("/dev/null", O_RDONLY);
  if (input >= 0) ready = ready && dup2(input, STDIN_FILENO) >= 0;
  if (start.output >= 0)
    ready = ready && dup2(start.output, STDOUT_FILENO) >= 0 && dup2(start.output, STDERR_FILENO) >= 0;
  if (start.ignores_interrupt) std::signal(SIGINT, SIG_IGN);
  if (blocked != nullptr) ready = ready && sigprocmask(SIG_SETMASK, blocked, nullptr) == 0;
  std::signal(SIGXFSZ, SIG_DFL);  // prepare_output() ignores it
  if (const auto action = inherited_pipe_action.load(); action != SIG_ERR) std::signal(SIGPIPE, action);
  if (ready) execvpe(arguments[0], arguments, environment);
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(failure_pipe, &error, sizeof error);
  _exit(127);
}

/// Returns what the user can do if a program could not be started; `error` is errno.
const char* start_remedy(int error) {
  switch (error) {
    case ENOENT:
      return "check that it is installed and on the PATH";
    case EACCES:
      return "make it executable with chmod +x, or give the program that runs it, such as python, before it";
    case ENOEXEC:
      return "give the program that runs it, such as sh or python, before it";
    default:
      return "check its name and its arguments";
  }
}

}  // namespace

void ignore_closed_pipes() {
  const sighandler_t before = std::signal(SIGPIPE, SIG_IGN);
  sighandler_t none = SIG_ERR;
  inherited_pipe_action.compare_exchange_strong(none, before);
}

pid_t start_program(std::vector<std::string> command, const StartOptions& start) {
  if (command.empty())
    throw Error("no program to start was given", "give the program and its arguments after --");
  const UninterruptedStep step;  // so that a signal's action, which ends all programs, also finds this one
  const std::vector<char*> arguments = pointers(command);
  std::vector<std::string> variables = environment_with(start.environment);
  const std::vector<char*> environment = pointers(variables);
  // A successful exec closes the pipe; otherwise errno is written to it.
  std::array<int, 2> failure{};
  if (pipe2(failure.data(), O_CLOEXEC) != 0)
    throw Error(fmt::format("no pipe could be opened: {}", std::strerror(errno)),
                "check the limits of this shell (ulimit -a) and repeat the command");
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0)
    become(arguments.data(), environment.data(), start, signals_blocked_before(), parent, failure[1]);
  int error = pid < 0 ? errno : 0;
  close(failure[1]);
  if (pid > 0) {
    while (read(failure[0], &error, sizeof error) < 0 && errno == EINTR) {
    }
    if (error != 0) waitpid(pid, nullptr, 0);
  }
  close(failure[0]);
  if (error != 0)
    throw Error(fmt::format("{} cannot be started: {}", command.front().empty() ? "''" : command.front(),
                            std::strerror(error)),
                start_remedy(error));
  return pid;
}

int open_end_event(pid_t pid) {
  return static_cast<int>(syscall(SYS_pidfd_open, pid, 0));  // the wrapper in Debian 12 is not usable in C++
}

int wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string describe_end(int status) {
  const int code = WIFSIGNALED(status) ? 0 : WEXITSTATUS(status);
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : code - 128;
  const char* name = signal > 0 ? sigdescr_np(signal) : nullptr;
  if (WIFSIGNALED(status))
    return fmt::format("killed by signal {} ({})", signal, name == nullptr ? "unknown" : name);
  return name == nullptr ? fmt::format("exit code {}", code)
                         : fmt::format("exit code {}, which means signal {} ({})", code, signal, name);
}

int exit_code_of(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace kjoule
