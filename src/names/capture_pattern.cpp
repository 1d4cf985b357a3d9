#include "names/capture_pattern.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "names/brackets.hpp"

namespace kjoule {

namespace {

/// Limit of the steps for one name, because a file may contain a name that needs very many. Real names need
/// up to 412.
constexpr int kMostSteps = 20'000;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter_or_digit(char c) {
  return is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

}  // namespace

CapturePattern::CapturePattern(std::string_view text) {
  std::string literal;
  const auto add = [&](Kind kind, std::string_view named) {
    if (!literal.empty()) pieces_.push_back({Kind::literal, std::move(literal)});
    literal.clear();
    pieces_.push_back({kind, std::string(named)});
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '*') {
      add(Kind::any, "");
    } else if ((c == '$' || c == '%' || c == '@') && text.substr(i + 1).starts_with('{')) {
      const size_t end = text.find('}', i);
      if (end == std::string_view::npos)
        throw Error("\"match\" or \"function\" contains ${, %{ or @{ without a closing }");
      if (end == i + 2) throw Error("\"match\" or \"function\" contains ${}, %{} or @{} without a name");
      add(c == '$' ? Kind::balanced : (c == '%' ? Kind::number : Kind::word),
          text.substr(i + 2, end - i - 2));
      i = end;
    } else {
      literal += c;
    }
  }
  if (!literal.empty()) pieces_.push_back({Kind::literal, std::move(literal)});
}

std::optional<Captures> CapturePattern::match(std::string_view name) const {
  Attempt attempt{name, {}, 0};
  if (!match_from(0, 0, attempt)) return {};
  return std::move(attempt.captures);
}

bool CapturePattern::match_from(size_t piece, size_t place, Attempt& attempt) const {
  if (++attempt.steps > kMostSteps) return false;
  if (piece == pieces_.size()) return place == attempt.name.size();
  const Piece& next = pieces_[piece];
  switch (next.kind) {
    case Kind::literal:
      return attempt.name.substr(place).starts_with(next.text) &&
             match_from(piece + 1, place + next.text.size(), attempt);
    case Kind::any:
      return match_any(piece, place, attempt);
    case Kind::balanced:
      return match_balanced(piece, place, attempt);
    case Kind::number:
    case Kind::word:
      break;
  }
  return match_run(piece, place, attempt);
}

bool CapturePattern::match_any(size_t piece, size_t place, Attempt& attempt) const {
  if (piece + 1 == pieces_.size()) return true;
  const Piece& next = pieces_[piece + 1];
  for (; place <= attempt.name.size(); ++place) {
    if (next.kind == Kind::literal) {
      place = attempt.name.find(next.text, place);
      if (place == std::string_view::npos) return false;
    }
    if (match_from(piece + 1, place, attempt)) return true;
  }
  return false;
}

bool CapturePattern::match_balanced(size_t piece, size_t place, Attempt& attempt) const {
  int depth = 0;
  for (size_t end = place; end < attempt.name.size() && ++attempt.steps <= kMostSteps; ++end) {
    const char c = attempt.name[end];
    depth += bracket_step(c);
    if (depth < 0 || (depth == 0 && c == ',')) return false;
    if (depth == 0 && match_from(piece + 1, end + 1, attempt)) {
      attempt.captures.try_emplace(pieces_[piece].text, attempt.name.substr(place, end + 1 - place));
      return true;
    }
  }
  return false;
}

bool CapturePattern::match_run(size_t piece, size_t place, Attempt& attempt) const {
  const auto belongs = pieces_[piece].kind == Kind::number ? is_digit : is_letter_or_digit;
  const auto* const begin = attempt.name.begin() + static_cast<std::ptrdiff_t>(place);
  const auto* const end = std::find_if_not(begin, attempt.name.end(), belongs);
  if (begin == end || !match_from(piece + 1, static_cast<size_t>(end - attempt.name.begin()), attempt))
    return false;
  attempt.captures.try_emplace(pieces_[piece].text, begin, end);
  return true;
}

}  // namespace kjoule
