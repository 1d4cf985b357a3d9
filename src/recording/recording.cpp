#include "recording/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <type_traits>
#include <unordered_map>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/json/parse_json.hpp"

namespace kjoule {

namespace {

constexpr const char* kFormat = "kjoule-recording";

nlohmann::json parse_line(const std::string& path, size_t number, const std::string& line) {
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
  constexpr std::streamsize kLongestHeader = 1 << 20;
  std::ifstream file(path);
  std::string begin(kLongestHeader, '\0');
  file.read(begin.data(), kLongestHeader);
  begin.resize(static_cast<size_t>(file.gcount()));
  const auto header = parse_json(begin.substr(0, begin.find('\n')), path + ":1");
  return header.is_object() && header.contains("format") && header["format"] == "kjoule-recording";
}

Recording read_recording(const std::string& path) {
  return recording_from(read_text(path), path);
}

Recording recording_from(const std::string& text, const std::string& path) {
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line))
    throw Error(path + ": this file is empty", "record the program or model again with kjoule record");
  const nlohmann::json header = parse_line(path, 1, line);
  if (!header.is_object() || header.value("format", nlohmann::json()) != kFormat)
    throw Error(path + ": this file is not a recording of kjoule",
                "record one with kjoule record -o FILE -- PROGRAM");
  const int version = field<int>(path, 1, header, "version");
  if (version != Recording::version)
    throw Error(fmt::format("{}: is a recording of version {}, but this kjoule reads version {}", path,
                            version, Recording::version),
                "record the program or model again with kjoule record");
  Recording recording{
      header.value("program", nlohmann::json()), header.value("device", nlohmann::json()), {}, {}};
  const auto expected = field<size_t>(path, 1, header, "launches");
  for (size_t number = 2; std::getline(lines, line); ++number) {
    const nlohmann::json row = parse_line(path, number, line);
    recording.launches.push_back({field<std::string>(path, number, row, "name"), tier_of(path, number, row),
                                  field<std::string>(path, number, row, "signature"),
                                  row.value("detail", nlohmann::json())});
  }
  if (recording.launches.size() != expected)
    throw Error(fmt::format("{}: contains {} of {} launches", path, recording.launches.size(), expected),
                "the file is truncated: record the program or model again with kjoule record");
  if (header.contains("edges")) recording.edges = edges_in(path, header["edges"], expected);
  return recording;
}

}  // namespace kjoule
