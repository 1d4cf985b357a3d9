#include "base/json/json_fields.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

struct Stop {
  int64_t begin_ns = 0;
  std::optional<double> clock_hz;
};

template <class Fields>
void describe(Fields& fields, Stop& stop) {
  fields("begin_ns", stop.begin_ns);
  fields("clock_hz", stop.clock_hz);
}

struct Walk {
  static constexpr const char* kType = "walk";
  int steps = 0;
};
template <class Fields>
void describe(Fields& fields, Walk& walk) {
  fields("steps", walk.steps);
}
struct Ride {
  static constexpr const char* kType = "ride";
  std::vector<double> km;
};
template <class Fields>
void describe(Fields& fields, Ride& ride) {
  fields("km", ride.km);
}
/// A struct with a variant and a derived field.
struct Leg {
  std::variant<Walk, Ride> by;
  double length() const { return std::holds_alternative<Walk>(by) ? 1 : 2; }
};
template <class Fields>
void describe(Fields& fields, Leg& leg) {
  fields.one_of("by", leg.by);
  fields.derived("length", leg.length());
}

enum class Colour { red, blue };
std::string name_of(Colour colour) {
  return colour == Colour::red ? "red" : "blue";
}
Colour named(const std::string& name) {
  if (name != "red" && name != "blue") throw Error(name + ": no colour");
  return name == "red" ? Colour::red : Colour::blue;
}

struct Journey {
  std::string title;
  std::vector<Stop> stops;
  std::map<std::string, Stop> named_stops;
  std::vector<std::pair<uint32_t, std::string>> failed;
  Colour colour = Colour::red;
  uint8_t small = 0;
  nlohmann::json opaque;
};

template <class Fields>
void describe(Fields& fields, Journey& journey) {
  fields("title", journey.title);
  fields("stops", journey.stops);
  fields("named_stops", journey.named_stops);
  fields("failed", journey.failed);
  fields.as("colour", journey.colour, name_of, named);
  fields.unless_empty("small", journey.small);
  fields("opaque", journey.opaque);
}

Journey journey() {
  return {"north", {{1, 1.5e9}, {2, {}}}, {{"first", {3, {}}}}, {{4, "lost"}}, Colour::blue,
          9,       {{"any", {1, 2}}}};
}

std::string refusal(const nlohmann::json& json) {
  try {
    read_fields<Journey>(json, "journey");
  } catch (const Error& error) {
    return error.what();
  }
  return "read";
}

TEST(JsonFields, ReadsWhatItWrote) {
  const nlohmann::json written = write_fields(journey());
  EXPECT_EQ(written.at("stops").at(1), (nlohmann::json{{"begin_ns", 2}})) << "no clock, no key";
  EXPECT_EQ(written.at("colour"), "blue");
  const Journey read = read_fields<Journey>(written, "journey");
  EXPECT_EQ(read.stops.at(0).clock_hz, 1.5e9);
  EXPECT_FALSE(read.stops.at(1).clock_hz);
  EXPECT_EQ(read.failed.at(0), (std::pair<uint32_t, std::string>(4, "lost")));
  EXPECT_EQ(write_fields(read), written);
}

TEST(JsonFields, NamesTheFieldThatIsMissingOrWrong) {
  const auto with = [](const char* pointer, const nlohmann::json& value) {
    nlohmann::json json = write_fields(journey());
    json[nlohmann::json::json_pointer(pointer)] = value;
    return json;
  };
  nlohmann::json missing = write_fields(journey());
  missing.erase("title");
  EXPECT_EQ(refusal(missing), "journey.title: missing");
  EXPECT_EQ(refusal(3), "journey: not an object");
  EXPECT_EQ(refusal(with("/title", 3)), "journey.title: not a text");
  EXPECT_EQ(refusal(with("/stops", "none")), "journey.stops: not a list");
  EXPECT_EQ(refusal(with("/stops/1/begin_ns", 1.5)),
            "journey.stops[1].begin_ns: not a whole number in the allowed range");
  EXPECT_EQ(refusal(with("/stops/0/clock_hz", "fast")), "journey.stops[0].clock_hz: not a number");
  EXPECT_EQ(refusal(with("/named_stops/first", 1)), "journey.named_stops.first: not an object");
  EXPECT_EQ(refusal(with("/failed/0", 1)), "journey.failed[0]: not a list of two values");
  EXPECT_EQ(refusal(with("/colour", "green")), "green: no colour");
  EXPECT_EQ(refusal(with("/small", 256)), "journey.small: not a whole number in the allowed range");
}

TEST(JsonFields, LeavesOutWhatIsEmptyAndTakesNullForNothing) {
  Journey empty = journey();
  empty.small = 0;
  nlohmann::json json = write_fields(empty);
  EXPECT_FALSE(json.contains("small"));
  json["stops"][0]["clock_hz"] = nullptr;
  const Journey read = read_fields<Journey>(json, "journey");
  EXPECT_EQ(read.small, 0);
  EXPECT_FALSE(read.stops.at(0).clock_hz);
}

TEST(JsonFields, StoresAVariantUnderTheNameOfItsAlternative) {
  const nlohmann::json written = write_fields(Leg{Ride{{1.5, 2}}});
  EXPECT_EQ(written, (nlohmann::json{{"by", "ride"}, {"km", {1.5, 2}}, {"length", 2.0}}));
  EXPECT_EQ(std::get<Ride>(read_fields<Leg>(written, "leg").by).km.at(1), 2);
  EXPECT_EQ(std::get<Walk>(read_fields<Leg>({{"by", "walk"}, {"steps", 3}}, "leg").by).steps, 3);
  try {
    read_fields<Leg>({{"by", "boat"}}, "leg");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "leg.by: boat is not known");
  }
}

}  // namespace
}  // namespace kjoule
