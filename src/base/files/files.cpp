#include "base/files/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "base/files/output_place.hpp"
#include "base/json/dump_json.hpp"
#include "base/json/finite_json.hpp"
#include "base/json/parse_json.hpp"
#include "base/write_error.hpp"

namespace kjoule {

namespace fs = std::filesystem;

namespace {

constexpr size_t kBlock = size_t{1} << 16;
constexpr size_t kLongestLine = size_t{1} << 16;

/// A file that is read, closed on destruction.
class OpenFile {
 public:
  explicit OpenFile(const fs::path& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~OpenFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  explicit operator bool() const { return fd_ >= 0; }
  ssize_t read(char* to, size_t size) const {
    ssize_t got = 0;
    do got = ::read(fd_, to, size);
    while (got < 0 && errno == EINTR);
    return got;
  }

 private:
  int fd_;
};

/// Calls `take` with the file's bytes, block by block.
template <class Take>
void read_blocks(const fs::path& path, Take take) {
  const OpenFile file(path);
  if (!file) throw_cannot_read(path, errno);
  const auto block = std::make_unique_for_overwrite<char[]>(kBlock);
  while (true) {
    const ssize_t got = file.read(block.get(), kBlock);
    if (got < 0) throw_cannot_read(path, errno);
    if (got == 0) return;
    take(std::string_view(block.get(), static_cast<size_t>(got)));
  }
}

/// Returns the line number, from 1, of the byte at which the parser stopped. If it stopped at the end, this
/// is the last line that is not blank.
size_t line_of(std::string_view text, size_t byte) {
  std::string_view before = text.substr(0, std::min(byte, text.size()));
  if (byte >= text.size()) before = before.substr(0, before.find_last_not_of(" \t\r\n") + 1);
  return 1 + static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
}

/// Returns a text about the unexpected byte, which is the one before `end`, where the parser stopped.
std::string unexpected_at(std::string_view text, size_t end) {
  if (end == 0 || end > text.size()) return "unexpected end of file";
  const size_t line = text.substr(0, end - 1).rfind('\n') + 1;
  const auto byte = static_cast<unsigned char>(text[end - 1]);
  const bool shown = byte > ' ' && byte < 0x7f;
  return fmt::format("unexpected {} in column {}",
                     shown ? fmt::format("'{:c}'", byte) : fmt::format("byte {:#04x}", byte), end - line);
}

std::string hex(XXH64_hash_t hash) {
  return fmt::format("{:016x}", hash);
}

}  // namespace

void throw_cannot_read(const fs::path& path, int error) {
  if (error == ENOENT) throw Error(path.string() + ": no such file", "check the name and the folder");
  if (error == EISDIR) throw Error(path.string() + ": is a folder", "give the path of a file in it");
  if (error == EACCES)
    throw Error(path.string() + ": you have no permission to read this file",
                "check its permissions (ls -l)");
  throw Error(fmt::format("{}: cannot be read: {}", path.string(), std::strerror(error)),
              "check the name, the folder and the file system");
}

std::string read_text(const fs::path& path) {
  std::string text;
  read_blocks(path, [&text](std::string_view block) { text += block; });
  return text;
}

std::string read_beginning(const fs::path& path, size_t bytes) {
  std::ifstream stream(path, std::ios::binary);
  std::string beginning(bytes, '\0');
  stream.read(beginning.data(), static_cast<std::streamsize>(bytes));
  beginning.resize(static_cast<size_t>(stream.gcount()));
  return beginning;
}

void remove_incomplete_line(const fs::path& path, std::string& text, std::string_view begin) {
  const size_t whole = text.rfind('\n') + 1;  // 0 without a line end
  if (whole == text.size()) return;
  const bool is_ours = text.starts_with(begin.substr(0, text.size()));
  if (!is_ours && whole == 0)
    throw Error(path.string() + ": this file was not written by kjoule, and is not overwritten",
                "move it away, or choose another folder with -o");
  if (is_ours) {
    const int file = OutputPlace(path).open(O_WRONLY);
    const int error = ftruncate(file, static_cast<off_t>(whole)) == 0 ? 0 : errno;
    close(file);
    if (error != 0) throw WriteError(path, error);
  }
  text.resize(whole);
}

void read_lines(const fs::path& path, const std::function<void(std::string_view, bool)>& take) {
  std::string begun;  // the incomplete line at the end of the last block
  const auto keep = [&begun](std::string_view part) { begun += part.substr(0, kLongestLine - begun.size()); };
  const auto give = [&take](std::string_view line, bool ended) {
    line = line.substr(0, kLongestLine);
    if (ended && line.ends_with('\r')) line.remove_suffix(1);
    take(line, ended);
  };
  read_blocks(path, [&](std::string_view block) {
    for (size_t end = 0; (end = block.find('\n')) != std::string_view::npos; block.remove_prefix(end + 1)) {
      if (begun.empty()) {
        give(block.substr(0, end), true);
        continue;
      }
      keep(block.substr(0, end));
      give(begun, true);
      begun.clear();
    }
    keep(block);
  });
  if (!begun.empty()) give(begun, false);
}

void make_folder(const fs::path& path) {
  std::error_code failed;
  fs::create_directories(path, failed);
  if (failed)
    throw Error(fmt::format("{}: the folder cannot be created: {}", path.string(), failed.message()),
                "choose another folder with -o");
}

nlohmann::json read_json(const fs::path& path) {
  const std::string text = read_text(path);
  if (const auto deep = find_too_deep(text))
    throw Error(fmt::format("{}:{}: {}", path.string(), line_of(text, *deep), too_deep()), kSimplerValues);
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    const size_t line = line_of(text, error.byte == 0 ? 0 : error.byte - 1);
    throw Error(fmt::format("{}:{}: {}", path.string(), line, unexpected_at(text, error.byte)),
                "the file is truncated or is not JSON: create it again");
  } catch (const nlohmann::json::exception&) {
    throw Error(path.string() + ": contains a number that is too large",
                "correct the number, or create the file again");
  }
}

std::string json_file_text(const nlohmann::ordered_json& value) {
  const nlohmann::ordered_json finite = with_finite_numbers(value);
  return dump_json(finite, 2) + "\n";
}

void write_json(const fs::path& path, const nlohmann::ordered_json& value) {
  write_atomic(path, json_file_text(value));
}

std::string hash_hex(std::string_view text) {
  return hex(XXH3_64bits(text.data(), text.size()));
}

std::string hash_file(const fs::path& path) {
  const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(),
                                                                              XXH3_freeState);
  XXH3_64bits_reset(state.get());
  read_blocks(path, [&state](std::string_view block) {
    XXH3_64bits_update(state.get(), block.data(), block.size());
  });
  return hex(XXH3_64bits_digest(state.get()));
}

}  // namespace kjoule
