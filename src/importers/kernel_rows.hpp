#pragma once
#include <limits>
#include <map>
#include <set>
#include <string>

#include "importers/import_choice.hpp"
#include "importers/imported_table.hpp"
#include "importers/kernel_row.hpp"
#include "importers/table_limit.hpp"

namespace kjoule {

/// Combines the rows of a table: rows with the same GPU and signature become one kernel.
class KernelRows {
 public:
  KernelRows(const ImportChoice& choice, std::string file)
      : choice_(choice), file_(std::move(file)), size_(file_) {}

  /// Adds a row that was read from `cursor`. Throws Error if the sum of launches exceeds 64 bits.
  void add(KernelRow row, const JsonCursor& cursor);
  /// Sets the number of iterations that the table states outside its rows.
  void set_iterations(int64_t number);
  /// Returns the table. Throws Error if there was no row, if no row has the chosen device, or if rows state
  /// different numbers of iterations.
  ImportedTable finish(const std::string& format);

 private:
  /// Removes operators and ranges, and warns of them, unless the table lists nothing else, as a table of
  /// calls does.
  void omit_operators();
  void note_unknown_keys(const KernelRow& row);
  /// Throws Error if no number of iterations agrees with `launches` and `count` of all rows so far.
  void check_iterations(const KernelRow& row, const JsonCursor& cursor);
  /// Throws Error for a table without kernels, for iterations that contradict each other, and if the number
  /// of launches is probably in a column that is not understood.
  void check_finished() const;
  void add_warnings();
  /// Warns of kernels that cannot be replayed.
  void warn_without_operator(size_t kernels, bool is_of_amd);
  /// Sets the number of iterations to the user's `number`, which replaces the table's `own` number (0: none).
  /// If the two differ, removes the fewest and most launches per iteration, which are then unknown.
  void choose_iterations(uint64_t number, uint64_t own);

  const ImportChoice& choice_;
  std::string file_;
  std::map<std::pair<std::string, std::string>, size_t>
      places_;  ///< GPU and signature to index of the kernel
  std::set<int64_t> devices_;
  std::set<int64_t> iterations_;
  uint64_t launches_ = 0;
  size_t rows_ = 0, uncounted_ = 0;        ///< numbers of all rows, and of rows without a number of launches
  size_t kept_rows_ = 0, host_calls_ = 0;  ///< numbers of counted rows of kernels, and of rows of host calls
  /// For each unknown key, a similar known key, or an empty text.
  std::map<std::string, std::string> known_;
  std::string host_call_;  ///< the first call of the host
  /// Numbers of rows of operators and ranges: of all, and of those with a number of launches.
  size_t operator_rows_ = 0, counted_operator_rows_ = 0;
  std::set<std::string> unread_;         ///< unknown keys that may hold times or numbers of launches
  std::set<std::string> may_be_counts_;  ///< those of unread_ that may hold numbers of launches
  std::set<std::string> unclear_times_;  ///< keys of times of one launch or of all
  /// The numbers of iterations that agree with `launches` and `count` of all rows.
  double least_iterations_ = 0, most_iterations_ = std::numeric_limits<double>::infinity();
  ImportedTable table_;
  TableSize size_;
};

/// The remedy of errors about a table.
inline constexpr const char* kFormatsRemedy = "docs/reference/formats.md describes kernel tables";

/// Reads rows as JSON: one object per line, or an array of objects. `format` becomes the table's format.
/// Throws the errors of read_kernel_row() and KernelRows::finish().
ImportedTable read_kernel_rows(const PaddedText& text, const ImportChoice& choice, const std::string& file,
                               const std::string& format);
/// Like read_kernel_rows(), for a file of the format "kernel JSONL".
ImportedTable read_kernel_jsonl(const PaddedText& text, const ImportChoice& choice, const std::string& file);
/// Reads kernel_categories_breakdown.json: an object with a list of rows for each category. The names of the
/// categories are not used, because classify() chooses them. Throws the errors of read_kernel_rows(), and
/// Error for a category that is given twice.
ImportedTable read_kernel_categories(const PaddedText& text, const ImportChoice& choice,
                                     const std::string& file);
}  // namespace kjoule
