#include "session/worker.hpp"

#include "cli/verb.hpp"

namespace hiptune::cli {
namespace {

Action configure(CLI::App& command, const Context&) {
  auto socket = std::make_shared<int>(-1);
  command.add_option("--socket", *socket, "descriptor of the coordinator's socket")->required();
  return [socket](Context&) { return serve_worker(*socket); };
}

}  // namespace

Verb worker_verb() { return {"worker", "Runs variants for a coordinator", Verb::Takes::nothing, configure, true}; }

}  // namespace hiptune::cli
