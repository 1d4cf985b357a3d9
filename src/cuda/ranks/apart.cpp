#include "cuda/ranks/apart.hpp"

#include "base/error.hpp"
#include "device/device.hpp"

namespace kjoule::cuda {

void throw_apart(RankBoard& board, const char* why) {
  board.give_up();
  throw Error(std::string("the ranks of the program could not be paused at the same iteration: ") + why,
              "choose the iteration with --range NAME, or measure one rank alone with --rank R");
}

void throw_if_given_up(const RankBoard& board) {
  if (board.decision() == RankBoard::Decision::given_up)
    throw DeviceError(kAnotherRankFailed, "see the error of that rank; results before it are kept", {}, true);
}

}  // namespace kjoule::cuda
