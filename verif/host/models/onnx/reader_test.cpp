// SPDX-License-Identifier: Apache-2.0
// The reader on files that are whole, and on files that are not as they should be.
#include "host/models/onnx/reader.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "host/lib/elf.hpp"
#include "verif/host/models/onnx/builder.hpp"
#include "verif/host/models/onnx/writer.hpp"
#include "verif/kit/folder.hpp"

using namespace swai;
using namespace swai::onnx;

namespace {

Model read_message(const file::Model& message, const std::string& folder = "") {
  return read(*models::FileBytes::hold("x.onnx", bytes_of(message)), folder);
}

// What the reader says about it; empty if it accepts it.
std::string complaint(const file::Model& message, const std::string& folder = "") {
  try {
    read_message(message, folder);
    return "";
  } catch (const common::InputError& error) {
    return error.what();
  }
}

#define CHECK_HAS(text, part) CHECK_MESSAGE((text).find(part) != std::string::npos, text)

// y = (x + w) * 2, with w of four elements.
file::Model small(int64_t opset = 17) {
  Builder build;
  const ValueId x = build.input("x", {-1, 4});
  const ValueId sum = build.add("Add", {x, build.constant({4}, {1, 2, 3, 4})});
  build.output(build.add("Mul", {sum, build.scalar(2)}));
  return message_of(build.graph, opset);
}

file::Model changed(const std::function<void(file::Model&)>& change) {
  file::Model model = small();
  change(model);
  return model;
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// The first initializer, moved to a file.
file::Model with_external(const std::string& location, const std::string& offset = "0",
                          const std::string& length = "16") {
  return changed([&](file::Model& model) {
    file::Tensor& tensor = *model.mutable_graph()->mutable_initializer(0);
    tensor.clear_raw_data();
    tensor.set_data_location(1);
    for (const auto& [key, value] :
         {std::pair{"location", location}, std::pair{"offset", offset}, std::pair{"length", length}}) {
      file::Entry& entry = *tensor.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
  });
}

}  // namespace

TEST_CASE("a graph that was written is read as it was") {
  const Model model = read_message(small());
  CHECK(model.opset == 17);
  CHECK(to_text(model.graph) ==
        "input %x: f32[n1, 4]\n"
        "%v2: ?[...] = Add(%x, [1, 2, 3, 4])\n"
        "%v4: ?[...] = Mul(%v2, 2)\n"
        "output v4 = %v4\n");
}

TEST_CASE("nodes are put into an order in which they can run") {
  const auto model =
      changed([](file::Model& model) { model.mutable_graph()->mutable_node()->SwapElements(0, 1); });
  CHECK(read_message(model).graph.nodes[0].operation == "Add");
}

TEST_CASE("attributes of old opsets become inputs") {
  Builder build;
  const ValueId x = build.input("x", {2, 3, 4});
  const ValueId mean = build.add("ReduceMean", {x}, {{"axes", std::vector<int64_t>{-1}}});
  build.output(build.add("Unsqueeze", {mean}, {{"axes", std::vector<int64_t>{0}}}));
  const Graph graph = read_message(message_of(build.graph, 11)).graph;
  for (const Node& node : graph.nodes) {
    REQUIRE(node.inputs.size() == 2);
    CHECK(graph.constant(node.inputs[1])->element == Element::kI64);
    CHECK(node.attributes.empty());
  }
}

TEST_CASE("each version from 11 to 23 is read, and no other") {
  for (const int64_t opset : {11, 17, 21, 23}) CHECK(complaint(small(opset)).empty());
  CHECK_HAS(complaint(small(10)), "opset 10; 11 to 23 are supported");
  CHECK_HAS(complaint(small(24)), "opset 24");
  CHECK_HAS(complaint(changed([](file::Model& model) { model.clear_opset_import(); })), "names no version");
}

TEST_CASE("damaged bytes are refused") {
  auto bytes = bytes_of(small());
  bytes.resize(bytes.size() - 3);
  CHECK_THROWS_AS(read(*models::FileBytes::hold("x", bytes), ""), common::InputError);
  CHECK_THROWS_AS(read(*models::FileBytes::hold("x", {1, 2, 3}), ""), common::InputError);
}

TEST_CASE("cycles and values that nobody makes name the node") {
  CHECK_HAS(complaint(changed([](file::Model& model) {
              file::Node& first = *model.mutable_graph()->mutable_node(0);
              first.set_input(0, model.graph().node(1).output(0));
            })),
            "node 'n2' (Add): needs a result that depends on its own");
  CHECK_HAS(complaint(changed(
                [](file::Model& model) { model.mutable_graph()->mutable_node(0)->set_input(0, "absent"); })),
            "node 'n2' (Add): input 'absent' is not defined");
  CHECK_HAS(complaint(changed([](file::Model& model) {
              model.mutable_graph()->mutable_node(1)->set_output(0, model.graph().node(0).output(0));
            })),
            "is defined twice");
  CHECK_HAS(
      complaint(changed([](file::Model& model) { model.mutable_graph()->mutable_output(0)->set_name("y"); })),
      "output 'y' is made by no node");
}

TEST_CASE("shapes and types that cannot be are refused") {
  const auto with_tensor = [](const std::function<void(file::Tensor&)>& change) {
    return complaint(
        changed([&](file::Model& model) { change(*model.mutable_graph()->mutable_initializer(0)); }));
  };
  CHECK_HAS(with_tensor([](file::Tensor& tensor) { tensor.set_dims(0, int64_t{1} << 31); }),
            "dimension 0 of tensor 'c1' is 2147483648");
  CHECK_HAS(with_tensor([](file::Tensor& tensor) { tensor.set_dims(0, -4); }), "is -4");
  CHECK_HAS(with_tensor([](file::Tensor& tensor) {
              for (int i = 0; i < 3; ++i) tensor.add_dims(1 << 30);
            }),
            "which is too large");
  CHECK_HAS(with_tensor([](file::Tensor& tensor) {
              for (int i = 0; i < 70; ++i) tensor.add_dims(1);
            }),
            "at most 64");
  CHECK_HAS(with_tensor([](file::Tensor& tensor) { tensor.set_dims(0, 5); }),
            "has 16 bytes, and f32[5] takes 20");
  CHECK_HAS(with_tensor([](file::Tensor& tensor) { tensor.set_data_type(7); }),
            "has 16 bytes, and i64[4] takes 32");
  CHECK_HAS(with_tensor([](file::Tensor& tensor) { tensor.set_data_type(8); }), "element type 8");
  CHECK_HAS(with_tensor([](file::Tensor& tensor) { tensor.clear_raw_data(); }),
            "has 0 elements, and f32[4] has 4");
  CHECK_HAS(complaint(changed([](file::Model& model) {
              auto* const type =
                  model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type();
              type->mutable_shape()->mutable_dim(1)->set_dim_value(int64_t{1} << 31);
            })),
            "dimension 1 of value 'x' is 2147483648");
  CHECK_HAS(complaint(changed([](file::Model& model) {
              file::ValueInfo& input = *model.mutable_graph()->add_input();
              input = model.graph().input(0);
              input.set_name("c1");
            })),
            "is declared as f32[n1, 4] and its initializer is f32[4]");
}

TEST_CASE("elements in typed fields are read as those in raw bytes") {
  const auto model = changed([](file::Model& model) {
    file::Tensor& tensor = *model.mutable_graph()->mutable_initializer(0);
    tensor.clear_raw_data();
    for (const float value : {1.F, 2.F, 3.F, 4.F}) tensor.add_float_data(value);
  });
  CHECK(to_text(read_message(model).graph) == to_text(read_message(small()).graph));
}

TEST_CASE("external data comes from the model's folder only") {
  const common::Folder folder;
  const auto path = folder.path / "model";
  std::filesystem::create_directories(path / "inner");
  const std::string weights("\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\x80\x40", 16);
  write_file(path / "weights", weights);
  write_file(path / "inner" / "weights", "pad!" + weights);
  write_file(folder.path / "outside", weights);
  std::filesystem::create_symlink("../outside", path / "link");
  std::filesystem::create_directory_symlink("..", path / "up");
  const auto said = [&](const file::Model& model) { return complaint(model, path.string()); };

  const std::string expected = to_text(read_message(small()).graph);
  CHECK(to_text(read_message(with_external("weights"), path.string()).graph) == expected);
  CHECK(to_text(read_message(with_external("inner/weights", "4"), path.string()).graph) == expected);
  CHECK_HAS(said(with_external("../outside")), "does not name a file of this folder");
  CHECK_HAS(said(with_external("inner/../../outside")), "does not name a file of this folder");
  CHECK_HAS(said(with_external((folder.path / "outside").string())), "does not name a file of this folder");
  CHECK_HAS(said(with_external("link")), "is a symbolic link");
  CHECK_HAS(said(with_external("up/outside")), "cannot be opened");
  CHECK_HAS(said(with_external("absent")), "tensor 'c1' is external data");
  CHECK_HAS(said(with_external("")), "does not name a file");
  CHECK_HAS(said(with_external("weights", "4")), "is 16 bytes at 4 of 'weights', which has 16");
  CHECK_HAS(said(with_external("weights", "18446744073709551615")), "which has 16");
  CHECK_HAS(said(with_external("weights", "0", "12")), "has 12 bytes, and f32[4] takes 16");
  CHECK_HAS(said(with_external("weights", "-1")), "which is no number");
  CHECK_HAS(complaint(with_external("weights")), "is in another file");
}

TEST_CASE("a subgraph finds values of the graphs around it") {
  Builder build;
  const ValueId x = build.input("x", {4});
  const ValueId y = build.add("Neg", {x});
  const ValueId condition = build.input("condition", {}, Element::kBool);
  const ValueId result = build.add("If", {condition});
  build.output(result);
  file::Model model = message_of(build.graph, 17);
  for (const char* const branch : {"then_branch", "else_branch"}) {
    file::Attribute& attribute = *model.mutable_graph()->mutable_node(1)->add_attribute();
    attribute.set_name(branch);
    attribute.set_type(5);
    file::Node& node = *attribute.mutable_g()->add_node();
    node.set_op_type("Add");
    node.add_input("x");
    node.add_input(build.graph.values[y].name);
    node.add_output(std::string("of_") + branch);
    attribute.mutable_g()->add_output()->set_name(std::string("of_") + branch);
  }
  const Graph graph = read_message(model).graph;
  REQUIRE(graph.nodes[1].subgraphs.size() == 2);
  CHECK(graph.nodes[1].subgraphs[0].captured.size() == 2);
  CHECK(count_nodes(graph) == 4);
}

TEST_CASE("graphs that are nested too deep are refused") {
  const auto nested = [](int depth) {
    return changed([&](file::Model& model) {
      file::Node* node = model.mutable_graph()->mutable_node(0);
      for (int i = 0; i < depth; ++i) {
        file::Attribute& attribute = *node->add_attribute();
        attribute.set_name("body");
        attribute.set_type(5);
        node = attribute.mutable_g()->add_node();
        node->set_op_type("Loop");
        node->add_output("inner" + std::to_string(i));
      }
    });
  };
  CHECK(complaint(nested(8)).empty());
  CHECK_HAS(complaint(nested(9)), "nested more than 8 deep");
  CHECK_HAS(complaint(nested(1000)), "is no ONNX file, or damaged");
}
