# SPDX-License-Identifier: MIT
"""Profiles that the page is looked at with: genuine ones of three vendors, a compiler's deep stacks, a
differential, and a million stacks."""

import os
import random
import subprocess

from large_test import write_stacks

GENUINE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../shared/data/hpctoolkit")


def genuine(vendor):
    """Samples of that vendor's hardware (HPCToolkit's), or None where the data does not lie beside the
    repository."""
    if not os.path.isdir(GENUINE):
        return None
    # the paths of the objects are relative to that folder
    return subprocess.run(["stackcollapse-aiflame", "genuine_%s.gpustall" % vendor], cwd=GENUINE,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout


def compiler(depth=100):
    """A C++ compiler on templates, `depth` frames deep: long names, recursion, a few wide leaves."""
    rng = random.Random(20)
    begin = ["cc1plus", "_start", "__libc_start_main@@GLIBC_2.34", "main", "toplev::main(int, char**)",
             "do_compile()", "compile_file()", "c_parse_final_cleanups()",
             "instantiate_pending_templates(int)"]
    middle = ["tsubst_expr(tree_node*, tree_node*, int, tree_node*, bool)",
              "instantiate_decl(tree_node*, bool, bool)", "cp_parser_statement(cp_parser*, tree_node*, bool, bool*)",
              "std::_Rb_tree<int, std::pair<int const, std::string>, std::_Select1st<std::pair<int const, "
              "std::string> >, std::less<int> >::_M_insert_unique", "lookup_template_class_1(tree_node*, "
              "tree_node*, tree_node*, tree_node*, int, int)", "finish_call_expr(tree_node*, vec<tree_node*, "
              "va_gc, vl_embed>**, bool, bool, int)", "operator new(unsigned long)", "walk_tree_1"]
    leaves = ["ggc_internal_alloc(unsigned long, void (*)(void*), unsigned long, unsigned long)",
              "htab_find_slot_with_hash", "_cpp_lex_direct", "page_fault_[k]", "__memset_avx2_unaligned_erms"]
    stacks, stack = [], begin
    while len(stacks) < 300:
        keep = rng.choice([3, 9, 20, 40, 60, 80, 90, 95])
        stack = stack[:keep]
        while len(stack) < depth - 1 and (len(stack) < 9 or rng.random() < 0.97):
            stack = stack + [begin[len(stack)] if len(stack) < len(begin) else rng.choice(middle)]
        stacks.append("%s;%s %d\n" % (";".join(stack), rng.choice(leaves), rng.randint(1, 400)))
    full = begin + (middle * depth)[:depth - len(begin)]
    return "".join(stacks + [";".join(full) + " 2000\n"]).encode()


def differential():
    """Before and after: of each kind of change, and totals that differ."""
    rng = random.Random(7)
    lines = ["app;main;gone_altogether;parse 8000 0\n", "app;main;unchanged 2000 2000\n",
             "app;main;brand_new;worker 0 3000\n"]
    for i in range(60):
        before = rng.randint(20, 900)
        lines.append("app;main;phase_%d;step_%d;leaf_%d %d %d\n" %
                     (i % 6, i % 17, i, before, int(before * rng.choice([0.3, 0.8, 1, 1.02, 1.3, 2.5]))))
    return "".join(lines).encode()


def stacks(path, number):
    """`number` stacks of a CPU profile."""
    write_stacks(path, number)
    with open(path, "rb") as file:
        return file.read()
