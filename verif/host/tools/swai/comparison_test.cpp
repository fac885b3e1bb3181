// SPDX-License-Identifier: Apache-2.0
// What is a difference between two records of a program, and what is chance.
#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "host/tools/cli/error.hpp"
#include "host/tools/swai/compare/difference.hpp"
#include "host/tools/swai/compare/different_line.hpp"
#include "host/tools/swai/compare/interruption.hpp"

using namespace swai::cli;
using swai::sdaa::record::Result;
namespace record = swai::sdaa::record;
namespace fs = std::filesystem;

namespace {

const std::string kDoneText(record::kDone);
const std::string kRefusedText(record::kRefused);

// Two records in a folder of their own.
class Records {
 public:
  Records() {
    std::string name = (fs::temp_directory_path() / "swai-records-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    folder_ = name;
  }
  ~Records() { fs::remove_all(folder_); }
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;

  std::string path(size_t side) const { return (folder_ / std::to_string(side)).string(); }
  void write(size_t side, const std::vector<Result>& results,
             const std::string& last = R"({"what":"ended"})") const {
    std::ofstream out(path(side));
    for (const Result& result : results) out << record::line_of(result) << '\n';
    out << last << (last.empty() ? "" : "\n");
  }
  void write_contents(size_t side, const std::string& bytes) const {
    std::ofstream(record::contents_of(path(side))) << bytes;
  }
  std::optional<Difference> compare() {
    Comparison comparison({path(0), path(1)});
    auto difference = comparison.run();
    results = comparison.results();
    unknown = comparison.unknown();
    return difference;
  }

  uint64_t results = 0;
  uint64_t unknown = 0;

 private:
  fs::path folder_;
};

Result launch(const std::string& source, const std::string& kernel,
              std::optional<std::string> end = kDoneText) {
  return {source, "launch", kernel, 0, "", std::move(end)};
}
Result copy(const std::string& source, uint64_t bytes, std::vector<std::string> digests,
            std::optional<uint64_t> at = std::nullopt) {
  return {source, "copy to host", "", bytes, "byte 0 of allocation 1", kDoneText, "", std::move(digests), at};
}

}  // namespace

TEST_CASE("compare: sources are in order, and nothing is between them") {
  Records records;
  records.write(0, {launch("a", "one"), launch("a", "two"), launch("b", "three")});
  records.write(1, {launch("b", "three"), launch("a", "one"), launch("a", "two")});
  CHECK(!records.compare());
  CHECK(records.results == 3);

  records.write(1, {launch("a", "two"), launch("a", "one"), launch("b", "three")});
  const auto difference = records.compare();
  REQUIRE(difference);
  CHECK(difference->kind == Difference::Kind::kCommand);
  CHECK(difference->source == "a");
  CHECK(difference->number == 1);
  CHECK(difference->results[1]->name == "two");
}

TEST_CASE("compare: the first byte that differs, with its neighbours and the launches before it") {
  Records records;
  std::string bytes(5000, 'x');
  records.write_contents(0, "abc" + bytes);
  bytes[4500] = 'y';
  records.write_contents(1, bytes);
  const auto both = [&](std::optional<uint64_t> first, std::optional<uint64_t> second) {
    const std::vector<Result> before = {launch("b", "0"), launch("a", "1"), launch("a", "2"),
                                        launch("a", "3")};
    for (size_t side = 0; side < 2; ++side) {
      auto all = before;
      all.push_back(copy("a", 5000, {"same", side == 0 ? "one" : "other"}, side == 0 ? first : second));
      records.write(side, all);
    }
    return records.compare();
  };
  const auto exact = both(3, 0);
  REQUIRE(exact);
  CHECK(exact->kind == Difference::Kind::kContents);
  CHECK(exact->number == 4);
  CHECK(exact->bytes.offset == 4500);
  CHECK(exact->bytes.behind == 0);
  CHECK(exact->bytes.from == 4492);
  CHECK(exact->bytes.neighbours[0] == std::vector<uint8_t>(16, 'x'));
  CHECK(exact->bytes.neighbours[1][8] == 'y');
  REQUIRE(exact->launches.size() == 3);
  CHECK(exact->launches[0].result.name == "1");
  CHECK(exact->launches[2].number == 3);

  const auto piece = both(3, std::nullopt);
  REQUIRE(piece);
  CHECK(piece->bytes.offset == 4096);
  CHECK(piece->bytes.behind == 5000);
}

TEST_CASE("compare: what a program did not wait for is no difference") {
  Records records;
  records.write(0, {launch("a", "one"), launch("a", "two"), launch("a", "three", std::nullopt)});
  records.write(1, {launch("a", "one"), launch("a", "two", std::nullopt)});
  CHECK(!records.compare());
  // Nor contents that nobody knows, but they are counted.
  CHECK(records.unknown == 0);
  records.write(0, {copy("a", 4, {}), copy("a", 4, {}), copy("a", 4, {"same"}), copy("a", 0, {})});
  records.write(1, {copy("a", 4, {"one"}), copy("a", 4, {}), copy("a", 4, {"same"}), copy("a", 0, {})});
  CHECK(!records.compare());
  CHECK(records.results == 4);
  CHECK(records.unknown == 2);
  // One more that is known.
  records.write(0, {launch("a", "one"), launch("a", "two")});
  records.write(1, {launch("a", "one")});
  const auto difference = records.compare();
  REQUIRE(difference);
  CHECK(difference->kind == Difference::Kind::kMissing);
  CHECK(difference->number == 2);
  CHECK(!difference->results[1]);
  // Of a program that was killed it is chance, and so is half a line.
  records.write(1, {launch("a", "one")}, "");
  CHECK(!records.compare());
  std::ofstream(records.path(1), std::ios::app) << R"({"source":"a","wh)";
  CHECK(!records.compare());
  // A process that used no card there.
  fs::remove(records.path(1));
  CHECK(records.compare()->kind == Difference::Kind::kMissing);
}

