#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""torch_generate.py [--tokens N] [--rounds N] [--layers N] [--type NAME] [--graph] [--trace FILE]:
a language model of transformers' (Llama's architecture, 1.1 billion random weights) generates
tokens, one after the other, and prints how many it made in a second.

--graph captures the step that makes a token in a CUDA graph, and replays that. With --trace
PyTorch's own profiler writes a trace of the rounds. An ordinary PyTorch program: it knows nothing of
the profiler that records it.
"""
import argparse
import contextlib
import time

import torch
from transformers import LlamaConfig, LlamaForCausalLM, StaticCache

PROMPT = 32


def make_model(kind, layers):
    config = LlamaConfig(vocab_size=32000, hidden_size=2048, intermediate_size=5632,
                         num_hidden_layers=layers, num_attention_heads=32, num_key_value_heads=4,
                         max_position_embeddings=2048, attn_implementation="sdpa")
    torch.set_default_dtype(kind)
    with torch.device("cuda"):
        model = LlamaForCausalLM(config)
    torch.set_default_dtype(torch.float32)
    return model.eval()


def generate(model, prompt, tokens):
    """As users call it: transformers' own loop."""
    return model.generate(prompt, max_new_tokens=tokens, min_new_tokens=tokens, do_sample=False)


class GraphedGenerator:
    """The same, with the step for one token in a CUDA graph: its addresses and sizes are fixed."""

    def __init__(self, model, most):
        self.model = model
        self.cache = StaticCache(config=model.config, max_cache_len=most)
        self.token = torch.zeros((1, 1), dtype=torch.long, device="cuda")
        self.place = torch.zeros((1,), dtype=torch.long, device="cuda")
        self.graph = None

    def step(self):
        out = self.model(input_ids=self.token, past_key_values=self.cache,
                         position_ids=self.place[None], cache_position=self.place, use_cache=True)
        self.token.copy_(out.logits[:, -1:].argmax(-1))
        self.place.add_(1)

    def capture(self):
        place, token = self.place.clone(), self.token.clone()
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            self.step()
        torch.cuda.current_stream().wait_stream(side)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.step()
        self.place.copy_(place)
        self.token.copy_(token)

    def __call__(self, prompt, tokens):
        length = prompt.shape[1]
        self.cache.reset()
        out = self.model(input_ids=prompt, past_key_values=self.cache,
                         cache_position=torch.arange(length, device="cuda"), use_cache=True)
        self.token.copy_(out.logits[:, -1:].argmax(-1))
        self.place.fill_(length)
        if self.graph is None:
            self.capture()
        made = [prompt, self.token.clone()]
        for _ in range(tokens - 1):
            self.graph.replay()
            made.append(self.token.clone())
        return torch.cat(made, dim=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tokens", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--type", default="float32", choices=("float32", "bfloat16"))
    parser.add_argument("--layers", type=int, default=22)
    parser.add_argument("--graph", action="store_true")
    parser.add_argument("--trace")
    arguments = parser.parse_args()
    torch.manual_seed(1)
    with torch.inference_mode():
        model = make_model(getattr(torch, arguments.type), arguments.layers)
        prompt = torch.randint(0, 32000, (1, PROMPT), device="cuda")
        graphed = GraphedGenerator(model, PROMPT + arguments.tokens) if arguments.graph else None
        made = graphed(prompt, arguments.tokens) if graphed else generate(model, prompt, 8)
        torch.cuda.synchronize()
        profiler = torch.profiler.profile() if arguments.trace else contextlib.nullcontext()
        with profiler:
            begin = time.monotonic()
            for _ in range(arguments.rounds):
                made = (graphed(prompt, arguments.tokens) if graphed else
                        generate(model, prompt, arguments.tokens))
                torch.cuda.synchronize()
            took = time.monotonic() - begin
    if arguments.trace:
        profiler.export_chrome_trace(arguments.trace)
    print("tokens %d" % (arguments.rounds * arguments.tokens))
    print("tokens_per_s %.1f" % (arguments.rounds * arguments.tokens / took))
    print("sum %d" % made.sum().item())


if __name__ == "__main__":
    main()
