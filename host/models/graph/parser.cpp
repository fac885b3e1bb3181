// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <set>

#include "host/models/graph/syntax.hpp"
#include "host/models/graph/tokens.hpp"

namespace swai::graph {
namespace {

using Kind = Token::Kind;

// Of parentheses and loops within each other, and of operands in a row: a hostile text must not use up the
// stack.
constexpr int kMaxDepth = 32;
constexpr int kMaxOperands = 64;

const std::set<std::string_view> kDeclarations = {"input", "weight", "state", "output", "buffer"};

class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(tokens_of(text)) {}

  GraphText graph() {
    skip_line_ends();
    if (!takes("graph")) fail("graph text begins with its name: graph NAME");
    GraphText text;
    text.name = word("the graph's name");
    end_line();
    text.statements = statements();
    if (now().kind != Kind::kEnd) fail("'}' closes nothing");
    return text;
  }

 private:
  // Counts how deep the text is nested, as long as it lives.
  class Deeper {
   public:
    explicit Deeper(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kMaxDepth) parser_.fail("nested too deeply");
    }
    ~Deeper() { --parser_.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    Parser& parser_;
  };

  const Token& now() const { return tokens_[at_]; }
  bool sees(std::string_view text) const {
    return (now().kind == Kind::kSign || now().kind == Kind::kWord) && now().text == text;
  }
  bool takes(std::string_view text) {
    if (!sees(text)) return false;
    ++at_;
    return true;
  }

  [[noreturn]] void fail(const std::string& message) const { throw GraphError(now().place, message); }

  std::string found() const {
    switch (now().kind) {
      case Kind::kEnd:
        return "the end of the text";
      case Kind::kLineEnd:
        return "the end of the line";
      default:
        return fmt::format("'{}'", now().text);
    }
  }

  void expect(std::string_view text) {
    if (!takes(text)) fail(fmt::format("'{}' is missing before {}", text, found()));
  }

  std::string word(std::string_view what) {
    if (now().kind != Kind::kWord) fail(fmt::format("{} is missing before {}", what, found()));
    if (is_keyword(now().text)) fail(fmt::format("{} is a word of the language, not a name", found()));
    return std::string(tokens_[at_++].text);
  }

  void end_line() {
    if (now().kind != Kind::kLineEnd && !sees("}"))
      fail(fmt::format("the line should end before {}", found()));
    skip_line_ends();
  }

  void skip_line_ends() {
    while (now().kind == Kind::kLineEnd) ++at_;
  }

  std::vector<Statement> statements() {
    const Deeper deeper(*this);
    std::vector<Statement> all;
    while (now().kind != Kind::kEnd && !sees("}")) {
      all.push_back(statement());
      end_line();
    }
    return all;
  }

  Statement statement() {
    const Place place = now().place;
    if (takes("size")) return {place, size()};
    if (kDeclarations.contains(now().text)) return {place, declaration()};
    if (takes("repeat")) return {place, repeat()};
    return {place, call()};
  }

  SizeStatement size() {
    SizeStatement statement;
    statement.name = word("the size's name");
    if (takes("in")) {
      statement.first = expression();
      expect("..");
      statement.last = expression();
    } else {
      expect("=");
      statement.first = expression();
    }
    return statement;
  }

  Declaration declaration() {
    Declaration statement;
    statement.kind = tokens_[at_++].text;
    statement.name = name();
    expect(":");
    statement.type = type();
    return statement;
  }

  Repeat repeat() {
    Repeat statement;
    statement.counter = word("the counter's name");
    expect("in");
    statement.first = expression();
    expect("..");
    statement.end = expression();
    if (takes("with")) {
      do {
        Repeat::Carried carried;
        carried.name = name();
        expect("=");
        carried.start = name();
        statement.carried.push_back(std::move(carried));
      } while (takes(","));
    }
    expect("{");
    skip_line_ends();
    statement.body = statements();
    expect("}");
    return statement;
  }

  Call call() {
    Call statement;
    do {
      TargetText target;
      target.next = takes("next");
      target.name = name();
      if (takes(":")) target.type = type();
      if (takes("in")) target.buffer = name();
      statement.targets.push_back(std::move(target));
    } while (takes(","));
    expect("=");
    statement.operation = word("the operator's name");
    expect("(");
    while (!sees(")")) {
      statement.arguments.push_back(argument());
      if (!takes(",")) break;
    }
    expect(")");
    return statement;
  }

