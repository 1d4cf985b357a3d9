#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "base/error.hpp"
#include "report/markup_text.hpp"
#include "report/timeline_lanes.hpp"
#include "report/timeline_pieces.hpp"

namespace kjoule {
namespace {

// An A4 page with four units per millimetre.
constexpr double kWidth = 1188, kHeight = 840, kMargin = 44;
constexpr double kLeft = 118, kRight = kWidth - kMargin;  // left and right end of the lanes
constexpr double kTop = 108, kLegendHeight = 190;
constexpr double kAxis = 30;       // space below each row
constexpr double kThinnest = 0.8;  // 0.2 mm; thinner bars are merged
constexpr double kBarWidth = 7;    // intended average width of a bar; it determines the number of rows
constexpr size_t kColoured = 10;

// The colours differ in hue and in lightness, so that neighbours differ in grey prints, too.
constexpr const char* kColours[kColoured] = {"#1f5fa8", "#f28e2b", "#c23b3b", "#5fb8b0", "#3c8a3f",
                                             "#ecc33d", "#8a5aa8", "#f59ab0", "#7a5236", "#1b2a41"};
constexpr const char* kOther = "#b9bec6";

/// Returns the text, cut to about `width` bytes, never within a UTF-8 character.
std::string cut(const std::string& text, size_t width) {
  if (text.size() <= width) return text;
  size_t end = width - 2;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "..";
}

std::string kernel_name(const TimelineBar& bar) {
  std::string name = clean_text(readable_name(bar.activity.name));
  if (name.starts_with("void ")) name.erase(0, 5);
  return name.empty() ? activity_kind_name(bar.activity.kind) : name;
}

/// Returns the time as text, for example 1234567 as "1,234.6 us".
std::string microseconds(int64_t ns) {
  const int64_t tenths = (ns + 50) / 100;
  std::string text;
  const std::string digits = fmt::format("{}", tenths / 10);
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return fmt::format("{}.{} us", text, tenths % 10);
}

/// Returns the smallest number of at least `ns` that is 1, 2 or 5 times a power of ten.
int64_t round_step(double ns) {
  const double power = std::pow(10, std::floor(std::log10(std::max(ns, 1.0))));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= ns) return std::llround(factor * power);
  }
  return std::llround(10 * power);
}

struct Kernel {
  size_t number = 0;
  int64_t ns = 0;
  size_t count = 0;
  const TimelineBar* example = nullptr;
  const char* colour = kOther;
};

class Gantt {
 public:
  explicit Gantt(const Timeline& timeline)
      : timeline_(timeline), lanes_(timeline_lanes(timeline)), totals_(totals_of(timeline)) {
    begin_ns_ = timeline_begin_ns(timeline);
    rank_kernels();
    lay_out();
  }

