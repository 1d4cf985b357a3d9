#include "base/files/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "base/files/output_place.hpp"
#include "base/files/wide_text.hpp"
#include "base/json/dump_json.hpp"
#include "base/json/finite_json.hpp"
#include "base/json/parse_json.hpp"
#include "base/write_error.hpp"

namespace kjoule {

namespace fs = std::filesystem;

namespace {

constexpr size_t kBlock = size_t{1} << 16;

/// Calls `take` with the bytes of a file, block by block.
template <class Take>
void take_blocks(InputFile& file, Take take) {
  const auto block = std::make_unique_for_overwrite<char[]>(kBlock);
  while (const size_t got = file.read(block.get(), kBlock)) take(std::string_view(block.get(), got));
}

template <class Take>
void read_blocks(const fs::path& path, Take take) {
  InputFile file(path);
  take_blocks(file, take);
}

/// Calls `take` with each line of a file, with its line end, and whether it has one. `keep` appends a part of
/// a line to the text that is given as its first argument, and may leave bytes out.
template <class Keep, class Take>
void divide_lines(const fs::path& path, Keep keep, Take take) {
  std::string begun;  // the incomplete line at the end of the last block
  read_blocks(path, [&](std::string_view block) {
    for (size_t end = 0; (end = block.find('\n')) != std::string_view::npos; block.remove_prefix(end + 1)) {
      if (begun.empty()) {
        take(block.substr(0, end), true);
        continue;
      }
      keep(begun, block.substr(0, end));
      take(begun, true);
      begun.clear();
    }
    keep(begun, block);
  });
  if (!begun.empty()) take(begun, false);
}

[[noreturn]] void refuse_document(const fs::path& path, size_t limit) {
  throw Error(fmt::format("{}: has more than {} (document limit)", path.string(), limit_text(limit)),
              "check that this is the right file");
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

std::string read_text(const fs::path& path, size_t limit) {
  InputFile file(path);
  if (file.size().value_or(0) > limit) refuse_document(path, limit);
  std::string text;
  text.reserve(file.size().value_or(0));
  take_blocks(file, [&](std::string_view block) {
    if (block.size() > limit - text.size()) refuse_document(path, limit);
    text += block;
  });
  return text;
}

std::string read_beginning(const fs::path& path, size_t bytes) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return {};
  try {
    InputFile file(path);
    std::string beginning(std::min(bytes, file.size().value_or(bytes)), '\0');
    size_t read = 0;
    while (const size_t got = file.read(beginning.data() + read, beginning.size() - read)) read += got;
    beginning.resize(read);
    return beginning;
  } catch (const Error&) {
    return {};
  }
}

void remove_incomplete_line(const fs::path& path, std::string_view begin) {
  size_t size = 0, whole = 0;  // whole: the size of the complete lines
  read_blocks(path, [&](std::string_view block) {
    if (const size_t end = block.rfind('\n'); end != std::string_view::npos) whole = size + end + 1;
    size += block.size();
  });
  if (whole == size) return;
  const bool is_ours = read_beginning(path, begin.size()) == begin.substr(0, size);
  if (!is_ours && whole == 0)
    throw Error(path.string() + ": this file was not written by kjoule, and is not overwritten",
                "move it away, or choose another folder with -o");
  if (!is_ours) return;
  const int file = OutputPlace(path).open(O_WRONLY);
  const int error = ftruncate(file, static_cast<off_t>(whole)) == 0 ? 0 : errno;
  close(file);
  if (error != 0) throw WriteError(path, error);
}

void read_lines(const fs::path& path, const std::function<void(std::string_view, bool)>& take) {
  const auto keep = [](std::string& line, std::string_view part) {
    line += part.substr(0, kLongestLogLine - line.size());
  };
  divide_lines(path, keep, [&take](std::string_view line, bool ended) {
    line = line.substr(0, kLongestLogLine);
    if (ended && line.ends_with('\r')) line.remove_suffix(1);
    take(line, ended);
  });
}

void read_whole_lines(const fs::path& path, const std::function<void(std::string_view, bool)>& take) {
  size_t number = 1;
  const auto keep = [&](std::string& line, std::string_view part) {
    if (part.size() > kLineLimit - line.size())
      throw Error(fmt::format("{}:{}: the line has more than {} (line limit)", path.string(), number,
                              limit_text(kLineLimit)),
                  "check that this is the right file, or create it again");
    line += part;
  };
  divide_lines(path, keep, [&](std::string_view line, bool ended) {
    take(line, ended);
    ++number;
  });
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
  refuse_wide_text(text, path.string());
  if (const auto excess = find_excess(text))
    throw Error(fmt::format("{}:{}: {}", path.string(), line_of(text, excess->position), excess->cause),
                kSimplerValues);
  const size_t zero = text.find('\0');  // which the parser takes for the end of the text
  if (zero != std::string::npos)
    throw Error(fmt::format("{}:{}: {}", path.string(), line_of(text, zero), unexpected_at(text, zero + 1)),
                "the file is truncated or is not JSON: create it again");
  try {
    return nlohmann::json::parse(without_control_blanks(text));
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
