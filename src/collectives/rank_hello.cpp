#include "collectives/rank_hello.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text/printable.hpp"
#include "device/protocol.hpp"

namespace kjoule {

namespace {

constexpr size_t kLongestMachineName = 255;

/// Returns the machine that a hello of any version names.
std::string machine_of(const nlohmann::json& message) {
  const auto machine = message.find("machine");
  if (machine == message.end() || !machine->is_string()) return "another machine";
  return printable(machine->get<std::string>().substr(0, kLongestMachineName));
}

}  // namespace

RankHello hello_of(const GroupPlace& place) {
  return {kProtocolVersion, place.run, place.rank, place.ranks, place.gpu, place.machine};
}

bool is_of_run(const nlohmann::json& message, const std::string& run) {
  const auto stated = message.find("run");
  return stated != message.end() && stated->is_string() && stated->get_ref<const std::string&>() == run;
}

RankHello read_hello(const nlohmann::json& message) {
  const auto version = message.find("version");
  if (version == message.end() || *version != kProtocolVersion)
    throw Error("a rank on " + machine_of(message) + " runs another version of kjoule than rank 0",
                "install the same version of kjoule on all machines");
  RankHello hello = read_fields<RankHello>(message, "the hello of a rank");
  hello.machine = machine_of(message);
  return hello;
}

}  // namespace kjoule