  std::string text() {
    put("{}{:.1f}mm\" viewBox=\"0 0 {} {:.0f}\" {}{}</title>\n", kSvgBeginning, height_ / 4, kWidth, height_,
        kSvgFonts, markup_text(timeline_.title));
    put("<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
    head();
    for (size_t row = 0; row < rows_; ++row) draw_row(row);
    legend();
    put("</svg>\n");
    return std::move(text_);
  }

 private:
  static TimelineTotals totals_of(const Timeline& timeline) {
    if (timeline.bars.empty())
      throw Error("no timeline can be drawn, because the iteration has no operations",
                  "choose an iteration that launches kernels");
    std::vector<Activity> activities;
    for (const TimelineBar& bar : timeline.bars) activities.push_back(bar.activity);
    return timeline_totals(activities);
  }

  void rank_kernels() {
    for (const TimelineBar& bar : timeline_.bars) {
      Kernel& kernel = kernels_[bar.kernel];
      kernel.number = bar.kernel;
      kernel.ns += bar.activity.duration_ns();
      ++kernel.count;
      if (kernel.example == nullptr) kernel.example = &bar;
    }
    for (auto& [number, kernel] : kernels_) ranked_.push_back(&kernel);
    std::stable_sort(ranked_.begin(), ranked_.end(),
                     [](const Kernel* a, const Kernel* b) { return a->ns > b->ns; });
    bool taken[kColoured] = {};
    for (size_t i = 0; i < std::min(kColoured, ranked_.size()); ++i) {
      size_t slot = colour_of(kernel_name(*ranked_[i]->example));
      while (taken[slot]) slot = (slot + 1) % kColoured;
      taken[slot] = true;
      ranked_[i]->colour = kColours[slot];
    }
  }
  /// Chooses the colour by name, so that a kernel has the same colour in all pictures unless two kernels
  /// compete for it.
  static size_t colour_of(const std::string& name) {
    uint32_t hash = 2166136261u;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    return (hash >> 8) % kColoured;
  }

  /// Computes the number of rows, their time span and the height of lanes.
  void lay_out() {
    const double space = kHeight - kTop - kLegendHeight - kMargin / 2;
    const double lanes = static_cast<double>(lanes_.size());
    size_t fullest = 0;
    for (const TimelineLane& lane : lanes_) fullest = std::max(fullest, lane.bars.size());
    const double wanted = std::ceil(static_cast<double>(fullest) * kBarWidth / (kRight - kLeft));
    const double room = std::floor(space / (lanes * 26 + kAxis));
    rows_ = static_cast<size_t>(std::max(1.0, std::min(wanted, room)));
    const auto span = static_cast<double>(std::max<int64_t>(totals_.span_ns, 1));
    tick_ns_ = round_step(span / static_cast<double>(rows_) / 12);
    row_ns_ =
        static_cast<int64_t>(std::ceil(span / static_cast<double>(rows_) / static_cast<double>(tick_ns_))) *
        tick_ns_;
    rows_ = static_cast<size_t>((totals_.span_ns + row_ns_ - 1) / row_ns_);
    rows_ = std::max<size_t>(rows_, 1);
    if (rows_ == 1) row_ns_ = std::max<int64_t>(totals_.span_ns, 1);  // a single row needs no alignment
    lane_height_ = std::clamp((space / static_cast<double>(rows_) - kAxis) / lanes, 9.0, 100.0);
    height_ = kTop + static_cast<double>(rows_) * row_height() + kLegendHeight;
  }
  double row_height() const { return lane_height_ * static_cast<double>(lanes_.size()) + kAxis; }
  double units_per_ns() const { return (kRight - kLeft) / static_cast<double>(row_ns_); }

  void head() {
    put("<text x=\"{}\" y=\"46\" font-size=\"22\" font-weight=\"bold\">{}</text>\n", kMargin,
        markup_text(cut(clean_text(timeline_.title), 88)));
    const double span = static_cast<double>(std::max<int64_t>(totals_.span_ns, 1));
    put("<text x=\"{}\" y=\"70\" font-size=\"13\" fill=\"#4a5360\">total {}: busy {:.1f} %, idle {:.1f} %; "
        "operations "
        "add up to {}{}; {} launches of {} kernels on {} stream{}</text>\n",
        kMargin, microseconds(totals_.span_ns), 100 * static_cast<double>(totals_.busy_ns) / span,
        100 * static_cast<double>(totals_.idle_ns) / span, microseconds(totals_.work_ns),
        totals_.overlap_ns > 0 ? fmt::format(" ({} overlapped)", microseconds(totals_.overlap_ns)) : "",
        timeline_.bars.size(), kernels_.size(), streams(), streams() == 1 ? "" : "s");
    put("<text x=\"{}\" y=\"{}\" font-size=\"11\" fill=\"#4a5360\" text-anchor=\"end\">time in {}{}</text>\n",
        kRight, kTop - 12, unit(), rows_ > 1 ? fmt::format(", in {} rows", rows_) : "");
  }
  size_t streams() const {
    return static_cast<size_t>(std::count_if(lanes_.begin(), lanes_.end(),
                                             [](const TimelineLane& lane) { return lane.number == 0; }));
  }
  bool in_milliseconds() const { return totals_.span_ns >= 20'000'000; }
  const char* unit() const { return in_milliseconds() ? "ms" : "us"; }

  void draw_row(size_t row) {
    const int64_t from_ns = static_cast<int64_t>(row) * row_ns_;
    const int64_t to_ns = std::min(from_ns + row_ns_, std::max<int64_t>(totals_.span_ns, 1));
    const double top = kTop + static_cast<double>(row) * row_height();
    const double right = kLeft + static_cast<double>(to_ns - from_ns) * units_per_ns();
    const double bottom = top + row_height() - kAxis;
    for (size_t i = 0; i < lanes_.size(); ++i) {
      const double y = top + static_cast<double>(i) * lane_height_;
      put("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>\n", kLeft, y,
          right - kLeft, lane_height_, i % 2 == 0 ? "#f3f5f7" : "#e9ecf0");
      put("<text x=\"{}\" y=\"{:.2f}\" font-size=\"{:.1f}\" text-anchor=\"end\" fill=\"#4a5360\">{}</text>\n",
          kLeft - 8, y + lane_height_ / 2 + 4, std::min(11.5, lane_height_ - 0.5),
          markup_text(lanes_[i].label()));
    }
    axis(from_ns, to_ns, top, bottom);
    const auto thin_ns = static_cast<int64_t>(std::ceil(kThinnest / units_per_ns()));
    for (size_t i = 0; i < lanes_.size(); ++i) {
      const double y = top + static_cast<double>(i) * lane_height_;
      for (const TimelinePiece& piece :
           timeline_pieces(lanes_[i], begin_ns_ + from_ns,
                           row + 1 == rows_ ? begin_ns_ + to_ns + 1 : begin_ns_ + to_ns, thin_ns))
        draw(piece, begin_ns_ + from_ns, y);
    }
  }

  void axis(int64_t from_ns, int64_t to_ns, double top, double bottom) {
    for (int64_t t = (from_ns + tick_ns_ - 1) / tick_ns_ * tick_ns_; t <= to_ns; t += tick_ns_) {
      const double x = kLeft + static_cast<double>(t - from_ns) * units_per_ns();
      put("<line x1=\"{0:.2f}\" y1=\"{1:.2f}\" x2=\"{0:.2f}\" y2=\"{2:.2f}\" stroke=\"#c3c9d1\" "
          "stroke-width=\"0.6\"/>\n",
          x, top, bottom + 5);
      put("<text x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"10.5\" text-anchor=\"middle\" "
          "fill=\"#4a5360\">{}</text>\n",
          x, bottom + 16, fmt::format("{:g}", static_cast<double>(t) / (in_milliseconds() ? 1e6 : 1e3)));
    }
  }

  /// Draws one piece. A single bar has the height of its lane. In a merged bar each kernel has its share of
  /// the height, and idle time stays blank.
  void draw(const TimelinePiece& piece, int64_t row_begin_ns, double lane_y) {
    const double pad = lane_height_ > 14 ? 2 : 0.8, full = lane_height_ - 2 * pad;
    const double x = kLeft + static_cast<double>(piece.begin_ns - row_begin_ns) * units_per_ns();
    const double true_width = static_cast<double>(piece.end_ns - piece.begin_ns) * units_per_ns();
    const double width = std::max(true_width, kThinnest);
    // A bar that is drawn wider than its duration is drawn lower, so that its area stays correct, but high
    // enough to be visible.
    const double per_ns = full * units_per_ns() / width;
    // A thin white line separates neighbours of one colour.
    const double drawn_width = width > 10 ? width - 0.4 : width;
    const bool whole = piece.bars() == 1 && true_width >= kThinnest;
    lowered_ |= !whole;
    double y = lane_y + pad + full;
    put("<g>");
    for (const TimelinePiece::Part& part : piece.parts) {
      const double height =
          whole ? full : std::max(static_cast<double>(part.ns) * per_ns, piece.parts.size() == 1 ? 1.5 : 0.0);
      y -= height;
      put("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>", x, y,
          drawn_width, height, kernels_.at(part.bar->kernel).colour);
    }
    put("<title>{}</title></g>\n", markup_text(hover(piece)));
  }
  std::string hover(const TimelinePiece& piece) const {
    const std::string at = fmt::format("at {}", microseconds(piece.begin_ns - begin_ns_));
    if (piece.bars() == 1) {
      const TimelineBar& bar = *piece.parts[0].bar;
      return fmt::format("{}: {}, {}", cut(kernel_name(bar), 300), microseconds(piece.busy_ns()), at);
    }
    std::string text = fmt::format("{} launches, {}, {}", piece.bars(), microseconds(piece.busy_ns()), at);
    for (const TimelinePiece::Part& part : piece.parts)
      text += fmt::format("; {} x {}", part.bars, cut(kernel_name(*part.bar), 120));
    return text;
  }

  void legend() {
    const double top = kTop + static_cast<double>(rows_) * row_height() + 24;
    const double column = (kWidth - 2 * kMargin) / 2;
    const size_t shown = std::min(kColoured, ranked_.size());
    put("<text x=\"{}\" y=\"{:.2f}\" font-size=\"12\" font-weight=\"bold\">Kernels with the most time: share "
        "of the time of all operations, time, launches</text>\n",
        kMargin, top);
    std::map<std::string, size_t> alike;
    for (size_t i = 0; i < shown; ++i) ++alike[legend_name(*ranked_[i])];
    for (size_t i = 0; i < shown; ++i) {
      std::string name = legend_name(*ranked_[i]);
      if (alike[name] > 1) name += fmt::format(" (kernel {})", ranked_[i]->number);
      const size_t place = i / 5;  // column by column
      legend_entry(kMargin + static_cast<double>(place) * column, top + 21 + static_cast<double>(i % 5) * 20,
                   *ranked_[i], name);
    }
    Kernel others;
    for (size_t i = shown; i < ranked_.size(); ++i) {
      others.ns += ranked_[i]->ns;
      others.count += ranked_[i]->count;
    }
    if (ranked_.size() > shown)
      legend_entry(kMargin, top + 121, others, fmt::format("{} other kernels", ranked_.size() - shown));
    if (lowered_)
      put("<text x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"11\" fill=\"#4a5360\">Bars thinner than 0.2 mm are "
          "joined: "
          "their heights are shares of the time.</text>\n",
          kMargin + column, top + 121);
  }
  /// Returns the kernel's name without common prefixes, so that the distinguishing part is visible.
  static std::string legend_name(const Kernel& kernel) {
    std::string name = kernel_name(*kernel.example);
    for (const std::string_view common : {"(anonymous namespace)::", "at::native::", "c10::"}) {
      for (size_t at = name.find(common); at != std::string::npos; at = name.find(common))
        name.erase(at, common.size());
    }
    return cut(name, 50);
  }
  void legend_entry(double x, double y, const Kernel& kernel, const std::string& name) {
    const double share =
        100 * static_cast<double>(kernel.ns) / static_cast<double>(std::max<int64_t>(totals_.work_ns, 1));
    put("<g font-size=\"11\"><rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"13\" height=\"13\" fill=\"{}\"/>", x,
        y - 10.5, kernel.colour);
    put("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"end\">{:.1f} %</text>", x + 60, y, share);
    put("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"end\">{}</text>", x + 140, y, microseconds(kernel.ns));
    put("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"end\">{} x</text>", x + 187, y, kernel.count);
    put("<text x=\"{:.2f}\" y=\"{:.2f}\">{}</text>", x + 195, y, markup_text(name));
    put("<title>{}</title></g>\n",
        markup_text(kernel.example == nullptr ? name : kernel_name(*kernel.example)));
  }

  template <class... Arguments>
  void put(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
  }

  const Timeline& timeline_;
  std::vector<TimelineLane> lanes_;
  TimelineTotals totals_;
  int64_t begin_ns_ = 0;
  std::map<size_t, Kernel> kernels_;
  std::vector<Kernel*> ranked_;  ///< by descending total time
  size_t rows_ = 1;
  int64_t row_ns_ = 1, tick_ns_ = 1;
  double lane_height_ = 0, height_ = kHeight;
  bool lowered_ = false;  ///< whether some bars are lower than their lane
  std::string text_;
};

}  // namespace

std::string timeline_svg(const Timeline& timeline) {
  return Gantt(timeline).text();
}

}  // namespace kjoule
