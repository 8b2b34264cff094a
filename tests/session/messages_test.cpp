#include "session/messages.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "problem/utf8.hpp"

namespace hiptune {
namespace {

using Json = nlohmann::ordered_json;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Through text, as between processes.
Json sent(const Json& json) { return Json::parse(to_line(json)); }

Trial full_trial() {
  Trial trial;
  trial.config = {{"REDUCTION", std::string("serial")}, {"BLOCK_SIZE", std::int64_t{256}}, {"A", std::int64_t{-1}}};
  trial.outcome = Outcome::timed;
  trial.detail = "line one\nline \"two\"";
  trial.errors = {1e-7, 2.5e-300, 0.75, 1.5e-7, "rows=3 cols=13 dtype=f32 ramp: y[1, 2]"};
  trial.checks = 22;
  trial.threads = std::int64_t{1} << 40;
  trial.samples = Samples{{1.5, 2.25}, {0.1}};
  trial.isa_hash = "0123";
  trial.resources = {{10, 20, 30, 40, 50}, {}, {std::nullopt, 7, std::nullopt, 0, std::nullopt}};
  trial.compile_seconds = 0.125;
  return trial;
}

void expect_equal(const Resources& a, const Resources& b) {
  EXPECT_EQ(a.vgprs, b.vgprs);
  EXPECT_EQ(a.sgprs, b.sgprs);
  EXPECT_EQ(a.lds_bytes, b.lds_bytes);
  EXPECT_EQ(a.scratch_bytes, b.scratch_bytes);
  EXPECT_EQ(a.spilled_registers, b.spilled_registers);
}

TEST(Messages, keep_every_field_of_a_trial) {
  const Trial trial = full_trial();
  const Trial received = trial_from_json(sent(to_json(trial)));
  EXPECT_EQ(received.config, trial.config) << "in the same order";
  EXPECT_EQ(received.outcome, trial.outcome);
  EXPECT_EQ(received.detail, trial.detail);
  EXPECT_EQ(received.errors.absolute, trial.errors.absolute);
  EXPECT_EQ(received.errors.relative, trial.errors.relative);
  EXPECT_EQ(received.errors.in_limits, trial.errors.in_limits);
  EXPECT_EQ(received.errors.at_shape, trial.errors.at_shape);
  EXPECT_EQ(received.errors.worst, trial.errors.worst);
  EXPECT_EQ(received.checks, trial.checks);
  EXPECT_EQ(received.threads, trial.threads);
  ASSERT_TRUE(received.samples);
  EXPECT_EQ(received.samples->cold, trial.samples->cold);
  EXPECT_EQ(received.samples->warm, trial.samples->warm);
  EXPECT_EQ(received.isa_hash, trial.isa_hash);
  EXPECT_EQ(received.compile_seconds, trial.compile_seconds);
  ASSERT_EQ(received.resources.size(), trial.resources.size());
  for (std::size_t i = 0; i < trial.resources.size(); ++i) expect_equal(received.resources[i], trial.resources[i]);
}

TEST(Messages, keep_what_became_of_planted_faults_and_of_a_precheck) {
  const std::vector<CaughtFault> faults{{"one", "here", "y: wrote 1 elements past its end"}, {"two", "there", ""}};
  const std::vector<CaughtFault> received = caught_faults_from_json(sent(to_json(faults)));
  ASSERT_EQ(received.size(), 2u);
  EXPECT_EQ(received[0].fault, "one");
  EXPECT_EQ(received[0].where, "here");
  EXPECT_EQ(received[0].caught, faults[0].caught);
  EXPECT_EQ(received[1].caught, "");
  const PrecheckVerdict verdict = precheck_verdict_from_json(
      sent(to_json(PrecheckVerdict{PrecheckVerdict::Outcome::impossible, "the CPU has no clusters"})));
  EXPECT_EQ(verdict.outcome, PrecheckVerdict::Outcome::impossible);
  EXPECT_EQ(verdict.detail, "the CPU has no clusters");
}

TEST(Messages, keep_the_clocks_of_a_trial_that_could_be_read) {
  Trial trial = full_trial();
  trial.clocks.cold = ClockSpan{1980, 1965.5};
  const Json json = sent(to_json(trial));
  EXPECT_EQ(json.at("clock_mhz"), (Json{{"cold", {{"before", 1980}, {"after", 1965.5}}}}));
  const Trial received = trial_from_json(json);
  ASSERT_TRUE(received.clocks.cold);
  EXPECT_EQ(received.clocks.cold->before_mhz, 1980);
  EXPECT_EQ(received.clocks.cold->after_mhz, 1965.5);
  EXPECT_FALSE(received.clocks.warm);
  EXPECT_FALSE(sent(to_json(full_trial())).contains("clock_mhz"));
}

TEST(Messages, mark_the_outliers_among_samples_and_keep_them) {
  Trial trial = full_trial();
  trial.samples = Samples{{10, 10.1, 90, 9.9, 10, 10.2}, {5, 5, 5}};
  const Json json = sent(to_json(trial));
  EXPECT_EQ(json.at("outliers"), (Json{{"cold", {2}}, {"warm", Json::array()}}));
  EXPECT_EQ(json.at("samples").at("cold_ns").size(), 6u);
}

TEST(Messages, mark_the_outliers_among_rounds) {
  FinalsReport report;
  for (int i = 0; i < 12; ++i) report.rounds.push_back({100 + 0.1 * (i % 3), std::nullopt});
  report.rounds[4][0] = 300;
  const Json json = sent(to_json(report));
  EXPECT_EQ(json.at("outlier_rounds"), Json({{4}, Json::array()}));
  EXPECT_EQ(finals_report_from_json(json).rounds, report.rounds);
}

TEST(Messages, keep_a_trial_without_samples_and_with_infinite_errors) {
  Trial trial;
  trial.outcome = Outcome::wrong;
  trial.errors = {kInfinity, -kInfinity, std::nan("")};
  const Trial received = trial_from_json(sent(to_json(trial)));
  EXPECT_FALSE(received.samples);
  EXPECT_EQ(received.errors.absolute, kInfinity);
  EXPECT_EQ(received.errors.relative, -kInfinity);
  EXPECT_TRUE(std::isnan(received.errors.in_limits));
}

TEST(Messages, name_every_outcome) {
  for (Outcome outcome : {Outcome::timed, Outcome::passed, Outcome::compiled, Outcome::invalid, Outcome::compile_failed,
                          Outcome::launch_failed, Outcome::wrong, Outcome::crashed, Outcome::timed_out})
    EXPECT_EQ(parse_outcome(to_string(outcome)), outcome);
  EXPECT_THROW((void)parse_outcome("fine"), Error);
}

TEST(Messages, keep_a_request_for_finals_with_its_copies) {
  FinalsRequest request;
  request.configs = {{{"A", std::int64_t{1}}}, {{"A", std::int64_t{2}}}};
  request.objective = Objective::warm;
  request.limits = {3, 30, Nanoseconds(1.5e9), 0.02};
  request.seed = std::uint64_t{1} << 63;
  EXPECT_FALSE(finals_request_from_json(sent(to_json(request))).copies);
  EXPECT_EQ(request.finalists(), 2u);
  request.copies = {{{"B", std::string("x")}}};
  const FinalsRequest received = finals_request_from_json(sent(to_json(request)));
  EXPECT_EQ(received.configs, request.configs);
  EXPECT_EQ(received.copies, request.copies);
  EXPECT_EQ(received.objective, Objective::warm);
  EXPECT_EQ(received.limits.max_rounds, 30);
  EXPECT_EQ(received.seed, request.seed);
  EXPECT_EQ(received.finalists(), 4u) << "the last is the device's own copy";
  EXPECT_EQ(finals_phase(received, 1), "finals of A=2");
  EXPECT_EQ(finals_phase(received, 2), "finals of the copy B=x");
  EXPECT_EQ(finals_phase(received, 3), "finals of the device's own copy");
}

TEST(Messages, keep_problems) {
  const Problem problem{{std::int64_t{1} << 53, 7}, Dtype::i64, {{"ALIGN", std::int64_t{16}}, {"W", std::string("x")}}};
  EXPECT_EQ(problem_from_json(sent(to_json(problem))), problem);
}

TEST(Messages, keep_timing_limits) {
  TimingLimits limits;
  limits.stop = {7, 77, Nanoseconds(1.5e9), 0.001};
  limits.warmups = 9;
  limits.min_batch = Nanoseconds(12345);
  limits.max_batch = 99;
  limits.launches = 3;
  const TimingLimits received = timing_limits_from_json(sent(to_json(limits)));
  EXPECT_EQ(received.stop.min_samples, 7);
  EXPECT_EQ(received.stop.max_samples, 77);
  EXPECT_EQ(received.stop.budget, limits.stop.budget);
  EXPECT_EQ(received.stop.target_relative_error, 0.001);
  EXPECT_EQ(received.warmups, 9);
  EXPECT_EQ(received.min_batch, limits.min_batch);
  EXPECT_EQ(received.max_batch, 99);
  EXPECT_EQ(received.launches, 3);
  limits.launches.reset();
  EXPECT_EQ(timing_limits_from_json(sent(to_json(limits))).launches, std::nullopt);
}

TEST(Messages, keep_errors_with_their_kind) {
  for (const Error& error : {bad_input("a"), unavailable("b"), failed("c")}) {
    const Error received = error_from_json(sent(to_json(error)));
    EXPECT_EQ(received.kind(), error.kind());
    EXPECT_STREQ(received.what(), error.what());
  }
}

TEST(Messages, are_one_line_each_and_valid_text_whatever_a_compiler_printed) {
  const std::string line = to_line({{"log", "a\nb \xff c"}});
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(Json::parse(line).at("log"), "a\nb \xef\xbf\xbd c");
  EXPECT_EQ(valid_utf8("\xe2\x80"), "\xef\xbf\xbd") << "a character that was cut";
  EXPECT_EQ(valid_utf8("plain \xe2\x80\x98quoted\xe2\x80\x99"), "plain \xe2\x80\x98quoted\xe2\x80\x99");
}

}  // namespace
}  // namespace hiptune
