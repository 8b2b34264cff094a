#include "hiptune/dispatcher.hpp"

#include <gmock/gmock.h>

#include <set>
#include <thread>

#include "dispatch/binding.hpp"
#include "dispatch/world.hpp"

namespace hiptune {
namespace {

using made_up::error_of;
using test::bind_rmsnorm;
using test::kRightError;
using test::Matrices;
using testing::AllOf;
using testing::HasSubstr;

class DispatcherTest : public testing::Test {
 protected:
  [[nodiscard]] test::Rmsnorm rmsnorm() { return bind_rmsnorm(Dispatcher(world_.options())); }
  static void expect_right(Matrices matrices, const test::Rmsnorm& kernel) {
    ASSERT_EQ(matrices.call(kernel), Status::success) << last_error();
    EXPECT_LT(matrices.error(), kRightError) << matrices.rows << " x " << matrices.cols;
  }
  test::World world_;
};

TEST_F(DispatcherTest, an_exact_entry_is_used_and_right) {
  world_.tuned("row_rms", {16, 40}, {"REDUCTION=lds_tree", "BLOCK_SIZE=64"});
  const test::Rmsnorm kernel = rmsnorm();
  Matrices matrices(16, 40);
  const Explanation explanation = matrices.explain(kernel);
  EXPECT_EQ(explanation.choice, Choice::exact);
  EXPECT_EQ(explanation.config, "REDUCTION=lds_tree BLOCK_SIZE=64");
  EXPECT_EQ(explanation.tuned_for, "rows=16 cols=40 dtype=f32");
  expect_right(matrices, kernel);
}

TEST_F(DispatcherTest, rows_between_two_entries_take_the_nearer_one) {
  world_.tuned("row_rms", {1, 40}, {"REDUCTION=lds_tree", "BLOCK_SIZE=32"});
  world_.tuned("row_rms", {100, 40}, {"REDUCTION=serial", "BLOCK_SIZE=64"});
  const test::Rmsnorm kernel = rmsnorm();
  Matrices few(9, 40), many(11, 40);
  EXPECT_EQ(few.explain(kernel).config, "REDUCTION=lds_tree BLOCK_SIZE=32");
  EXPECT_EQ(many.explain(kernel).config, "REDUCTION=serial BLOCK_SIZE=64");
  EXPECT_EQ(many.explain(kernel).choice, Choice::nearest);
  EXPECT_EQ(many.explain(kernel).tuned_for, "rows=100 cols=40 dtype=f32");
  expect_right(few, kernel);
  expect_right(many, kernel);
}

TEST_F(DispatcherTest, an_empty_cache_leaves_the_fallback_which_is_right_for_any_shape_and_stride) {
  const test::Rmsnorm kernel = rmsnorm();
  Matrices first(3, 5);
  const Explanation explanation = first.explain(kernel);
  EXPECT_EQ(explanation.choice, Choice::fallback);
  EXPECT_THAT(explanation.reason, HasSubstr("no usable entry"));
  EXPECT_EQ(explanation.tuned_for, "");
  for (const auto& [rows, cols, gap] : {std::array<std::int64_t, 3>{1, 1, 0}, {7, 300, 5}, {300, 33, 1}})
    expect_right(Matrices(rows, cols, gap), kernel);
}

TEST_F(DispatcherTest, no_rows_are_success_and_write_nothing) {
  const test::Rmsnorm kernel = rmsnorm();
  Matrices matrices(2, 8);
  matrices.rows = 0;
  EXPECT_EQ(matrices.call(kernel), Status::success);
  EXPECT_TRUE(std::isnan(matrices.y[0]));
  EXPECT_THAT(matrices.explain(kernel).reason, HasSubstr("nothing is launched"));
  EXPECT_NO_THROW(matrices.prepare(kernel));
}

TEST_F(DispatcherTest, a_bad_call_is_a_status_with_a_sentence_and_launches_nothing) {
  const test::Rmsnorm kernel = rmsnorm();
  Matrices matrices(2, 8);
  matrices.cols = 0;
  EXPECT_EQ(matrices.call(kernel), Status::invalid_dimension);
  EXPECT_EQ(last_error(), "row_rms: cols is 0, and must be from 1 to 16777216");
  matrices.cols = -3;
  EXPECT_EQ(matrices.call(kernel), Status::invalid_dimension);
  matrices.cols = 8;
  matrices.stride = 7;
  EXPECT_EQ(matrices.call(kernel), Status::invalid_stride);
  EXPECT_THAT(last_error(), HasSubstr("x_stride is 7"));
  EXPECT_EQ(kernel(nullptr, nullptr, matrices.w.data(), matrices.y.data(), 2, 8, 8, 8, 1e-5f), Status::null_pointer);
  EXPECT_EQ(last_error(), "row_rms: x is null");
  EXPECT_TRUE(std::isnan(matrices.y[0]));
  matrices.stride = 7;
  EXPECT_THAT(error_of([&] { (void)matrices.explain(kernel); }).what(), HasSubstr("x_stride is 7"));
  EXPECT_THAT(error_of([&] { matrices.prepare(kernel); }).what(), HasSubstr("x_stride is 7"));
}

TEST_F(DispatcherTest, every_status_has_a_sentence_of_its_own) {
  std::set<std::string> sentences;
  for (const Status status : {Status::success, Status::invalid_dimension, Status::invalid_stride,
                              Status::invalid_scalar, Status::null_pointer, Status::misaligned_pointer,
                              Status::not_ready, Status::launch_failed, Status::kernel_fault}) {
    EXPECT_THAT(to_string(status), testing::EndsWith("."));
    EXPECT_TRUE(sentences.insert(to_string(status)).second) << to_string(status);
  }
}

TEST_F(DispatcherTest, a_misaligned_pointer_gets_no_wide_vectors) {
  world_.tuned("copy", {1000}, {"BLOCK_SIZE=128", "VECTOR_BYTES=16", "VECTORS_PER_THREAD=1", "HINT=none"});
  const Dispatcher dispatcher(world_.options());
  const auto copy = dispatcher.bind<const float*, float*, std::int64_t>("copy", "f32");
  alignas(16) std::array<float, 1032> x{}, y{};
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  const Explanation aligned = copy.explain(x.data(), y.data(), 1000);
  EXPECT_EQ(aligned.choice, Choice::exact);
  const Explanation misaligned = copy.explain(x.data() + 1, y.data(), 1000);
  EXPECT_EQ(misaligned.choice, Choice::fallback);
  EXPECT_THAT(misaligned.config, HasSubstr("VECTOR_BYTES=4"));
  EXPECT_THAT(misaligned.reason, HasSubstr("no cached configuration is valid"));
  EXPECT_EQ(copy.explain(x.data(), y.data() + 2, 1000).choice, Choice::fallback);
  ASSERT_EQ(copy(nullptr, x.data() + 1, y.data(), 1000), Status::success) << last_error();
  EXPECT_TRUE(std::equal(y.begin(), y.begin() + 1000, x.begin() + 1));
  ASSERT_EQ(copy(nullptr, x.data(), y.data(), 1001), Status::success) << last_error();
  EXPECT_TRUE(std::equal(y.begin(), y.begin() + 1001, x.begin()));
}

TEST_F(DispatcherTest, an_entry_whose_template_has_changed_is_not_used_and_explained) {
  world_.copy_kernel("row_rms");
  world_.tuned("row_rms", {16, 40}, {"REDUCTION=serial", "BLOCK_SIZE=64"});
  const std::string text = made_up::text_of(world_.kernel_folder() / "row_rms.hip");
  world_.write_kernel_file("row_rms.hip", text + "\n// only a comment\n");
  EXPECT_EQ(Matrices(16, 40).explain(rmsnorm()).choice, Choice::exact);
  world_.write_kernel_file("row_rms.hip", text + "\nconstexpr int kAnything = 1;\n");
  const Explanation explanation = Matrices(16, 40).explain(rmsnorm());
  EXPECT_EQ(explanation.choice, Choice::fallback);
  EXPECT_THAT(explanation.reason,
              AllOf(HasSubstr("rows=16 cols=40 dtype=f32: stale"), HasSubstr("the template changed")));
}

TEST_F(DispatcherTest, the_nearer_cache_overlays_the_farther_one_unless_its_entry_is_stale) {
  const Kernel kernel = world_.path().load("row_rms");
  const CacheKey key = world_.key("row_rms");
  const auto shared = world_.record("row_rms", {16, 40}, {"REDUCTION=serial", "BLOCK_SIZE=64"});
  auto own = world_.record("row_rms", {16, 40}, {"REDUCTION=lds_tree", "BLOCK_SIZE=64"});
  Store(world_.other_cache()).put(key, shared);
  Store(world_.options().cache).put(key, own);
  const std::vector<std::filesystem::path> roots{world_.options().cache, world_.other_cache()};
  const auto first_config = [&] {
    const Catalog catalog = load_catalog(roots, own.provenance.target, kernel, Dtype::f32);
    return catalog.entries.size() == 1 ? to_string(catalog.entries[0].config) : "not one entry";
  };
  EXPECT_EQ(first_config(), to_string(own.config));
  own.provenance.fingerprints.source = "another";
  own.provenance.date = "2027-01-01T00:00:00.000Z";
  Store(world_.options().cache).put(key, own);
  EXPECT_EQ(first_config(), to_string(shared.config));
}

TEST_F(DispatcherTest, a_damaged_cache_is_warned_of_on_stderr_and_the_fallback_serves) {
  made_up::write_text(Store(world_.options().cache).file_of(world_.key("row_rms")), "{\"about\": not JSON");
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  const test::Rmsnorm kernel = rmsnorm();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("row_rms.json"));
  const Explanation explanation = Matrices(16, 40).explain(kernel);
  EXPECT_EQ(explanation.choice, Choice::fallback);
  EXPECT_THAT(explanation.reason, HasSubstr("row_rms.json"));
  expect_right(Matrices(16, 40), kernel);
}

TEST_F(DispatcherTest, a_cache_of_a_newer_schema_is_left_alone_and_the_fallback_serves) {
  const auto file = Store(world_.options().cache).file_of(world_.key("row_rms"));
  const std::string text = R"({"about":{"kernel":"row_rms","schema_version":99},"entries":[]})";
  made_up::write_text(file, text);
  const test::Rmsnorm kernel = rmsnorm();
  EXPECT_EQ(Matrices(16, 40).explain(kernel).choice, Choice::fallback);
  expect_right(Matrices(16, 40), kernel);
  EXPECT_EQ(made_up::text_of(file), text);
}

TEST_F(DispatcherTest, without_a_cache_of_the_users_nothing_is_written) {
  world_.options().cache.clear();
  expect_right(Matrices(4, 12), rmsnorm());
  EXPECT_FALSE(std::filesystem::exists("objects"));
}

// ---- what is built when

class BindingTest : public DispatcherTest {
 protected:
  std::unique_ptr<detail::Binding> bind() {
    using P = const float*;
    using I = std::int64_t;
    const auto state = std::make_shared<detail::DispatcherState>(world_.options());
    const std::vector<detail::ArgumentType> types{detail::argument_type<P>(),      detail::argument_type<P>(),
                                                  detail::argument_type<float*>(), detail::argument_type<I>(),
                                                  detail::argument_type<I>(),      detail::argument_type<I>(),
                                                  detail::argument_type<I>(),      detail::argument_type<float>()};
    return std::make_unique<detail::Binding>(state, "row_rms", Dtype::f32, Assignment{}, types);
  }
};

// The arguments of a call, as a bound kernel lays them out.
struct Arguments {
  Matrices matrices;
  float *x = matrices.x.data(), *w = matrices.w.data(), *y = matrices.y.data();
  float epsilon = 1e-5f;
  std::array<void*, 8 + detail::kMaxWorkspaces> list{
      &x, &w, &y, &matrices.rows, &matrices.cols, &matrices.stride, &matrices.stride, &epsilon};
  Arguments(std::int64_t rows, std::int64_t cols) : matrices(rows, cols) {}
};

TEST_F(BindingTest, dimensions_never_seen_are_built_in_the_background_while_the_fallback_serves) {
  world_.tuned("row_rms", {16, 40}, {"REDUCTION=serial", "BLOCK_SIZE=64"});
  const auto binding = bind();
  Arguments call(16, 40);
  EXPECT_EQ(binding->ready_lists(), 0u);
  ASSERT_EQ(binding->launch(nullptr, call.list.data()), Status::success) << last_error();
  EXPECT_LT(call.matrices.error(), kRightError);
  while (binding->ready_lists() == 0) std::this_thread::yield();
  EXPECT_EQ(binding->explain(call.list.data()).choice, Choice::exact);
  std::fill(call.matrices.y.begin(), call.matrices.y.end(), std::nanf(""));
  ASSERT_EQ(binding->launch(nullptr, call.list.data()), Status::success) << last_error();
  EXPECT_LT(call.matrices.error(), kRightError);
  EXPECT_EQ(binding->ready_lists(), 1u);
}

TEST_F(BindingTest, prepare_builds_at_once_for_every_row_count_and_launches_nothing) {
  world_.tuned("row_rms", {16, 40}, {"REDUCTION=serial", "BLOCK_SIZE=64"});
  const auto binding = bind();
  Arguments one(1, 40), many(50, 40);
  binding->prepare(one.list.data());
  EXPECT_EQ(binding->ready_lists(), 1u);
  EXPECT_TRUE(std::isnan(one.matrices.y[0]));
  binding->prepare(many.list.data());
  EXPECT_EQ(binding->ready_lists(), 1u);
}

TEST_F(BindingTest, three_hundred_column_counts_stay_bounded_and_right) {
  world_.tuned("row_rms", {2, 40}, {"REDUCTION=serial", "BLOCK_SIZE=32"});
  const auto binding = bind();
  for (std::int64_t cols = 1; cols <= 300; ++cols) {
    Arguments call(2, cols);
    binding->prepare(call.list.data());
    ASSERT_EQ(binding->launch(nullptr, call.list.data()), Status::success) << last_error();
    ASSERT_LT(call.matrices.error(), kRightError) << cols;
  }
  EXPECT_EQ(binding->ready_lists(), detail::Binding::kMaxLists);
  Arguments early(2, 1), late(2, 300);
  EXPECT_EQ(binding->explain(early.list.data()).choice, Choice::nearest);
  EXPECT_EQ(binding->explain(late.list.data()).choice, Choice::fallback);
  EXPECT_THAT(binding->explain(late.list.data()).reason, HasSubstr("256 sets of dimensions are ready"));
}

}  // namespace
}  // namespace hiptune
