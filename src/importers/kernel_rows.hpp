#pragma once
#include <map>
#include <set>
#include <string>

#include "importers/import_choice.hpp"
#include "importers/imported_table.hpp"
#include "importers/kernel_row.hpp"

namespace kjoule {

/// Joins the rows of a table that someone sent, those of one signature into one kernel.
class KernelRows {
 public:
  KernelRows(const ImportChoice& choice, std::string file) : choice_(choice), file_(std::move(file)) {}

  /// Throws Error at a row with which launches are more than 64 bits hold. `cursor` is what read it.
  void add(KernelRow row, const JsonCursor& cursor);
  /// Iterations that the table names somewhere else than in its rows.
  void take_iterations(int64_t number);
  /// Throws Error when there was no row, when rows differ in the number of iterations, or when several
  /// devices ran and none was chosen, or another one.
  ImportedTable finish(const std::string& format);

 private:
  void look_at_keys(const KernelRow& row);
  void tell_doubts();
  /// Other iterations than the table's `own`, 0 where it has none: what each of those launched is void.
  void choose_iterations(uint64_t number, uint64_t own);

  const ImportChoice& choice_;
  std::string file_;
  std::map<std::string, size_t> places_;  ///< of signatures
  std::set<int64_t> devices_;
  std::set<int64_t> iterations_;
  uint64_t launches_ = 0;
  size_t rows_ = 0, uncounted_ = 0;  ///< of rows those that say no count
  /// For keys that are passed over the one that is near, or nothing.
  std::map<std::string, std::string> known_;
  ImportedTable table_;
};

/// What errors about a table advise.
inline constexpr const char* kReadFormats = "docs/reference/formats.md says what a kernel table holds";

/// One object a line, or an array of them. Throws Error as read_kernel_row() and KernelRows::finish() do.
ImportedTable read_kernel_jsonl(const PaddedText& text, const ImportChoice& choice, const std::string& file);
/// A header line with the names of read_kernel_row()'s fields, then a line a kernel. The table warns where
/// the last line has no end.
ImportedTable read_kernel_csv(const PaddedText& text, const ImportChoice& choice, const std::string& file);

}  // namespace kjoule
