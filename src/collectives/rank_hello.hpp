#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "base/json/json_fields.hpp"
#include "collectives/group_place.hpp"

namespace kjoule {

/// The first message of a rank's kjoule to that of rank 0.
struct RankHello {
  int version = 0;  ///< of the protocol
  std::string run;  ///< as in GroupPlace
  int rank = 0, ranks = 0, gpu = 0;
  std::string machine;  ///< name of the rank's machine
};
template <class Fields>
void describe(Fields& fields, RankHello& hello) {
  fields("version", hello.version);
  fields("run", hello.run);
  fields("rank", hello.rank);
  fields("ranks", hello.ranks);
  fields("gpu", hello.gpu);
  fields("machine", hello.machine);
}

/// Returns the hello of a rank with this version of the protocol.
RankHello hello_of(const GroupPlace& place);

/// Returns whether a first message comes from a kjoule of the same run, which may have another version.
bool is_of_run(const nlohmann::json& message, const std::string& run);
/// Returns the hello that a message of the same run contains. Throws Error if it comes from another version
/// of kjoule, or if its content is wrong.
RankHello read_hello(const nlohmann::json& message);

}  // namespace kjoule
