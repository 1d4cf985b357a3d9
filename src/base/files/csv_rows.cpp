#include "base/files/csv_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/files/csv.hpp"
#include "base/files/input_file.hpp"

namespace kjoule {

void CsvRows::refuse(const std::string& cause) const {
  throw Error(fmt::format("{}:{}: {}", name_, line_, cause), "check that this is the right file");
}

void CsvRows::skip(size_t bytes) {
  row_bytes_ += bytes;
  if (row_bytes_ > kLineLimit)
    refuse(fmt::format("the row has more than {} (line limit)", limit_text(kLineLimit)));
  rest_.remove_prefix(bytes);
}

/// Appends the quoted part at the beginning of the remaining text to `cell`, and removes it from that text.
void CsvRows::take_quoted(std::string& cell) {
  skip(1);
  while (!rest_.empty() && rest_.front() != '"') {
    if (rest_.starts_with("\\\"") || rest_.starts_with("\\\\")) skip(1);
    next_line_ += rest_.front() == '\n' ? 1 : 0;
    cell += rest_.front();
    skip(1);
  }
  cut_off_ = cut_off_ || rest_.empty();
  if (!rest_.empty()) skip(1);
}

void CsvRows::take_cell(std::string& cell) {
  cell.clear();
  if (quotes_ == CsvQuotes::after_backslash && rest_.starts_with('"')) take_quoted(cell);
  while (rest_.starts_with('"')) {  // the loop continues after a doubled quote
    const size_t end = rest_.find('"', 1);
    const std::string_view part = rest_.substr(1, end == std::string_view::npos ? end : end - 1);
    skip(end == std::string_view::npos ? rest_.size() : end + 1);
    cell += part;
    next_line_ += static_cast<size_t>(std::count(part.begin(), part.end(), '\n'));
    cut_off_ = cut_off_ || end == std::string_view::npos;
    if (rest_.starts_with('"')) cell += '"';
  }
  const size_t end = std::min(rest_.find_first_of(",\r\n"), rest_.size());
  const std::string_view part = rest_.substr(0, end);
  skip(end);
  cell += part;
  if (cell.starts_with('\'') && needs_apostrophe(cell)) cell.erase(0, 1);
}

bool CsvRows::next(std::vector<std::string>& cells) {
  while (!rest_.empty()) {
    line_ = next_line_;
    row_bytes_ = 0;
    size_t taken = 0;
    const auto take = [&] {  // cells of the row before are reused with their memory
      if (taken == cells.size()) cells.emplace_back();
      take_cell(cells[taken++]);
    };
    take();
    while (rest_.starts_with(',')) {
      if (taken == kColumnLimit)
        refuse(fmt::format("the row has more than {} cells (column limit)", kColumnLimit));
      skip(1);
      take();
    }
    cells.resize(taken);
    if (rest_.starts_with('\r')) rest_.remove_prefix(1);
    if (rest_.starts_with('\n')) {
      rest_.remove_prefix(1);
      ++next_line_;
    }
    if (cells.size() > 1 || !cells.front().empty()) return true;
  }
  return false;
}

}  // namespace kjoule
