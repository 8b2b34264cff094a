#include "problem/kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "spaces.hpp"

namespace hiptune {
namespace {

namespace fs = std::filesystem;
using test::message_of;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

class KernelFolder : public testing::Test {
 protected:
  KernelFolder() : folder_(fs::canonical(fs::temp_directory_path()) / ("hiptune-kernels-" + unique_name())) {
    fs::create_directories(folder_);
  }
  ~KernelFolder() override { fs::remove_all(folder_); }

  static std::string unique_name() {
    return std::to_string(getpid()) + testing::UnitTest::GetInstance()->current_test_info()->name();
  }

  // The kernel "scale", its files side by side.
  void add_scale(const fs::path& folder) {
    write(folder / "scale.hip", "template");
    write(folder / "scale.reference.hip", "oracle");
    write(folder / "scale.json", test::text_of_file(test::tests_folder() / "schema/good/minimal.json"));
  }

  fs::path folder_;
};

TEST_F(KernelFolder, loads_three_files_that_stand_side_by_side) {
  add_scale(folder_);
  const Kernel kernel = KernelPath({folder_}, {}).load("scale");
  EXPECT_EQ(kernel.name, "scale");
  EXPECT_EQ(kernel.source.name, "scale.hip");
  EXPECT_EQ(kernel.source.text, "template");
  EXPECT_EQ(kernel.reference.name, "scale.reference.hip");
  EXPECT_EQ(kernel.reference.text, "oracle");
  EXPECT_EQ(kernel.space.kernel, "scale");
  EXPECT_EQ(kernel.folder, folder_);
  EXPECT_EQ(kernel.device_layer.name, "hiptune_device.h");
  EXPECT_THAT(kernel.device_layer.text, HasSubstr("namespace hiptune"));
}

TEST_F(KernelFolder, loads_from_templates_and_spaces_in_folders_of_their_own) {
  add_scale(folder_ / "kernel_templates");
  fs::create_directories(folder_ / "search_spaces");
  fs::rename(folder_ / "kernel_templates/scale.json", folder_ / "search_spaces/scale.json");
  EXPECT_EQ(KernelPath({folder_}, {}).load("scale").folder, folder_ / "kernel_templates");
}

TEST_F(KernelFolder, a_users_kernel_comes_before_a_shipped_one) {
  add_scale(folder_);
  for (const char* suffix : {".hip", ".reference.hip", ".json"}) {
    fs::rename(folder_ / (std::string("scale") + suffix), folder_ / (std::string("copy") + suffix));
  }
  std::string space = test::text_of_file(folder_ / "copy.json");
  space.replace(space.find("\"kernel\": \"scale\""), 17, "\"kernel\": \"copy\"");
  write(folder_ / "copy.json", space);
  EXPECT_EQ(KernelPath({folder_}, {}).load("copy").source.text, "template");
  EXPECT_NE(KernelPath({}, {folder_}).load("copy").source.text, "template");
}

TEST_F(KernelFolder, lists_names_once_sorted_and_without_oracles) {
  add_scale(folder_);
  const std::vector<std::string> names = KernelPath({folder_, folder_}, {}).names();
  EXPECT_THAT(names, AllOf(Contains("scale").Times(1), Contains("rmsnorm").Times(1)));
  EXPECT_TRUE(std::ranges::is_sorted(names));
  EXPECT_THAT(names, testing::Not(Contains(HasSubstr("reference"))));
}

TEST_F(KernelFolder, searches_the_user_then_the_installation_then_the_environment) {
  add_scale(folder_);
  EXPECT_THAT(KernelPath({folder_}, {"/from/environment"}).folders(),
              ElementsAre(folder_, shared_data_folder(), "/from/environment"));
}

TEST_F(KernelFolder, names_the_kernels_there_are_and_the_folders_searched) {
  add_scale(folder_);
  const KernelPath path({folder_}, {"/no/such/folder"});
  EXPECT_THAT(message_of([&] { (void)path.load("scael"); }),
              AllOf(StartsWith("there is no kernel \"scael\" (did you mean \"scale\"?); there are copy, "),
                    HasSubstr("searched " + folder_.string() + ", "), HasSubstr("/no/such/folder (not there)")));
}

TEST_F(KernelFolder, never_takes_a_name_as_a_path) {
  add_scale(folder_ / "inner");
  add_scale(folder_);
  const KernelPath path({folder_}, {});
  for (const char* name : {"inner/scale", "../scale", "", ".", "scale.reference"}) {
    EXPECT_THAT(message_of([&] { (void)path.load(name); }), StartsWith("there is no kernel \"")) << name;
  }
}

TEST_F(KernelFolder, names_the_file_that_is_missing) {
  for (const char* file : {"scale.hip", "scale.reference.hip", "scale.json"}) {
    add_scale(folder_);
    add_scale(folder_ / "complete");
    fs::rename(folder_ / "complete/scale.hip", folder_ / "other.hip");
    fs::remove(folder_ / file);
    EXPECT_THAT(message_of([&] { (void)KernelPath({folder_}, {}).load("scale"); }),
                StartsWith("the kernel \"scale\" lacks " + (folder_ / file).string()))
        << file;
  }
}

TEST_F(KernelFolder, names_the_file_whose_content_is_wrong) {
  add_scale(folder_);
  write(folder_ / "scale.json", "{");
  EXPECT_THAT(message_of([&] { (void)KernelPath({folder_}, {}).load("scale"); }),
              StartsWith((folder_ / "scale.json").string() + ": parse error at line 1"));
}

TEST_F(KernelFolder, names_the_file_that_is_empty) {
  for (const char* file : {"scale.hip", "scale.reference.hip", "scale.json"}) {
    add_scale(folder_);
    write(folder_ / file, "");
    EXPECT_THAT(message_of([&] { (void)KernelPath({folder_}, {}).load("scale"); }),
                StartsWith((folder_ / file).string() + ": the file is empty"));
  }
  fs::remove(folder_ / "scale.json");
  fs::create_directory(folder_ / "scale.json");
  add_scale(folder_ / "whole");
  fs::copy_file(folder_ / "whole/scale.hip", folder_ / "scale.hip", fs::copy_options::overwrite_existing);
  EXPECT_THAT(message_of([&] { (void)KernelPath({folder_}, {}).load("scale"); }), HasSubstr("cannot be read"));
}

TEST_F(KernelFolder, lists_the_files_of_one_name_in_the_order_of_the_path) {
  add_scale(folder_);
  add_scale(folder_ / "other");
  const KernelPath path({folder_, folder_}, {folder_ / "other", "/no/such/folder", folder_ / "other"});
  EXPECT_THAT(path.files("scale"), ElementsAre(folder_ / "scale.hip", folder_ / "other/scale.hip"));
  EXPECT_EQ(path.load("scale").folder, folder_);
  EXPECT_TRUE(path.files("none").empty());
}

TEST_F(KernelFolder, the_space_must_be_of_the_kernel_that_its_file_names) {
  add_scale(folder_);
  for (const char* suffix : {".hip", ".reference.hip", ".json"}) {
    fs::rename(folder_ / (std::string("scale") + suffix), folder_ / (std::string("shrink") + suffix));
  }
  EXPECT_THAT(message_of([&] { (void)KernelPath({folder_}, {}).load("shrink"); }),
              HasSubstr("shrink.json: /kernel: is \"scale\""));
}

TEST_F(KernelFolder, rejects_a_users_folder_that_is_not_there_or_holds_no_kernel) {
  EXPECT_THAT(message_of([] { KernelPath({"/no/such/folder"}, {}); }),
              StartsWith("--kernel-path /no/such/folder: there is no such folder"));
  EXPECT_THAT(message_of([&] { KernelPath({folder_}, {}); }),
              AllOf(StartsWith("--kernel-path " + folder_.string()), HasSubstr("holds no kernel")));
}

TEST(SharedDataFolder, belongs_to_the_running_library) {
  EXPECT_TRUE(fs::exists(shared_data_folder() / "kernel_templates" / "include" / "hiptune_device.h"));
  EXPECT_EQ(shared_data_folder(), fs::weakly_canonical(shared_data_folder()));
}

}  // namespace
}  // namespace hiptune
