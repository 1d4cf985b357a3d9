#pragma once
// The folder files reads and writes files so that a crash or a full disk leaves no damaged one.
// write_atomic() replaces a file as a whole, AppendedFile appends pieces completely or not at all, FileLock
// keeps a second kjoule out. JsonCursor and CsvRows go through files of others in one pass. All throw Error
// with a remedy for the user, WriteError if a file cannot be written. Read first: this file, AppendedFile,
// JsonCursor.

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace kjoule {

/// Returns the contents of a file. Throws Error with a remedy, such as "PATH: no such file".
std::string read_text(const std::filesystem::path& path);
/// Returns at most `bytes` bytes from the beginning of a file; an empty text if it cannot be read.
std::string read_beginning(const std::filesystem::path& path, size_t bytes);
/// Removes an incomplete last line, which a killed run left, from `text`, the contents of a file that kjoule
/// appends to, and from the file. Every such file begins with `begin`. A file that begins otherwise is not
/// changed; if it has no complete line either, Error is thrown.
void remove_incomplete_line(const std::filesystem::path& path, std::string& text, std::string_view begin);
/// Throws the Error for a file that could not be opened or read; `error` is errno.
[[noreturn]] void throw_cannot_read(const std::filesystem::path& path, int error);
/// Calls `take` with each line, without its end ("\n" or "\r\n"). `ended` is false for a last line without an
/// end. Only a block of the file is in memory at a time, and of each line the first 64 KiB are passed on.
/// Throws Error like read_text().
void read_lines(const std::filesystem::path& path,
                const std::function<void(std::string_view line, bool ended)>& take);
/// Creates a folder and its parent folders. Throws Error "PATH: cannot be made: ..." if that fails.
void make_folder(const std::filesystem::path& path);
/// Writes a file atomically: to a temporary file next to `path`, which is then renamed. Readers see the old
/// or the new text, never a part of it.
void write_atomic(const std::filesystem::path& path, std::string_view text);
/// Returns the contents of a JSON file. Throws Error with the file, the line and what was expected.
nlohmann::json read_json(const std::filesystem::path& path);
/// Writes JSON atomically, with an indent of two spaces and a newline at the end. A number that is infinite
/// or NaN is written as null.
void write_json(const std::filesystem::path& path, const nlohmann::ordered_json& value);
/// Returns the 64-bit xxh3 hash of a text as 16 hex digits.
std::string hash_hex(std::string_view text);
/// Returns the 64-bit xxh3 hash of a file's bytes as 16 hex digits.
std::string hash_file(const std::filesystem::path& path);

}  // namespace kjoule