  // key: value, or a value. What begins with a name and goes on like one is a name; the checker knows whether
  // it stands for a tensor or a size.
  ArgumentText argument() {
    ArgumentText argument;
    argument.place = now().place;
    if (now().kind == Kind::kWord && tokens_[at_ + 1].kind == Kind::kSign && tokens_[at_ + 1].text == ":") {
      argument.key = word("the argument's name");
      ++at_;
    }
    if (now().kind == Kind::kWord) {
      const size_t start = at_;
      Name reference = name();
      if (sees(",") || sees(")")) {
        argument.value = std::move(reference);
        return argument;
      }
      at_ = start;
    }
    argument.value = expression();
    return argument;
  }

  Name name() {
    Name name;
    name.place = now().place;
    name.parts.push_back({word("a name"), {}});
    while (now().glued && (sees(".") || sees("["))) {
      if (takes(".")) {
        if (!now().glued) fail("a name has no space behind its dot");
        // Behind a dot words of the language are names like any other.
        if (now().kind != Kind::kWord)
          fail(fmt::format("the name's next part is missing before {}", found()));
        name.parts.push_back({"." + std::string(now().text), {}});
        ++at_;
      } else {
        ++at_;
        name.parts.push_back({"", expression()});
        expect("]");
      }
    }
    return name;
  }

  bool begins_expression() const {
    return now().kind == Kind::kNumber || (now().kind == Kind::kWord && !is_keyword(now().text));
  }

  TypeText type() {
    TypeText type;
    type.place = now().place;
    type.element = word("the type of the elements");
    expect("[");
    do {
      type.dimensions.push_back(expression());
    } while (takes(","));
    expect("]");
    type.packed = takes("packed");
    if (type.packed && takes("sparse")) {
      type.tiles = expression();
    } else if (type.packed && begins_expression()) {
      type.group = expression();
    }
    type.minima = type.group && takes("minima");
    if (takes("split")) type.split = expression();
    return type;
  }

  Expression expression() {
    const Deeper deeper(*this);
    Expression left = factors();
    for (int operands = 1; sees("+") || sees("-"); ++operands) {
      if (operands == kMaxOperands) fail("the expression is too long");
      const Place place = now().place;
      const auto kind = sees("+") ? Expression::Kind::kAdd : Expression::Kind::kSubtract;
      ++at_;
      left = joined(kind, place, std::move(left), factors());
    }
    return left;
  }

  Expression factors() {
    Expression left = factor();
    for (int operands = 1; sees("*") || sees("/"); ++operands) {
      if (operands == kMaxOperands) fail("the expression is too long");
      const Place place = now().place;
      const auto kind = sees("*") ? Expression::Kind::kMultiply : Expression::Kind::kDivide;
      ++at_;
      left = joined(kind, place, std::move(left), factor());
    }
    return left;
  }

  static Expression joined(Expression::Kind kind, Place place, Expression left, Expression right) {
    Expression expression;
    expression.kind = kind;
    expression.place = place;
    expression.operands.push_back(std::move(left));
    expression.operands.push_back(std::move(right));
    return expression;
  }

  Expression factor() {
    Expression expression;
    expression.place = now().place;
    if (takes("(")) {
      expression = this->expression();
      expect(")");
      return expression;
    }
    if (takes("-")) {
      const Deeper deeper(*this);
      return joined(Expression::Kind::kSubtract, expression.place, expression, factor());
    }
    if (now().kind == Kind::kNumber) {
      number(expression);
      return expression;
    }
    expression.kind = Expression::Kind::kName;
    expression.name = word("a size");
    return expression;
  }

  void number(Expression& expression) {
    const std::string_view text = now().text;
    const char* const end = text.data() + text.size();
    if (text.find_first_of(".e") == std::string_view::npos) {
      const auto [stop, error] = std::from_chars(text.data(), end, expression.integer);
      if (error != std::errc{} || stop != end) fail(fmt::format("{} is too large a number", found()));
    } else {
      expression.kind = Expression::Kind::kReal;
      const auto [stop, error] = std::from_chars(text.data(), end, expression.real);
      if (error != std::errc{} || stop != end) fail(fmt::format("{} is no number that fits", found()));
    }
    ++at_;
  }

  std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

GraphText parse(std::string_view text) { return Parser(text).graph(); }

}  // namespace swai::graph
