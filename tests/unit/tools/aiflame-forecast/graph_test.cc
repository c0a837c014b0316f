// SPDX-License-Identifier: MIT
#include "tools/aiflame-forecast/graph.h"

#include <gtest/gtest.h>

#include <map>

#include "tools/aiflame-forecast/graph_fusion.h"
#include "tools/aiflame-forecast/schedule.h"

namespace aiflame::forecast {
namespace {

GraphNode node(const char* name, const char* kind, Part part, std::vector<size_t> next) {
  GraphNode out;
  out.name = name;
  out.kind = kind;
  out.part = part;
  out.inputs = {{4, 8}};
  out.output = {4, 8};
  out.next = std::move(next);
  const Shape sizes = out.kind == "Linear" ? Shape{4, 8, 8} : Shape{4, 8};
  out.operators[0].push_back({kind, {sizes}, false});
  return out;
}

// gelu -> add -> ln -> fc -> relu, where ln also reads what gelu writes
Graph chain() {
  return {{node("gelu", "VECgelu", Part::head, {1, 2}), node("add", "VECadd", Part::head, {2}),
           node("ln", "VECln", Part::head, {3}), node("fc", "Linear", Part::head, {4}),
           node("relu", "VECrelu", Part::head, {})}};
}

std::vector<std::string> names(const Graph& graph) {
  std::vector<std::string> out;
  for (const GraphNode& one : graph.nodes) out.push_back(one.name);
  return out;
}

TEST(GraphFusion, MergesWhatHasOneReader) {
  const Graph fused = fuse(chain());
  // add goes into ln; then both readers of gelu are one
  EXPECT_EQ(names(fused), (std::vector<std::string>{"gelu~ln", "fc", "relu"}));
  const std::vector<GraphCall> calls = calls_of(fused.nodes[0]);
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].work.family, Family::ln);
  EXPECT_EQ(calls[0].work.operations, (1 + 1 + 6) * 32);
  EXPECT_EQ(calls[0].work.bytes, 4 * (32 + 32));
  EXPECT_EQ(calls[0].stack, "forward;gelu~ln_[m];VECln 4x8 -> 4x8_[o]");
}

TEST(GraphFusion, EndsAtALayerAndAtACycle) {
  Graph layered = chain();
  layered.nodes[2].part = Part::layer;
  EXPECT_EQ(names(fuse(layered)), (std::vector<std::string>{"gelu", "add", "ln", "fc", "relu"}));
  const Graph cycle = {{node("a", "VECadd", Part::head, {1}), node("b", "VECadd", Part::head, {0}),
                        node("c", "VECadd", Part::head, {2})}};
  EXPECT_EQ(names(fuse(cycle)), (std::vector<std::string>{"a~b", "c"}));
}

TEST(GraphFusion, AnyFormIsFastEnough) {
  // a long chain whose nodes are listed from its end, beside a node that all of them read
  Graph graph;
  constexpr size_t kNodes = 20000;
  for (size_t i = 0; i < kNodes; ++i)
    graph.nodes.push_back(node("n", "VECadd", Part::head,
                               i == 0 ? std::vector<size_t>{} : std::vector<size_t>{i - 1}));
  GraphNode all = node("all", "VECadd", Part::head, {});
  for (size_t i = 0; i < kNodes; ++i) all.next.push_back(i);
  graph.nodes.push_back(all);
  EXPECT_EQ(names(fuse(std::move(graph))), std::vector<std::string>{"all~n"});
}

// Calls by node and pass, where each operator takes as many ns as it has operations
std::map<std::string, double> calls(const Graph& graph, const Schedule& plan) {
  std::map<std::string, double> out;
  for (const ScheduledCall& call :
       schedule(graph, plan, [](const Work& work) { return work.operations + work.bytes; }).calls)
    out[call.stack.substr(0, call.stack.find("_[m]"))] += call.calls;
  return out;
}

Graph pipeline() {
  Graph out = {{node("head", "VECadd", Part::head, {}), node("layer", "VECadd", Part::layer, {}),
                node("send", "sendrecv", Part::tail, {}), node("tail", "Linear", Part::tail, {})}};
  out.nodes[2].operators[0] = {{"SENDRECV", {{1}}, false}};
  for (GraphNode& one : out.nodes) one.operators[1] = one.operators[0];
  return out;
}

TEST(Schedule, RepeatsLayers) {
  const auto found = calls(pipeline(), {.layers = 12});
  EXPECT_EQ(found.at("forward;head"), 1);
  EXPECT_EQ(found.at("forward;layer"), 12);
  EXPECT_EQ(found.at("backward;layer"), 12);
  EXPECT_EQ(found.at("forward;send"), 1);
}

TEST(Schedule, TheFirstMicroBatchPassesAllStagesAndEachFurtherOneTheSlowest) {
  // 4 stages of 3 layers. The tail, a product, takes longer than the head: the last stage is the
  // slowest. It does not send forward, but it does backward.
  const auto found = calls(pipeline(), {.layers = 12, .stages = 4, .micro_batches = 6});
  EXPECT_EQ(found.at("forward;head"), 1);
  EXPECT_EQ(found.at("forward;layer"), 12 + 5 * 3);
  EXPECT_EQ(found.at("forward;tail"), 1 + 5);
  EXPECT_EQ(found.at("forward;send"), 3);
  EXPECT_EQ(found.at("backward;layer"), 12 + 5 * 3);
  EXPECT_EQ(found.at("backward;tail"), 1 + 5);
  EXPECT_EQ(found.at("backward;send"), 3 + 5);
  // one micro-batch is one stage after the other
  EXPECT_EQ(calls(pipeline(), {.layers = 12, .stages = 4}).at("backward;layer"), 12);
}

TEST(Schedule, GradientsAreReducedOnceAStep) {
  Graph graph = pipeline();
  graph.nodes.push_back(node("grad", "allreduce", Part::layer, {}));
  graph.nodes.back().operators[0].clear();
  // longer than the backward pass, so that some of it shows
  graph.nodes.back().operators[1].push_back({"ALLREDUCE_ASYNC", {{1e9}}, false});
  const auto whole = schedule(graph, {.layers = 12, .stages = 4, .micro_batches = 6},
                              [](const Work& work) { return work.bytes; });
  const ScheduledCall& reduce = whole.calls.back();
  EXPECT_LT(reduce.calls, 3);
  EXPECT_NEAR(reduce.calls * reduce.work.bytes + whole.hidden, 3 * 4e9, 1);
}

}  // namespace
}  // namespace aiflame::forecast
