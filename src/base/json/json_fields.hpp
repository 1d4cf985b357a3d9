#pragma once
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/json/whole_number.hpp"

namespace kjoule {

class FieldWriter;
class FieldReader;

/// A struct whose fields are described once, both for writing and for reading, by a function next to it:
///
///   template <class Fields>
///   void describe(Fields& fields, TrackTiming& timing) {
///     fields("seconds", timing.seconds);
///     fields("clock_hz", timing.clock_hz);          // std::optional: omitted if it has no value
///     fields.unless_empty("error", timing.error);  // omitted if it is 0 or empty
///     // stored as the result of status_name(), and converted back by status_named()
///     fields.as("status", timing.status, status_name, status_named);
///     fields.derived("end_ns", timing.end_ns());    // written for users of the file, but not read back
///     // std::variant: written as the alternative's name (kType) and the alternative's fields
///     fields.one_of("times", timing.times);
///   }
///
/// Fields may be numbers, texts, nlohmann::json (stored unchanged) and described structs, and also
/// std::optional, std::vector, std::pair and std::map with text keys of these.
template <class T>
concept Described = requires(FieldWriter& writer, FieldReader& reader, T& value) {
  describe(writer, value);
  describe(reader, value);
};

/// Returns a described struct as a JSON object.
template <Described T>
nlohmann::json write_fields(const T& value);

/// Returns the struct that a JSON object describes. `what` is the object's name in error messages ("round").
/// Throws Error with the name of a field that is missing or wrong: "round.wholes[2].mean_ns: not a list".
template <Described T>
T read_fields(const nlohmann::json& json, const std::string& what);

namespace fields_detail {

template <class T>
struct Shape {};
template <class T>
struct Shape<std::optional<T>> {
  static constexpr bool optional = true;
};
template <class T>
struct Shape<std::vector<T>> {
  static constexpr bool list = true;
};
template <class A, class B>
struct Shape<std::pair<A, B>> {
  static constexpr bool pair = true;
};
template <class T>
struct Shape<std::map<std::string, T>> {
  static constexpr bool map = true;
};

template <class T>
concept Optional = requires {
  Shape<T>::optional;
};
template <class T>
concept List = requires {
  Shape<T>::list;
};
template <class T>
concept Pair = requires {
  Shape<T>::pair;
};
template <class T>
concept TextMap = requires {
  Shape<T>::map;
};

template <class T>
nlohmann::json json_of(const T& value);
template <class T>
void read(const nlohmann::json& json, const std::string& place, T& value);

template <class T>
const char* expected() {
  if constexpr (std::same_as<T, bool>) return "true or false";
  if constexpr (std::integral<T>) return "a whole number in the allowed range";
  if constexpr (std::floating_point<T>) return "a number";
  return std::same_as<T, std::string> ? "a text" : "a value of the expected kind";
}

template <class T>
bool fits(const nlohmann::json& json) {
  if constexpr (std::integral<T> && !std::same_as<T, bool>)
    return is_whole_number<T>(json);
  else
    return true;
}

}  // namespace fields_detail

/// Writes fields into a JSON object.
class FieldWriter {
 public:
  template <class T>
  void operator()(const char* name, const T& value) {
    if constexpr (fields_detail::Optional<T>)
      if (!value) return;
    json_[name] = fields_detail::json_of(value);
  }
  template <class T>
  void unless_empty(const char* name, const T& value) {
    if (value != T{}) (*this)(name, value);
  }
  template <class T, class To, class From>
  void as(const char* name, const T& value, const To& to, const From&) {
    json_[name] = fields_detail::json_of(to(value));
  }
  template <class T>
  void derived(const char* name, const T& value) {
    (*this)(name, value);
  }
  template <class... T>
  void one_of(const char* name, std::variant<T...>& value) {
    std::visit(
        [&](auto& alternative) {
          json_[name] = std::decay_t<decltype(alternative)>::kType;
          describe(*this, alternative);
        },
        value);
  }
  /// Writes the fields of the struct to(value) instead of the fields of `value`.
  template <class T, class To, class From>
  void through(const T& value, const To& to, const From&) {
    auto stored = to(value);
    describe(*this, stored);
  }
  nlohmann::json take() { return std::move(json_); }

 private:
  nlohmann::json json_ = nlohmann::json::object();
};

/// Reads fields from a JSON object. Throws Error with the name of a field that is missing or wrong.
class FieldReader {
 public:
  /// `json` must outlive the reader.
  FieldReader(const nlohmann::json& json, std::string place) : json_(json), place_(std::move(place)) {
    if (!json.is_object()) throw Error(place_ + ": not an object");
  }

