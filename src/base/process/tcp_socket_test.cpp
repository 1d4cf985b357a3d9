#include "base/process/tcp_socket.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>

#include "base/error.hpp"

namespace kjoule {
namespace {

constexpr auto kLimit = std::chrono::seconds(10);

TcpSocket next_connection(const TcpListener& listener) {
  pollfd waiting{.fd = listener.descriptor(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(poll(&waiting, 1, 10'000), 1);
  return listener.accept();
}

TEST(TcpSocket, CarriesBytesBetweenTheEnds) {
  for (const auto reach : {TcpListener::Reach::this_machine, TcpListener::Reach::all_machines}) {
    const TcpListener listener(0, reach);
    EXPECT_EQ(listener.accept().descriptor(), -1);
    const TcpConnection connection = connect_tcp("127.0.0.1", listener.port(), kLimit);
    ASSERT_GE(connection.socket.descriptor(), 0) << connection.lack;
    const TcpSocket accepted = next_connection(listener);
    ASSERT_EQ(send(connection.socket.descriptor(), "abc", 3, 0), 3);
    std::array<char, 4> got{};
    EXPECT_EQ(recv(accepted.descriptor(), got.data(), 3, MSG_WAITALL), 3);
    EXPECT_STREQ(got.data(), "abc");
  }
}

TEST(TcpSocket, SaysWhyThereIsNoConnection) {
  int port = 0;
  {
    const TcpListener listener(0, TcpListener::Reach::this_machine);
    port = listener.port();
    EXPECT_THROW(TcpListener(port, TcpListener::Reach::all_machines), Error);
  }
  const TcpConnection refused = connect_tcp("127.0.0.1", port, kLimit);
  EXPECT_EQ(refused.socket.descriptor(), -1);
  EXPECT_EQ(refused.lack, "Connection refused");
  EXPECT_NE(connect_tcp("no.such.machine.invalid", port, kLimit).lack, "");
}

TEST(TcpSocket, WaitsNoLongerThanItsLimit) {
  const TcpListener listener(0, TcpListener::Reach::this_machine);
  const TcpConnection connection = connect_tcp("127.0.0.1", listener.port(), kLimit);
  connection.socket.limit_waiting(std::chrono::milliseconds(20));
  char byte = 0;
  EXPECT_EQ(recv(connection.socket.descriptor(), &byte, 1, 0), -1);
}

}  // namespace
}  // namespace kjoule
