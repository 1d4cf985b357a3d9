#pragma once
#include <string>
#include <string_view>

#include "power/logs/cells.hpp"

namespace kjoule {

/// Splits a line at blanks and commas. `words` is reused.
void split_words(std::string_view line, Cells& words);

/// Sets `time` to the timestamp of a date and a time of day in the form that TimestampReader reads. The date
/// may be YYYY-MM-DD, YYYYMMDD, MM-DD-YYYY as NVIDIA's and SPEC's tools write it, or DD-MM-YYYY if the month
/// would be above 12; "/" may separate its parts. Returns false if the words are no such date and time.
bool join_date(std::string_view date, std::string_view time_of_day, std::string& time);

/// Removes the timestamp at the begin of a line, as a tool or the program ts writes it, and sets `time` to it
/// in the form that TimestampReader reads. Returns false if the line begins otherwise.
bool take_time(std::string_view& line, std::string& time);

}  // namespace kjoule
