// SPDX-License-Identifier: MIT
#include "libcommon/import/compiled_code.h"

#include <gtest/gtest.h>

#include "libcommon/base/program.h"
#include "libcommon/import/wrapper_reader.h"
#include "libcommon/memory/memory_file.h"

namespace aiflame {
namespace {

const std::string kHash = "c" + std::string(49, 'a') + "27";

std::vector<CompiledKernel> kernels_of(std::string_view text) {
  WrapperReader reader;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    reader.read(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.take();
}

std::vector<std::string> names_of(const std::vector<CompiledKernel>& kernels) {
  std::vector<std::string> out;
  for (const CompiledKernel& kernel : kernels) out.push_back(kernel.name);
  return out;
}

std::string text_of(const ModelStack& stack) {
  std::string out;
  for (const ModelLine& line : stack)
    out += line.function + "@" + line.file + ":" + std::to_string(line.line) + " ";
  return out;
}

CompiledKernel kernel_of(std::vector<ModelStack> stacks) {
  CompiledKernel out;
  out.stacks = std::move(stacks);
  return out;
}

std::string common(const std::vector<CompiledKernel>& kernels) {
  std::vector<const CompiledKernel*> choice;
  for (const CompiledKernel& one : kernels) choice.push_back(&one);
  return text_of(common_model_stack(choice));
}

TEST(CompiledFile, IsAHashInBase32) {
  EXPECT_EQ(compiled_file("/tmp/torchinductor_u/aa/" + kHash + ".py"), kHash);
  EXPECT_EQ(compiled_file(kHash + ".py"), kHash);
  EXPECT_EQ(compiled_file(kHash + ".cpp"), "");
  EXPECT_EQ(compiled_file("/a/model.py"), "");
  EXPECT_EQ(compiled_file("c" + std::string(51, '1') + ".py"), "");
}

TEST(ModelStack, IsReadFromPythonsForm) {
  EXPECT_EQ(text_of(parse_model_stack("  File \"/a/model.py\", line 23, in forward\n"
                                      "    x = self.a(x)\n"
                                      "  File \"/a b/layers.py\", line 7, in <genexpr>\n    y\n"
                                      "Gradient addition node due to multiple use of tensor:")),
            "forward@/a/model.py:23 <genexpr>@/a b/layers.py:7 ");
  EXPECT_EQ(text_of(parse_model_stack("  File \"x.py\", line , in f\n  File \"x.py\", line 1")),
            "");
}

TEST(CommonModelStack, EndsWhereStacksPart) {
  const ModelLine outer{"m.py", "forward", 58}, a{"m.py", "forward", 44}, b{"m.py", "attend", 3};
  EXPECT_EQ(common({kernel_of({{outer, a}, {outer, b}})}), "forward@m.py:58 ");
  EXPECT_EQ(common({kernel_of({{outer, a}})}), "forward@m.py:58 forward@m.py:44 ");
  // a shorter stack ends it, too
  EXPECT_EQ(common({kernel_of({{outer, a}, {outer}})}), "forward@m.py:58 ");
  // of several kernels that a launch may be
  EXPECT_EQ(common({kernel_of({{outer, a}}), kernel_of({{outer, b}})}), "forward@m.py:58 ");
}

TEST(CommonModelStack, EndsInTheFunctionWhoseLinesDiffer) {
  const ModelLine first{"m.py", "forward", 56}, second{"m.py", "forward", 58};
  const ModelLine inner{"m.py", "attend", 3};
  EXPECT_EQ(common({kernel_of({{first}, {second, inner}})}), "forward@m.py:0 ");
  EXPECT_EQ(common({kernel_of({{first}, {inner}})}), "");
}

TEST(CommonModelStack, IsEmptyWhereAKernelHasNoLines) {
  const ModelLine line{"m.py", "forward", 56};
  EXPECT_EQ(common({}), "");
  EXPECT_EQ(common({kernel_of({{line}}), kernel_of({})}), "");
}

TEST(WrapperReader, FindsCallsWithTheirHandlesNodesAndLines) {
  const std::vector<CompiledKernel> kernels = kernels_of(
      "triton_poi_fused_gelu_7 = async_compile.triton('triton_poi_fused_gelu_7', '''\n"
      "def triton_poi_fused_gelu_7(in_ptr0):\n"
      "    triton_helpers.maximum(1)\n"
      "''')\n"
      "def call(args):\n"
      "    # Topologically Sorted Source Nodes: [input_1, , input_2, gelu], Original ATen: "
      "[aten.x]\n"
      "    # [Provenance debug handles] triton_poi_fused_gelu_7:13\n"
      "    stream0 = get_raw_stream(0)\n"
      "    triton_poi_fused_gelu_7.run(buf22, 2097152, stream=stream0)\n"
      "    buf3 = extern_kernels.convolution(primals_1, f(2))\n"
      "    # [Provenance debug handles] torch.ops.aten.topk.default:14\n"
      "    buf4 = torch.ops.aten.topk.default(buf3)\n"
      "    cpp_fused_gelu_1(buf1)\n"
      "    del buf1\n"
      "def benchmark_compiled_module():\n"
      "    extern_kernels.mm(a, b)\n");
  EXPECT_EQ(names_of(kernels),
            (std::vector<std::string>{"triton_poi_fused_gelu_7", "extern_kernels.convolution",
                                      "torch.ops.aten.topk.default", "cpp_fused_gelu_1"}));
  EXPECT_EQ(kernels[0].handle, "triton_poi_fused_gelu_7:13");
  EXPECT_EQ(kernels[0].nodes, (std::vector<std::string>{"input", "gelu"}));
  EXPECT_EQ(kernels[0].line, 9u);
  EXPECT_EQ(kernels[1].handle, "");
  EXPECT_EQ(kernels[1].nodes, std::vector<std::string>());
  EXPECT_EQ(kernels[2].handle, "torch.ops.aten.topk.default:14");
}

TEST(WrapperReader, PartitionsStandWhereTheyAreCalled) {
  EXPECT_EQ(names_of(kernels_of("def partition_0(args):\n"
                                "    triton_a.run(x)\n"
                                "def partition_1(args):\n"
                                "    triton_c.run(x)\n"
                                "class Runner:\n"
                                "    def call(self, args):\n"
                                "        (buf0,) = self.partitions[0](partition0_args)\n"
                                "        extern_kernels.mm(buf0)\n"
                                "        (buf1,) = self.partitions[1](partition1_args)\n"
                                "        (buf1,) = self.partitions[9](partition9_args)\n")),
            (std::vector<std::string>{"triton_a", "extern_kernels.mm", "triton_c"}));
}

CompiledCode code_of(const std::string& log) {
  const MemoryFile file(log);
  CompiledCode out;
  out.read(file.path());
  return out;
}

const std::string kHeader = "V1127 04:05:52.835000 849 torch/x.py:1] ";
const std::string kLog =
    kHeader + "{\"inductor_output_code\": {\"filename\": \"/tmp/aa/" + kHash + ".py\"}}\n" +
    "\tdef call(args):\n"
    "\t    # [Provenance debug handles] cpp_fused_gelu_1:3\n"
    "\t    cpp_fused_gelu_1(a)\n" +
    kHeader + "{\"artifact\": {\"name\": \"inductor_provenance_tracking_node_mappings\"}}\n" +
    "\t{\"preToPost\": {\"h\": [\"erf\"]}, \"postToPre\": {\"erf\": [\"input_2\"]}, "
    "\"cppCodeToPost\": {\"cpp_fused_gelu_1:3\": [\"erf\"]}}\n" +
    kHeader + "{\"artifact\": {\"name\": \"inductor_provenance_tracking_kernel_stack_traces\"}}\n" +
    "\t{\"cpp_fused_gelu_1:3\": [\"  File \\\"m.py\\\", line 23, in forward\\n    x\\n\", "
    "\"\"]}\n" +
    kHeader + "{\"artifact\": {\"name\": \"fx_graph_cache_miss\"}}\n" +
    "\t{\"key\": \"fkey\", \"components\": [\"key\"]}\n";

TEST(CompiledCode, JoinsTheRecordsOfALog) {
  const CompiledCode code = code_of(kLog);
  const CompiledGraph* graph = code.of_file(kHash);
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(code.of_key("fkey"), graph);
  EXPECT_EQ(code.of_key("key"), nullptr);
  ASSERT_EQ(graph->kernels.size(), 1u);
  EXPECT_EQ(graph->kernels[0].nodes, std::vector<std::string>{"input"});
  ASSERT_EQ(graph->kernels[0].stacks.size(), 1u);
  EXPECT_EQ(text_of(graph->kernels[0].stacks[0]), "forward@m.py:23 ");
  EXPECT_EQ(code.kernels(), 1u);
  EXPECT_EQ(code.with_lines(), 1u);
}

TEST(CompiledCode, ALogThatIsCutIsUsedAsFarAsItIsWhole) {
  for (size_t size = 0; size < kLog.size(); size += 7) {
    try {
      EXPECT_LE(code_of(kLog.substr(0, size)).kernels(), 1u);
    } catch (const Error& error) {
      // a payload that is cut, or not even one record
      EXPECT_NE(std::string(error.what()).find(size < kHeader.size() ? "not a log" : ":"),
                std::string::npos)
          << size << ": " << error.what();
    }
  }
}

TEST(CompiledCode, RefusesWhatIsNoLog) {
  EXPECT_THROW(code_of(""), Error);
  EXPECT_THROW(code_of("{\"traceEvents\": []}\n"), Error);
}

}  // namespace
}  // namespace aiflame
