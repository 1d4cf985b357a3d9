#include "base/process/local_socket.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"

namespace kjoule {
namespace {

TEST(Listener, LetsInWhoKnowsItsName) {
  Listener listener;
  EXPECT_EQ(listener.accept().socket, -1);
  const int socket = connect_to(listener.name());
  ASSERT_GE(socket, 0);
  const ConnectedProcess process = listener.accept();
  EXPECT_EQ(process.pid, getpid());
  char heard = 0;
  EXPECT_EQ(write(socket, "x", 1), 1);
  EXPECT_EQ(read(process.socket, &heard, 1), 1);
  EXPECT_EQ(heard, 'x');
  close(socket);
  close(process.socket);
}

TEST(Listener, IsGoneWithItsName) {
  std::string name;
  {
    const Listener one;
    const Listener other;
    EXPECT_NE(one.name(), other.name());
    name = one.name();
  }
  EXPECT_EQ(connect_to(name), -1);
  EXPECT_THROW(connect_to("/tmp/file"), Error);
  EXPECT_THROW(connect_to("@" + std::string(200, 'x')), Error);
}

TEST(Listener, TurnsOtherUsersAway) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  Listener listener;
  const pid_t pid = fork();
  if (pid == 0) {
    const bool other = setuid(65534) == 0;
    _exit(other && connect_to(listener.name()) >= 0 ? 42 : 1);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  ASSERT_EQ(WEXITSTATUS(status), 42);
  EXPECT_EQ(listener.accept().socket, -1);
}

}  // namespace
}  // namespace kjoule
