#pragma once
// The folder files reads and writes files in such a way that a crash or a full disk leaves no damaged file.
// write_atomic() replaces a whole file, AppendedFile appends pieces completely or not at all, and FileLock
// excludes other kjoule processes. JsonCursor and CsvRows read files of other programs in one pass. All throw
// Error with a remedy for the user, and WriteError if a file cannot be written. Read first: this file,
// AppendedFile, JsonCursor.

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/files/input_file.hpp"

namespace kjoule {

/// Returns the contents of a file. Throws the errors of InputFile, and Error if the file has more than
/// `limit` bytes; the error names kDocumentLimit.
std::string read_text(const std::filesystem::path& path, size_t limit = kDocumentLimit);
/// Returns at most `bytes` bytes from the beginning of a regular file; an empty text if the file cannot be
/// read, or is something else.
std::string read_beginning(const std::filesystem::path& path, size_t bytes);
/// Removes an incomplete last line, which a killed run left, from a file. If the file does not begin with
/// `begin`, kjoule did not write it: the file is then not changed, and Error is thrown if the file has no
/// complete line.
void remove_incomplete_line(const std::filesystem::path& path, std::string_view begin);
/// The bytes after which lines of power logs are cut.
constexpr size_t kLongestLogLine = size_t{1} << 16;
/// Calls `take` with each line of a file, without the line end ("\n" or "\r\n"); `ended` is false only for a
/// last line without a line end. Lines are cut after kLongestLogLine bytes. Only one block of the file is in
/// memory at a time. Throws Error like read_text().
void read_lines(const std::filesystem::path& path,
                const std::function<void(std::string_view line, bool ended)>& take);
/// Like read_lines(), but nothing is cut: throws Error with the number of a line with more than kLineLimit
/// bytes. A "\r" before a line end remains.
void read_whole_lines(const std::filesystem::path& path,
                      const std::function<void(std::string_view line, bool ended)>& take);
/// Creates a folder and its parent folders. Throws Error if this fails.
void make_folder(const std::filesystem::path& path);
/// Writes a file atomically: writes a temporary file next to `path`, then renames it. Readers see the old or
/// the new text, never a part of it. Throws WriteError if the file cannot be written, or if something that is
/// not a regular file is in its place (OutputPlace).
void write_atomic(const std::filesystem::path& path, std::string_view text);
/// Writes a file that the user named on the command line, like write_atomic(). A pipe or a character device
/// is also accepted, and receives the text. Throws WriteError if it cannot be written.
void write_named(const std::filesystem::path& path, std::string_view text);
/// Returns the contents of a JSON file. Throws Error that names the file, and the line of a syntax error.
nlohmann::json read_json(const std::filesystem::path& path);
/// Returns JSON with an indent of two spaces and a newline at the end. A number that is infinite or NaN
/// becomes null.
std::string json_file_text(const nlohmann::ordered_json& value);
/// Writes json_file_text() atomically.
void write_json(const std::filesystem::path& path, const nlohmann::ordered_json& value);
/// Returns the 64-bit xxh3 hash of a text as 16 hex digits.
std::string hash_hex(std::string_view text);
/// Returns the 64-bit xxh3 hash of a file's bytes as 16 hex digits.
std::string hash_file(const std::filesystem::path& path);

}  // namespace kjoule