  template <class T>
  void operator()(const char* name, T& value) const {
    const auto found = json_.find(name);
    if (found != json_.end())
      fields_detail::read(*found, place_of(name), value);
    else if constexpr (fields_detail::Optional<T>)
      value.reset();
    else
      throw Error(place_of(name) + ": missing");
  }
  template <class T>
  void unless_empty(const char* name, T& value) const {
    value = T{};
    if (json_.contains(name)) (*this)(name, value);
  }
  template <class T, class To, class From>
  void as(const char* name, T& value, const To& to, const From& from) const {
    std::decay_t<decltype(to(value))> stored{};
    if constexpr (std::is_convertible_v<decltype(stored), std::string>) {
      std::string text;
      (*this)(name, text);
      value = from(text);
    } else {
      (*this)(name, stored);
      value = from(stored);
    }
  }

  template <class T>
  void derived(const char*, const T&) const {}
  template <class... T>
  void one_of(const char* name, std::variant<T...>& value) {
    std::string type;
    (*this)(name, type);
    if (!(read_alternative(type, value, std::type_identity<T>{}) || ...))
      throw Error(place_of(name) + ": " + type + " is not known");
  }
  template <class T, class To, class From>
  void through(T& value, const To& to, const From& from) {
    std::decay_t<decltype(to(value))> stored{};
    describe(*this, stored);
    value = from(std::move(stored));
  }

 private:
  template <class Variant, class T>
  bool read_alternative(const std::string& type, Variant& value, std::type_identity<T>) {
    if (type != T::kType) return false;
    T alternative{};
    describe(*this, alternative);
    value = std::move(alternative);
    return true;
  }
  std::string place_of(const char* name) const { return place_ + "." + name; }

  const nlohmann::json& json_;
  std::string place_;
};

namespace fields_detail {

template <class T>
nlohmann::json json_of(const T& value) {
  if constexpr (Described<T>) {
    return write_fields(value);
  } else if constexpr (Optional<T>) {
    return value ? json_of(*value) : nlohmann::json();
  } else if constexpr (List<T>) {
    auto list = nlohmann::json::array();
    for (const auto& element : value) list.push_back(json_of<typename T::value_type>(element));
    return list;
  } else if constexpr (Pair<T>) {
    return nlohmann::json::array({json_of(value.first), json_of(value.second)});
  } else if constexpr (TextMap<T>) {
    auto object = nlohmann::json::object();
    for (const auto& [key, element] : value) object[key] = json_of(element);
    return object;
  } else {
    return nlohmann::json(value);
  }
}

template <class T>
void read_list(const nlohmann::json& json, const std::string& place, std::vector<T>& values) {
  if (!json.is_array()) throw Error(place + ": not a list");
  values.clear();
  values.reserve(json.size());
  for (size_t i = 0; i < json.size(); ++i) {
    T value{};
    read(json[i], place + "[" + std::to_string(i) + "]", value);
    values.push_back(std::move(value));
  }
}

template <class T>
void read_map(const nlohmann::json& json, const std::string& place, std::map<std::string, T>& values) {
  if (!json.is_object()) throw Error(place + ": not an object");
  values.clear();
  for (const auto& [key, element] : json.items()) read(element, place + "." + key, values[key]);
}

template <class T>
void read_value(const nlohmann::json& json, const std::string& place, T& value) {
  try {
    if (fits<T>(json)) {
      json.get_to(value);
      return;
    }
  } catch (const nlohmann::json::exception&) {  // the error is reported below
  }
  throw Error(place + ": not " + expected<T>());
}

template <class T>
void read(const nlohmann::json& json, const std::string& place, T& value) {
  if constexpr (Described<T>) {
    FieldReader reader(json, place);
    describe(reader, value);
  } else if constexpr (Optional<T>) {
    if (json.is_null())
      value.reset();
    else
      read(json, place, value.emplace());
  } else if constexpr (List<T>) {
    read_list(json, place, value);
  } else if constexpr (Pair<T>) {
    if (!json.is_array() || json.size() != 2) throw Error(place + ": not a list of two values");
    read(json[0], place + "[0]", value.first);
    read(json[1], place + "[1]", value.second);
  } else if constexpr (TextMap<T>) {
    read_map(json, place, value);
  } else if constexpr (std::same_as<T, nlohmann::json>) {
    value = json;
  } else {
    read_value(json, place, value);
  }
}

}  // namespace fields_detail

template <Described T>
nlohmann::json write_fields(const T& value) {
  FieldWriter writer;
  // describe() takes a reference that is not const because it is also used for reading; the writer does not
  // change the value.
  describe(writer, const_cast<T&>(value));
  return writer.take();
}

template <Described T>
T read_fields(const nlohmann::json& json, const std::string& what) {
  T value{};
  fields_detail::read(json, what, value);
  return value;
}

}  // namespace kjoule
