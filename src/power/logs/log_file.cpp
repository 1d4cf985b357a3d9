#include "power/logs/log_file.hpp"

#include <csignal>

#include "base/error.hpp"

namespace kjoule {

LogFile::LogFile(const std::string& path) : file_(AppendedFile::named(path)) {
  if (file_.bytes() > 0) throw Error(path + ": exists already", "name another file with -o, or remove it");
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is then an error of write(), like a full disk
}

}  // namespace kjoule
