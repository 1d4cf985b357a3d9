#pragma once
#include <filesystem>

namespace kjoule {

/// Throws Error if a file is a report of another tool in a format that kjoule does not read, by its first
/// bytes or the end of its name. The error names the tool, and how the tool writes a file that kjoule reads.
void refuse_foreign_file(const std::filesystem::path& file);

}  // namespace kjoule
