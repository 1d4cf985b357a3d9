#pragma once
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace kjoule {

/// Whole file as text. Throws Error "PATH: no such file" and the like, with a remedy.
std::string read_text(const std::filesystem::path& path);
/// Throws the Error of a file that could not be opened or read, `error` being errno.
[[noreturn]] void cannot_read(const std::filesystem::path& path, int error);
/// Hands every line to `take` without its end ("\n" or "\r\n"); `ended` is false for a last one that has
/// none. Holds a block of the file at a time, and of a line its first 64 KiB. Throws as read_text does.
void read_lines(const std::filesystem::path& path,
                const std::function<void(std::string_view line, bool ended)>& take);
/// With those above it. Throws Error "PATH: cannot be made: ..." when that fails.
void make_folder(const std::filesystem::path& path);
/// Writes to a temporary file beside `path` and renames, so that readers see the old or the new text, never
/// half.
void write_atomic(const std::filesystem::path& path, std::string_view text);
/// Parses a JSON file; the Error names file, line and what was expected.
nlohmann::json read_json(const std::filesystem::path& path);
/// Pretty-printed, two spaces, newline at the end; atomic. A number that is infinite or none is null.
void write_json(const std::filesystem::path& path, const nlohmann::ordered_json& value);
/// 16 hex digits of the 64-bit xxh3 of the text.
std::string hash_hex(std::string_view text);
/// The same of a file's bytes, read in blocks.
std::string hash_file(const std::filesystem::path& path);

}  // namespace kjoule
