#pragma once
#include "base/process/tcp_socket.hpp"
#include "collectives/group_place.hpp"

namespace kjoule {

/// Takes part in a run of collectives as a rank other than 0: connects to the kjoule of rank 0, starts the
/// kjoule-nccl of this rank, and forwards the messages between them until rank 0 ends the run. Retries to
/// connect for `time_limit_s` seconds, which is also the limit of each step. Throws Error if rank 0 cannot be
/// reached, refuses this rank, or ends before the run is complete, and if kjoule-nccl ends.
void take_part(const GroupPlace& place, double time_limit_s);

/// Returns a connection to rank 0, which has accepted this rank; part of take_part().
TcpSocket connect_to_first_rank(const GroupPlace& place, double time_limit_s);

}  // namespace kjoule
