#include "importers/trace_tracks.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/files/json_cursor.hpp"

namespace kjoule {

namespace {

/// Returns the number that follows `before` in a text; no value if there is none.
std::optional<int64_t> number_after(std::string_view text, std::string_view before) {
  const size_t at = text.find(before);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + before.size());
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && number >= 0 ? std::optional(number) : std::nullopt;
}

/// Returns the key of a process or thread, which some tools write with quotes.
std::string_view key(std::string_view raw) {
  return between_quotes(raw).value_or(raw);
}

}  // namespace

void TraceTracks::name_process(std::string_view process, std::string_view name) {
  const std::string text = json_text(name);
  if (const auto gpu = number_after(text, "/device:GPU:")) gpus_[key(process)] = *gpu;
  processes_[key(process)] = text;
}

void TraceTracks::name_thread(std::string_view process, std::string_view thread, std::string_view name) {
  const std::string text = json_text(name);
  if (!text.starts_with("Stream #")) return;
  if (const auto stream = number_after(text, "Stream #")) streams_[{key(process), key(thread)}] = *stream;
}

void TraceTracks::append(const TraceTracks& later) {
  for (const auto& [process, name] : later.processes_) processes_[process] = name;
  for (const auto& [process, gpu] : later.gpus_) gpus_[process] = gpu;
  for (const auto& [thread, stream] : later.streams_) streams_[thread] = stream;
}

std::optional<TrackStream> TraceTracks::stream_of(std::string_view process, std::string_view thread) const {
  const auto gpu = gpus_.find(key(process));
  if (gpu == gpus_.end()) return {};
  const auto stream = streams_.find({key(process), key(thread)});
  if (stream == streams_.end()) return {};
  return TrackStream{gpu->second, stream->second};
}

bool TraceTracks::has_streams() const {
  return std::ranges::any_of(streams_,
                             [&](const auto& stream) { return gpus_.contains(stream.first.first); });
}

bool TraceTracks::is_device(std::string_view process) const {
  const std::string name = process_name(process);
  return std::ranges::any_of(std::array{"/device:", "GPU", "CUDA", "HIP Stream", "Device"},
                             [&](const char* word) { return name.find(word) != std::string::npos; }) &&
         name.find("/device:CPU") == std::string::npos;
}

std::string TraceTracks::process_name(std::string_view process) const {
  const auto found = processes_.find(key(process));
  return found == processes_.end() ? "" : found->second;
}

bool TraceTracks::names_process_with(std::string_view word) const {
  return std::ranges::any_of(
      processes_, [&](const auto& process) { return process.second.find(word) != std::string::npos; });
}

}  // namespace kjoule
