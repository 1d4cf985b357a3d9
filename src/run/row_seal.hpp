#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace kjoule {

/// Adds checksums to the rows of a file. The last field of each row, "checksum", is the CRC-32 of the texts
/// of all rows before it and of its own text without this field. So reading the file detects a row that was
/// changed, removed, repeated or moved. It does not detect missing rows at the end, because an interrupted
/// run has fewer rows than a complete run.
class RowSeal {
 public:
  static constexpr const char* kField = "checksum";

  /// Returns the next row with its checksum, without a line end. `row` is a JSON object with at least one
  /// field.
  std::string sealed(std::string row);
  /// Reads the line of the next row, and returns whether its checksum is right.
  bool accepts(std::string_view line);
  /// Returns whether a line ends with a checksum, whether right or wrong.
  static bool is_sealed(std::string_view line);

 private:
  /// Adds the text of a row; returns the checksum.
  std::string add(std::string_view row);

  uint32_t crc_ = 0;  ///< CRC-32 of all rows so far
};

}  // namespace kjoule
