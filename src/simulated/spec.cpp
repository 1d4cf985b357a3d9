#include "simulated/spec.hpp"

#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <initializer_list>
#include <set>
#include <vector>

#include "base/error.hpp"

namespace kjoule {
namespace {

constexpr std::string_view prefix = "simulated:";

[[noreturn]] void bad_value(std::string_view key, std::string_view value, std::string_view wanted) {
  throw Error(fmt::format("--device simulated: {}={} is not valid", key, value),
              fmt::format("{} must be {}", key, wanted));
}

template <class Number>
Number number(std::string_view key, std::string_view value, Number low, Number high) {
  Number result{};
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
  // The condition also rejects NaN.
  if (error != std::errc() || end != value.data() + value.size() || !(result >= low && result <= high))
    bad_value(key, value, fmt::format("a number from {} to {}", low, high));
  return result;
}

template <class Choice>
Choice choice(std::string_view key, std::string_view value,
              std::initializer_list<std::pair<std::string_view, Choice>> choices) {
  std::string names;
  for (const auto& [name, meaning] : choices) {
    if (name == value) return meaning;
    names += fmt::format("{}{}", names.empty() ? "one of " : ", ", name);
  }
  bad_value(key, value, names);
}

using LongReuse = SimulatedSpec::LongReuse;
using MeterHealth = SimulatedSpec::MeterHealth;

const std::initializer_list<std::pair<std::string_view, MeterHealth>> meter_healths = {
    {"works", MeterHealth::works},
    {"none", MeterHealth::none},
    {"frozen", MeterHealth::frozen},
    {"resets", MeterHealth::resets}};

struct Key {
  std::string_view name;
  std::function<void(SimulatedSpec&, std::string_view)> set;
};

const std::vector<Key>& keys() {
  static const std::vector<Key> all = {
      {"seed", [](auto& s, auto v) { s.seed = number<uint64_t>("seed", v, 0, UINT64_MAX); }},
      {"launches", [](auto& s, auto v) { s.launches = number("launches", v, 4, 20000); }},
      {"edges",
       [](auto& s, auto v) {
         s.can_time_between_launches = choice<bool>("edges", v, {{"draining", false}, {"clean", true}});
       }},
      {"noise", [](auto& s, auto v) { s.noise = number("noise", v, 0.0, 0.5); }},
      {"drift", [](auto& s, auto v) { s.drift = number("drift", v, 0.0, 0.9); }},
      {"long_reuse",
       [](auto& s, auto v) {
         s.long_reuse = choice<LongReuse>(
             "long_reuse", v,
             {{"auto", LongReuse::automatic}, {"on", LongReuse::on}, {"off", LongReuse::off}});
       }},
      {"fail", [](auto& s, auto v) { s.fail = number<LaunchIndex>("fail", v, 0, 19999); }},
      {"crash", [](auto& s, auto v) { s.crash = number("crash", v, 0.0, 1e9); }},
      {"differ",
       [](auto& s, auto v) {
         s.differ = choice<bool>("differ", v, {{"on", true}, {"off", false}});
       }},
      {"lost_record",
       [](auto& s, auto v) { s.lost_record = number<LaunchIndex>("lost_record", v, 0, 19999); }},
      {"distortion", [](auto& s, auto v) { s.distortion = number("distortion", v, 0.0, 1.0); }},
      {"nonadditive", [](auto& s, auto v) { s.nonadditive = number("nonadditive", v, 0.0, 1.0); }},
      {"converged", [](auto& s, auto v) { s.converged = number("converged", v, 1.0, 100.0); }},
      {"power_limit", [](auto& s, auto v) { s.power_limit = number("power_limit", v, 200.0, 1000.0); }},
      {"meter", [](auto& s, auto v) { s.meter = choice("meter", v, meter_healths); }},
      {"sensor_rate",
       [](auto& s, auto v) { s.sensor_rate = v == "0" ? 0 : number("sensor_rate", v, 100.0, 10000.0); }},
  };
  return all;
}

/// Sets the key of `item`, KEY=VALUE, and adds it to `given`. Throws Error if it is not known, or was given.
void set_key(SimulatedSpec& spec, std::string_view item, std::set<std::string_view>& given) {
  const size_t equals = item.find('=');
  const std::string_view name = item.substr(0, equals);
  std::string names;
  for (const Key& key : keys()) {
    if (key.name == name && equals != item.npos) {
      if (!given.insert(name).second)
        throw Error(fmt::format("--device simulated: {} is given twice", name), "give each key once");
      return key.set(spec, item.substr(equals + 1));
    }
    names += fmt::format("{}{}", names.empty() ? "" : ", ", key.name);
  }
  throw Error(fmt::format("--device simulated: '{}' is not of the form KEY=VALUE with a known key", item),
              fmt::format("write KEY=VALUE pairs, separated by commas; the keys are {}", names));
}

}  // namespace

SimulatedSpec parse_simulated_spec(std::string_view text) {
  SimulatedSpec spec;
  std::set<std::string_view> given;
  if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  while (!text.empty()) {
    const size_t comma = text.find(',');
    set_key(spec, text.substr(0, comma), given);
    text = comma == text.npos ? std::string_view{} : text.substr(comma + 1);
  }
  return spec;
}

std::string to_string(const SimulatedSpec& spec) {
  const SimulatedSpec usual;
  std::string text = fmt::format("seed={}", spec.seed);
  if (spec.launches != usual.launches) text += fmt::format(",launches={}", spec.launches);
  if (spec.can_time_between_launches) text += ",edges=clean";
  if (spec.noise) text += fmt::format(",noise={}", *spec.noise);
  if (spec.drift != usual.drift) text += fmt::format(",drift={}", spec.drift);
  if (spec.long_reuse != usual.long_reuse)
    text += spec.long_reuse == LongReuse::on ? ",long_reuse=on" : ",long_reuse=off";
  if (spec.fail) text += fmt::format(",fail={}", *spec.fail);
  if (spec.crash) text += fmt::format(",crash={}", *spec.crash);
  if (spec.differ) text += ",differ=on";
  if (spec.lost_record) text += fmt::format(",lost_record={}", *spec.lost_record);
  if (spec.distortion != usual.distortion) text += fmt::format(",distortion={}", spec.distortion);
  if (spec.nonadditive != usual.nonadditive) text += fmt::format(",nonadditive={}", spec.nonadditive);
  if (spec.converged != usual.converged) text += fmt::format(",converged={}", spec.converged);
  if (spec.power_limit != usual.power_limit) text += fmt::format(",power_limit={}", spec.power_limit);
  for (const auto& [name, health] : meter_healths)
    if (spec.meter == health && health != usual.meter) text += fmt::format(",meter={}", name);
  if (spec.sensor_rate != usual.sensor_rate) text += fmt::format(",sensor_rate={}", spec.sensor_rate);
  return text;
}

}  // namespace kjoule
