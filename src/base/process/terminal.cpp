#include "base/process/terminal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "base/error.hpp"
#include "base/process/signal_handler.hpp"
#include "base/text/shortened_line.hpp"

namespace kjoule {

namespace {

int output_error = 0;          ///< errno of the first write to stdout that failed
bool status_is_shown = false;  ///< whether the last line on stderr is a status

void show_status(std::string_view text) {
  std::fprintf(stderr, "\r\033[K%s", printable(text).c_str());
  status_is_shown = !text.empty();
}

/// Writes a text line by line, each as printable() and then as `change` returns it.
template <class Change>
void print_lines(std::FILE* to, std::string_view text, const Change& change) {
  const UninterruptedStep step;
  std::string shown;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    shown += change(printable(text.substr(0, end)));
    if (end < text.size()) shown += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (status_is_shown) show_status("");
  const bool written = std::fwrite(shown.data(), 1, shown.size(), to) == shown.size() && std::fflush(to) == 0;
  if (!written && to == stdout && output_error == 0) output_error = errno;
}

void open_unless_open(int descriptor, int flags) {
  // open() returns the lowest free descriptor, which is `descriptor`, because the lower ones are open.
  if (fcntl(descriptor, F_GETFD) < 0) [[maybe_unused]]
    const int opened = open("/dev/null", flags);
}

}  // namespace

void prepare_output() {
  open_unless_open(STDIN_FILENO, O_RDONLY);
  open_unless_open(STDOUT_FILENO, O_RDONLY);  // read-only, so that writing fails
  open_unless_open(STDERR_FILENO, O_RDONLY);
  std::signal(SIGXFSZ, SIG_IGN);
}

void finish_output() {
  if (std::fflush(stdout) != 0 && output_error == 0) output_error = errno;
  if (output_error == 0) return;
  throw Error(std::string("standard output cannot be written: ") + std::strerror(output_error),
              "the files that the command wrote are complete; redirect its output to another file");
}

void print_text(std::string_view text) {
  print_lines(stdout, text, [](const std::string& line) { return line; });
}

void print_error_text(std::string_view text) {
  print_lines(stderr, text, [](const std::string& line) { return shortened_line(line); });
}

void print_status(std::string_view text) {
  const UninterruptedStep step;
  show_status(text);
}

}  // namespace kjoule
