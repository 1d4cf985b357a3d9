#include "recording/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <type_traits>
#include <unordered_map>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/json/parse_json.hpp"

namespace kjoule {

namespace {

constexpr const char* kFormat = "kjoule-recording";

nlohmann::json parse_line(const std::string& path, size_t number, std::string_view line) {
  const std::string place = fmt::format("{}:{}", path, number);
  nlohmann::json json = parse_json(line, place);
  if (json.is_discarded())
    throw Error(place + ": not a complete JSON object",
                "the file is damaged: record the program or model again with kjoule record");
  return json;
}

template <typename T>
T field(const std::string& path, size_t number, const nlohmann::json& object, const char* key) {
  try {
    const bool fits = !std::is_integral_v<T> || object.at(key).is_number_integer();
    if (fits) return object.at(key).get<T>();
  } catch (const nlohmann::json::exception&) {  // reported below
  }
  const bool is_there = object.is_object() && object.contains(key);
  throw Error(fmt::format("{}:{}: field \"{}\" {}", path, number, key,
                          is_there ? "has the wrong type" : "is missing"),
              "record the program or model again with kjoule record");
}

Tier tier_of(const std::string& path, size_t number, const nlohmann::json& launch) {
  const auto tier = field<int64_t>(path, number, launch, "tier");
  if (tier < 0 || tier > 3)
    throw Error(fmt::format("{}:{}: \"tier\" is {}; it must be 0, 1, 2 or 3", path, number, tier),
                "record the program or model again with kjoule record");
  return static_cast<Tier>(tier);
}

/// Reads the numbers of launches that are not measured. Throws Error if none of all `launches` would be.
WindowEdges edges_in(const std::string& path, const nlohmann::json& edges, size_t launches) {
  if (!edges.is_object())
    throw Error(path + ":1: \"edges\" is not an object",
                "record the program or model again with kjoule record");
  const auto lead = field<size_t>(path, 1, edges, "lead");
  const auto tail = field<size_t>(path, 1, edges, "tail");
  if (lead >= launches || tail >= launches - lead)
    throw Error(fmt::format("{}:1: \"edges\" excludes {} + {} launches of {}, so that none is measured", path,
                            lead, tail, launches),
                "record the program or model again with kjoule record");
  return {lead, tail};
}

/// Reads the lines of a recording one after another.
class RecordingReader {
 public:
  /// `path` is the name of the recording in messages.
  explicit RecordingReader(const std::string& path) : path_(path) {}

  void take(std::string_view line) {
    const nlohmann::json row = parse_line(path_, ++number_, line);
    if (number_ == 1) return take_header(row);
    recording_.launches.push_back({name_in(row, "name"), tier_of(path_, number_, row),
                                   name_in(row, "signature"), row.value("detail", nlohmann::json())});
  }
  /// Returns the recording after its last line.
  Recording finish() {
    if (number_ == 0)
      throw Error(path_ + ": this file is empty", "record the program or model again with kjoule record");
    if (recording_.launches.size() != expected_)
      throw Error(fmt::format("{}: contains {} of {} launches", path_, recording_.launches.size(), expected_),
                  "the file is truncated: record the program or model again with kjoule record");
    if (!edges_.is_null()) recording_.edges = edges_in(path_, edges_, expected_);
    return std::move(recording_);
  }

 private:
  std::string name_in(const nlohmann::json& row, const char* key) const {
    std::string name = field<std::string>(path_, number_, row, key);
    if (name.size() > kNameLimit)
      throw Error(fmt::format("{}:{}: \"{}\" has more than {} (name limit)", path_, number_, key,
                              limit_text(kNameLimit)),
                  "record the program or model again with kjoule record");
    return name;
  }

  void take_header(const nlohmann::json& header) {
    if (!header.is_object() || header.value("format", nlohmann::json()) != kFormat)
      throw Error(path_ + ": this file is not a recording of kjoule",
                  "record one with kjoule record -o FILE -- PROGRAM");
    const int version = field<int>(path_, 1, header, "version");
    if (version != Recording::version)
      throw Error(fmt::format("{}: is a recording of version {}, but this kjoule reads version {}", path_,
                              version, Recording::version),
                  "record the program or model again with kjoule record");
    recording_.program = header.value("program", nlohmann::json());
    recording_.device = header.value("device", nlohmann::json());
    expected_ = field<size_t>(path_, 1, header, "launches");
    if (header.contains("edges")) edges_ = header["edges"];
  }

