#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace kjoule {

/// Throws Error if a file is a report of another tool in a format that kjoule does not read, by its first
/// bytes or the end of its name. The error names the tool, and how the tool writes a file that kjoule reads.
void refuse_unread_file(const std::filesystem::path& file);

/// Throws Error if a text is the output of a profiler that kjoule does not read in this form, with the
/// command that writes a readable form. Does nothing for other texts.
void refuse_unread_text(std::string_view text, const std::string& file);

/// Throws Error with the tool and a remedy if an object's key shows that another tool wrote the JSON.
void refuse_unread_json(std::string_view key, const std::string& file);

}  // namespace kjoule
