#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace kjoule {

/// Seals the rows of a file. The last field of each row, "checksum", is the CRC-32 of the texts of all rows
/// before it and of its own text without the field. So a row that was changed, removed, repeated or moved is
/// found when the file is read. That rows are missing at the end is not found: a killed run has fewer.
class RowSeal {
 public:
  static constexpr const char* kField = "checksum";

  /// Returns the line of the next row, without a line end. `row` is a JSON object with at least one field.
  std::string sealed(std::string row);
  /// Takes the line of the next row; returns whether its checksum is right.
  bool accepts(std::string_view line);
  /// Returns whether a line ends with a checksum, right or wrong.
  static bool is_sealed(std::string_view line);

 private:
  /// Adds the text of a row; returns the checksum.
  std::string add(std::string_view row);

  uint32_t crc_ = 0;  ///< of all rows so far
};

}  // namespace kjoule
