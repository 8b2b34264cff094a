#include "cli/verb.hpp"

namespace hiptune::cli {

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> table{devices_verb(),  tune_verb(),  verify_verb(), compile_verb(), show_verb(),
                                       dispatch_verb(), bench_verb(), check_verb(),  worker_verb()};
  return table;
}

}  // namespace hiptune::cli
