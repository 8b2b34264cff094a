#include "session/lifeline.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <system_error>

namespace hiptune {
namespace {

constexpr int kPollMilliseconds = 200;

}  // namespace

Lifeline::Lifeline(int socket) : socket_(socket), thread_([this](const std::stop_token& stop) { watch(stop); }) {}

Lifeline::~Lifeline() { remove_folders(); }

void Lifeline::own(std::filesystem::path folder) {
  const std::lock_guard lock(mutex_);
  folders_.push_back(std::move(folder));
}

void Lifeline::remove_folders() {
  const std::lock_guard lock(mutex_);
  for (const std::filesystem::path& folder : folders_) {
    // Never anything but a folder that the coordinator made for its workers.
    if (!folder.filename().string().starts_with("hiptune-")) continue;
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
}

void Lifeline::watch(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    pollfd watched{socket_, POLLRDHUP, 0};
    if (::poll(&watched, 1, kPollMilliseconds) <= 0 || (watched.revents & (POLLHUP | POLLRDHUP | POLLERR)) == 0)
      continue;
    remove_folders();
    if (::getpgrp() == ::getpid()) ::kill(0, SIGKILL);
    return;
  }
}

}  // namespace hiptune
