#include "power/logs/log_file.hpp"

#include <filesystem>

#include "base/error.hpp"
#include "base/process/start.hpp"

namespace kjoule {

LogFile::LogFile(const std::string& path)
    : path_(path), is_new_(!std::filesystem::exists(path)), file_(AppendedFile::named(path)) {
  if (file_.bytes() > 0) throw Error(path + ": exists already", "name another file with -o, or remove it");
  ignore_closed_pipes();
}

void LogFile::remove() const {
  std::error_code ignored;
  if (is_new_ && !file_.is_replaced()) std::filesystem::remove(path_, ignored);
}

}  // namespace kjoule