  const std::string& path_;
  size_t number_ = 0, expected_ = 0;
  nlohmann::json edges_;
  Recording recording_;
};

}  // namespace

const char* tier_key(Tier tier) {
  switch (tier) {
    case Tier::cuda_runtime:
      return "tier1_cuda_runtime";
    case Tier::vendor_library:
      return "tier2_cublas";
    case Tier::framework:
      return "tier3_libtorch";
    case Tier::unknown:
      break;
  }
  return "unknown";
}

KernelTable kernel_table(const Recording& recording) {
  KernelTable table;
  std::unordered_map<std::string, uint32_t> known;
  table.kernel_of.assign(recording.launches.size(), KernelTable::kNone);
  const size_t end = recording.launches.size() - recording.edges.tail;
  for (auto i = static_cast<LaunchIndex>(recording.edges.lead); i < end; ++i) {
    const Launch& launch = recording.launches[i];
    auto [it, is_new] = known.try_emplace(launch.signature, static_cast<uint32_t>(table.kernels.size()));
    if (is_new) {
      table.kernels.push_back({launch.name, launch.tier, launch.signature, {}});
      const auto bytes = launch.detail.find("bytes");  // of copies and memsets
      if (bytes != launch.detail.end() && bytes->is_number_unsigned())
        table.kernels.back().bytes_moved = bytes->get<uint64_t>();
    }
    table.kernels[it->second].places.push_back(i);
    table.kernel_of[i] = it->second;
  }
  return table;
}

std::vector<LaunchIndex> launches_of(const KernelTable& table, const std::vector<uint32_t>& kernels) {
  std::vector<LaunchIndex> launches;
  for (const uint32_t kernel : kernels) {
    const auto& places = table.kernels.at(kernel).places;
    launches.insert(launches.end(), places.begin(), places.end());
  }
  std::sort(launches.begin(), launches.end());
  return launches;
}

int64_t first_difference(const Recording& a, const Recording& b) {
  const auto of_a = a.measured(), of_b = b.measured();
  const size_t common = std::min(of_a.size(), of_b.size());
  for (size_t i = 0; i < common; ++i)
    if (of_a[i].signature != of_b[i].signature) return static_cast<int64_t>(i);
  return of_a.size() == of_b.size() ? -1 : static_cast<int64_t>(common);
}

std::string fingerprint(const Recording& recording) {
  std::string all;
  for (const Launch& launch : recording.measured()) all += launch.signature + '\n';
  return hash_hex(all);
}

std::string recording_text(const Recording& recording) {
  nlohmann::json header{{"format", kFormat},
                        {"version", Recording::version},
                        {"program", recording.program},
                        {"device", recording.device},
                        {"launches", recording.launches.size()}};
  if (!recording.edges.is_closed()) header["edges"] = write_fields(recording.edges);
  std::string text = header.dump() + '\n';
  for (const Launch& launch : recording.launches)
    text += nlohmann::json{{"name", launch.name},
                           {"tier", static_cast<int>(launch.tier)},
                           {"signature", launch.signature},
                           {"detail", launch.detail}}
                .dump() +
            '\n';
  return text;
}

void write_recording(const std::string& path, const Recording& recording) {
  write_atomic(path, recording_text(recording));
}

bool is_recording(const std::string& path) {
  constexpr size_t kLongestHeader = 1 << 20;
  const std::string begin = read_beginning(path, kLongestHeader);
  const auto header = parse_json(std::string_view(begin).substr(0, begin.find('\n')), path + ":1");
  return header.is_object() && header.contains("format") && header["format"] == kFormat;
}

Recording read_recording(const std::string& path) {
  RecordingReader reader(path);
  read_whole_lines(path, [&reader](std::string_view line, bool) { reader.take(line); });
  return reader.finish();
}

Recording recording_from(std::string_view text, const std::string& path) {
  RecordingReader reader(path);
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    reader.take(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.finish();
}

}  // namespace kjoule
