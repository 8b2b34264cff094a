#include "device/backends.hpp"

#include <algorithm>

#include "device/bench.hpp"

namespace hiptune::device_tests {

using testing::HasSubstr;

TEST(Backends, the_list_offers_the_cpu_with_both_wave_sizes) {
  const std::vector<std::string> ids = present_devices();
  EXPECT_THAT(ids, testing::IsSupersetOf({"host", "host:wave64"}));
}

TEST(Backends, auto_takes_the_first_device_there_is) {
  EXPECT_EQ(open_device("auto", {})->target().id, present_devices().front());
}

TEST(Backends, an_unknown_device_is_unavailable_and_the_message_names_those_there_are) {
  try {
    static_cast<void>(open_device("nonesuch:0", {}));
    FAIL() << "it opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unavailable);
    EXPECT_THAT(error.what(), HasSubstr("'nonesuch:0'"));
    EXPECT_THAT(error.what(), HasSubstr("host, host:wave64"));
  }
}

TEST(Backends, an_unknown_backend_has_no_compiler) {
  EXPECT_THAT(message_of<Error>([] { static_cast<void>(open_compiler("nonesuch", {})); }), HasSubstr("host"));
}

TEST(Backends, the_cpu_knows_wave32_and_wave64_and_nothing_else) {
  EXPECT_EQ(open_device("host:wave32", {})->target().id, "host");
  EXPECT_EQ(open_device("host:wave64", {})->target().facts.wave_size, 64);
  for (const char* id : {"host:wave16", "host:wave640", "host:threads=2"}) {
    const std::string message = message_of<Error>([&] { static_cast<void>(open_device(id, {})); });
    EXPECT_THAT(message, HasSubstr(id));
    EXPECT_THAT(message, HasSubstr("host:wave64"));
  }
}

}  // namespace hiptune::device_tests
