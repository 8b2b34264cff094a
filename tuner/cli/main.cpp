#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <iostream>

#include "cli/command_line.hpp"
#include "cli/text.hpp"
#include "cli/verb.hpp"
#include "device/device.hpp"
#include "hiptune/error.hpp"
#include "problem/nearest.hpp"
#include "problem/utf8.hpp"
#include "session/messages.hpp"

namespace hiptune::cli {
namespace {

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::bad_input:
      return kBadInput;
    case ErrorKind::unavailable:
      return kUnavailable;
    case ErrorKind::failed:
      return kNothingUsable;
  }
  return kInternalError;
}

struct Command {
  CLI::App app{"hiptune tunes HIP kernels: it rejects wrong variants, times the rest, and keeps the best.", "hiptune"};
  std::string kernel_name;
  Action action;
};

void add_verb(const Verb& verb, Command& command, Context& context) {
  CLI::App* sub = command.app.add_subcommand(verb.name, verb.summary);
  if (verb.hidden) sub->group("");
  if (verb.takes == Verb::Takes::kernel) {
    sub->add_option("KERNEL", command.kernel_name, "the kernel's name, right after the verb")
        ->required()
        ->type_name("");
    if (!context.kernel)
      sub->footer("`hiptune " + verb.name + " KERNEL --help` shows the kernel's dimensions as well.");
  }
  if (!verb.hidden) add_shared_options(*sub, context);
  Action action = verb.configure(*sub, context);
  sub->callback([&command, action] { command.action = action; });
}

void report(const std::string& message, const Context& context) {
  if (context.json) print_json({{"error", message}});
  std::cerr << "hiptune: error: " << message << std::endl;
}

void set_up(Command& command, Context& context) {
  command.app.require_subcommand(1);
  command.app.set_version_flag("--version", "hiptune " HIPTUNE_VERSION);
  for (const Verb& verb : verbs()) add_verb(verb, command, context);
}

// Paths and the device's id travel to the workers and into the results as JSON.
void require_utf8(const Options& options) {
  std::vector<std::filesystem::path> paths{options.cache, options.temporary_directory};
  paths.insert(paths.end(), options.kernel_paths.begin(), options.kernel_paths.end());
  paths.insert(paths.end(), options.environment_kernel_paths.begin(), options.environment_kernel_paths.end());
  for (const std::filesystem::path& path : paths)
    if (valid_utf8(path.string()) != path.string())
      throw bad_input(valid_utf8(path.string()) + ": the path is not UTF-8; rename it, or choose another");
  if (valid_utf8(options.cxx_compiler) != options.cxx_compiler)
    throw bad_input("HIPTUNE_CXX: " + valid_utf8(options.cxx_compiler) + " is not UTF-8; choose another compiler");
  if (valid_utf8(options.device) != options.device)
    throw bad_input("--device " + valid_utf8(options.device) + ": is not UTF-8; see `hiptune devices`");
}

int run(const std::vector<std::string>& words, Context& context) {
  Command command;
  try {
    if (!words.empty()) read_verb_and_kernel(words, context);
    set_up(command, context);
    if (words.empty()) {
      std::cerr << command.app.help();
      return kBadInput;
    }
    command.app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    require_utf8(context.options);
    const int code = command.action(context);
    if (!std::cout.flush()) throw failed("stdout: the results cannot be written; check the disk's space");
    return code;
  } catch (const CLI::Success& success) {  // --help, --version
    return command.app.exit(success);
  } catch (const CLI::ParseError& error) {
    report(explain(error, words, command.app), context);
    return kBadInput;
  } catch (const Error& error) {
    report(error.what(), context);
    return exit_code(error.kind());
  } catch (const DeviceLost& error) {
    report(error.what(), context);
    return kNothingUsable;
  } catch (const std::filesystem::filesystem_error& error) {  // a path too long, or a folder that may not be entered
    report(excerpt(error.path1().string()) + ": " + error.code().message() + "; choose another path", context);
    return kBadInput;
  } catch (const std::exception& error) {
    report(std::string("internal error, please report it: ") + error.what(), context);
    return kInternalError;
  }
}

}  // namespace
}  // namespace hiptune::cli

namespace {

// Else the next file or socket that is opened is taken for a standard stream: results would go to a worker.
void open_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0)
      static_cast<void>(::open("/dev/null", stream == STDIN_FILENO ? O_RDONLY : O_WRONLY));
}

}  // namespace

int main(int argc, char** argv) {
  using namespace hiptune;
  open_standard_streams();
  std::signal(SIGCHLD, SIG_DFL);  // a parent may have had it ignored, and then no child's end could be told
  const std::vector<std::string> words(argv + 1, argv + argc);
  cli::Context context;
  context.options = Options::from_environment();
  context.json = std::ranges::count(words, "--json") > 0;  // errors in the words themselves are reported so, too
  return cli::run(words, context);
}