TEST_CASE("compare: failures, and what comes behind them") {
  Records records;
  const std::string failure = "the kernel failed: breakpoint, core 1 of group 0, pc 0x500000e4, address 0x0";
  records.write(0, {launch("a", "bad", failure), launch("a", "later", kRefusedText), launch("b", "good")});
  records.write(1, {launch("a", "bad", failure), launch("b", "good")});
  CHECK(!records.compare());
  // The program ended before it heard of it.
  records.write(1,
                {launch("a", "bad", std::nullopt), launch("a", "other", std::nullopt), launch("b", "good")});
  CHECK(!records.compare());
  const std::string elsewhere =
      "the kernel failed: breakpoint, core 2 of group 0, pc 0x500000e4, address 0x0";
  for (const std::string& end : {kDoneText, elsewhere}) {
    records.write(1, {launch("a", "bad", end)});
    const auto difference = records.compare();
    REQUIRE(difference);
    CHECK(difference->kind == Difference::Kind::kEnd);
    CHECK(difference->results[0]->end == failure);
  }
}

TEST_CASE("compare: a record that was cut, and files that are none") {
  Records records;
  records.write(0, {launch("a", "one"), launch("a", "two")});
  records.write(1, {launch("a", "one")}, R"({"what":"cut"})");
  Comparison comparison({records.path(0), records.path(1)});
  CHECK(!comparison.run());
  CHECK(!comparison.files()[0].is_cut());
  CHECK(comparison.files()[1].is_cut());
  for (const char* line : {"nonsense", "[]", "7", R"({"source":7})", R"({"source":"a","digests":"b"})",
                           R"({"source":"a","bytes":"b"})"}) {
    records.write(1, {}, line);
    CHECK_THROWS_AS(records.compare(), Error);
  }
}

TEST_CASE("compare: lines that are no UTF-8") {
  Records records;
  const auto print = [](const std::string& line, const std::string& digest) {
    return Result{"a", "print", line, line.size(), "", kDoneText, "", {digest}};
  };
  records.write(0, {print("\xfe", "one")});
  records.write(1, {print("\xff", "other")});
  const auto difference = records.compare();
  REQUIRE(difference);
  CHECK(difference->kind == Difference::Kind::kContents);
  CHECK(difference->bytes.behind == 1);
}

TEST_CASE("compare: the first line that differs") {
  const Records folder;
  const auto compare = [&](const std::string& one, const std::string& other) {
    std::ofstream(folder.path(0)) << one;
    std::ofstream(folder.path(1)) << other;
    return first_different_line(folder.path(0), folder.path(1));
  };
  for (const std::string& same : {std::string(), std::string("a\nb"), std::string(64 << 10, '\n')})
    CHECK(!compare(same, same));
  // Begin and end are in different ones of the pieces that are read at once, and behind the first.
  const std::string before = std::string((64 << 10) - 2, 'x') + "\n";
  const auto found = compare(before + before + "one\nmore", before + before + "other");
  REQUIRE(found);
  CHECK(found->number == 3);
  CHECK(found->lines[0] == "one");
  CHECK(found->lines[1] == "other");
  const auto missing = compare("a\n", "a\n\n");
  REQUIRE(missing);
  CHECK(missing->number == 2);
  CHECK(!missing->lines[0]);
  CHECK(missing->lines[1] == "");
  const auto end = compare("a\n", "a");
  REQUIRE(end);
  CHECK(end->number == 1);
  CHECK(end->lines[0] == end->lines[1]);
  // Of a long one the beginning is enough.
  const auto much = compare(before, before + "x");
  REQUIRE(much);
  CHECK(much->number == 2);
  const auto late = compare(std::string(1 << 20, 'x'), std::string(2 << 20, 'x'));
  REQUIRE(late);
  CHECK(late->lines[1]->size() == kShownCharacters + 1);
  fs::remove(folder.path(1));
  CHECK_THROWS_AS(first_different_line(folder.path(0), folder.path(1)), Error);
}

TEST_CASE("compare: a signal ends it") {
  Records records;
  records.write(0, {launch("a", "one")});
  records.write(1, {launch("a", "one")});
  note_signal(SIGINT);
  CHECK_THROWS_AS(records.compare(), Interrupted);
  CHECK_THROWS_AS(first_different_line(records.path(0), records.path(1)), Interrupted);
  note_signal(0);
  CHECK(!records.compare());
}
