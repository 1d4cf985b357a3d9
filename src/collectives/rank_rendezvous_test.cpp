#include "collectives/rank_rendezvous.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <future>

#include "base/error.hpp"
#include "collectives/group_member.hpp"
#include "device/protocol.hpp"

namespace kjoule {
namespace {

constexpr double kTimeLimit_s = 60;

GroupPlace place_of_rank(int rank, int ranks, int port = 0) {
  return {rank, ranks, rank, rank == 0 ? "a" : "b", "run 7", "127.0.0.1", port, true};
}

TcpSocket connect_anyone(int port) {
  return connect_tcp("127.0.0.1", port, std::chrono::seconds(10)).socket;
}

std::string bytes_of_message(const nlohmann::json& content) {
  const std::vector<uint8_t> body = nlohmann::json::to_cbor(content);
  const auto size = static_cast<uint32_t>(body.size());
  std::string bytes{static_cast<char>(size & 0xffU), static_cast<char>(size >> 8U), 0, 0};
  bytes.append(body.begin(), body.end());
  return bytes;
}

template <class Action>
std::string refusal_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

/// A rendezvous that waits in another thread.
class WaitingRendezvous {
 public:
  explicit WaitingRendezvous(int ranks, double time_limit_s = kTimeLimit_s)
      : rendezvous_(place_of_rank(0, ranks)), ranks_(std::async(std::launch::async, [this, time_limit_s] {
          return rendezvous_.await_ranks(time_limit_s);
        })) {}

  int port() const { return rendezvous_.port(); }
  /// Waits for the ranks, and returns their names.
  std::vector<std::string> names() {
    std::vector<std::string> names;
    for (const auto& rank : ranks_.get()) names.push_back(rank->name());
    return names;
  }
  std::string error() {
    return refusal_of([this] { names(); });
  }

 private:
  RankRendezvous rendezvous_;
  std::future<std::vector<std::unique_ptr<RankLink>>> ranks_;
};

TEST(RankRendezvous, AcceptsTheRanksInAnyOrder) {
  WaitingRendezvous waiting(3);
  const TcpSocket second = connect_to_first_rank(place_of_rank(2, 3, waiting.port()), kTimeLimit_s);
  const TcpSocket first = connect_to_first_rank(place_of_rank(1, 3, waiting.port()), kTimeLimit_s);
  EXPECT_EQ(waiting.names(), (std::vector<std::string>{"rank 1 (GPU 1 of b)", "rank 2 (GPU 2 of b)"}));
}

TEST(RankRendezvous, IgnoresWhatIsNoRankOfTheRun) {
  WaitingRendezvous waiting(2);
  nlohmann::json nested = nlohmann::json::array();
  for (int depth = 0; depth < 400; ++depth) nested = nlohmann::json::array({nested});
  nlohmann::json other_run = write_fields(hello_of(place_of_rank(1, 2)));
  other_run["run"] = "run 8";
  std::vector<TcpSocket> strangers;
  for (const std::string& bytes :
       {std::string("GET / HTTP/1.1\r\n\r\n"), std::string("\0\0\0\0", 4), std::string("\1\0\0\0\xff", 5),
        std::string("\x09\0\0\0\x9b\xff\xff\xff\xff\xff\xff\xff\xff", 13), bytes_of_message(nested),
        bytes_of_message({{"run", 7}}), bytes_of_message("run 7"), bytes_of_message(other_run)}) {
    strangers.push_back(connect_anyone(waiting.port()));
    const int socket = strangers.back().descriptor();
    ASSERT_EQ(send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
    char answer = 0;
    EXPECT_LE(recv(socket, &answer, 1, 0), 0) << "closed without an answer";
  }
  const TcpSocket silent = connect_anyone(waiting.port());
  const TcpSocket incomplete = connect_anyone(waiting.port());
  ASSERT_EQ(send(incomplete.descriptor(), "\x40\0", 2, MSG_NOSIGNAL), 2);
  { const TcpSocket gone = connect_anyone(waiting.port()); }
  const TcpSocket rank = connect_to_first_rank(place_of_rank(1, 2, waiting.port()), kTimeLimit_s);
  EXPECT_EQ(waiting.names(), std::vector<std::string>{"rank 1 (GPU 1 of b)"});
}

TEST(RankRendezvous, IsNotBlockedByManySilentConnections) {
  WaitingRendezvous waiting(2);
  std::vector<TcpSocket> silent;
  for (int i = 0; i < 200; ++i) silent.push_back(connect_anyone(waiting.port()));
  const TcpSocket rank = connect_to_first_rank(place_of_rank(1, 2, waiting.port()), kTimeLimit_s);
  EXPECT_EQ(waiting.names().size(), 1U);
}

TEST(RankRendezvous, RefusesARankThatDoesNotBelongToTheGroup) {
  WaitingRendezvous waiting(3);
  const auto refused = [&](int rank, int ranks) {
    return refusal_of(
        [&] { connect_to_first_rank(place_of_rank(rank, ranks, waiting.port()), kTimeLimit_s); });
  };
  const TcpSocket first = connect_to_first_rank(place_of_rank(1, 3, waiting.port()), kTimeLimit_s);
  EXPECT_EQ(refused(1, 3), "rank 1 (GPU 1 of b) has connected already, as rank 1 (GPU 1 of b)");
  EXPECT_EQ(refused(1, 2), "rank 1 (GPU 1 of b) of 2 does not belong to the group of 3 ranks on a");
  EXPECT_EQ(refused(3, 3), "rank 3 (GPU 3 of b) of 3 does not belong to the group of 3 ranks on a");
  const TcpSocket second = connect_to_first_rank(place_of_rank(2, 3, waiting.port()), kTimeLimit_s);
  EXPECT_EQ(waiting.names().size(), 2U);
}

TEST(RankRendezvous, EndsIfARankHasAnotherVersion) {
  WaitingRendezvous waiting(2);
  const TcpSocket rank = connect_anyone(waiting.port());
  send_message(rank.descriptor(),
               {{"run", "run 7"}, {"version", kProtocolVersion + 1}, {"machine", "b\x1b[2J"}});
  const std::string error = "a rank on b\\u001b[2J runs another version of kjoule than rank 0";
  EXPECT_EQ(waiting.error(), error);
  const auto answer = receive_message(rank.descriptor());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->at("error").at("cause"), error);
}

TEST(RankRendezvous, NamesTheRanksThatAreMissing) {
  WaitingRendezvous waiting(5, 0.3);
  const TcpSocket second = connect_to_first_rank(place_of_rank(2, 5, waiting.port()), kTimeLimit_s);
  EXPECT_EQ(waiting.error(), "ranks 1, 3 to 4 did not connect to port " + std::to_string(waiting.port()) +
                                 " of a within 0.3 s");
}

TEST(RankRendezvous, EndsWithARank) {
  WaitingRendezvous waiting(3);
  { const TcpSocket rank = connect_to_first_rank(place_of_rank(1, 3, waiting.port()), kTimeLimit_s); }
  EXPECT_EQ(waiting.error(),
            "rank 1 (GPU 1 of b) ended before it could meet the other ranks: the connection to it was lost");
}

TEST(RankRendezvous, IsNotMistakenForAnother) {
  WaitingRendezvous waiting(2);
  GroupPlace other = place_of_rank(1, 2, waiting.port());
  other.run = "run 8";
  EXPECT_EQ(refusal_of([&] { connect_to_first_rank(other, 0.3); }),
            "rank 1 (GPU 1 of b) could not connect to rank 0 at 127.0.0.1, port " +
                std::to_string(waiting.port()) +
                ", within 0.3 s: the port is used by another program, or another run of kjoule");
  const TcpSocket rank = connect_to_first_rank(place_of_rank(1, 2, waiting.port()), kTimeLimit_s);
  EXPECT_EQ(waiting.names().size(), 1U);
}

}  // namespace
}  // namespace kjoule
