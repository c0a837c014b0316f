// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/name/interpreter_frames.h"

#include <gtest/gtest.h>

#include <string>

namespace aiflame::collapse {
namespace {

TEST(InterpreterFrames, AreKnownByName) {
  for (const char* frame :
       {"_PyEval_EvalFrameDefault", "_PyEval_EvalFrameDefault.cold", "run_mod.constprop.0",
        "_PyObject_VectorcallTstate_[i]", "PyObject_Vectorcall:call.c:299", "gen_send_ex2",
        "py_trampoline_evaluator", "method_vectorcall_FASTCALL", "pymain_run_file", "[python3.11]",
        "[libpython3.13.so.1.0]", "[python3.12 <4f01>]"})
    EXPECT_TRUE(is_interpreter_frame(frame)) << frame;
  for (const char* frame : {"py::main:/x.py:3", "list_sort", "builtin_exec", "main", "",
                            "[unknown]", "[libtorch_python.so]", "_PyEval_EvalFrameDefaulted",
                            "run_model", "type_caller", "[_cl.cpython-311-x86_64-linux-gnu.so]"})
    EXPECT_FALSE(is_interpreter_frame(frame)) << frame;
}

// One text for each frame, except for inlined functions.
std::string hidden(std::initializer_list<const char*> frames) {
  TextTable texts;
  texts.number("");
  std::vector<uint32_t> line;
  for (const char* frame : frames) line.push_back(texts.number(frame));
  const InterpreterFrames interpreter(texts);
  interpreter.hide(line, 1);
  std::string out;
  for (const uint32_t frame : line) out.append(out.empty() ? "" : ";").append(texts.text(frame));
  return out;
}

TEST(InterpreterFrames, GoWhereThereIsAPythonFunction) {
  EXPECT_EQ(hidden({"python3", "main", "Py_RunMain", "py::<module>:/x.py:9", "py::f:/x.py:2",
                    "_PyEval_EvalFrameDefault", "PyObject_Vectorcall", "list_sort", "py::g:/x.py:4",
                    "_PyEval_EvalFrameDefault", "cfunction_call", "enqueue"}),
            "python3;main;py::<module>:/x.py:9;py::f:/x.py:2;list_sort;py::g:/x.py:4;enqueue");
}

TEST(InterpreterFrames, StayWhereThereIsNone) {
  EXPECT_EQ(hidden({"python3", "Py_RunMain", "_PyEval_EvalFrameDefault", "enqueue"}),
            "python3;Py_RunMain;_PyEval_EvalFrameDefault;enqueue");
}

TEST(InterpreterFrames, GoFromTextsOfSeveralFrames) {
  EXPECT_EQ(hidden({"python3", "py::f:/x.py:2", "run_mod;run_eval_code_obj_[i]",
                    "_PyEval_EvalFrameDefault;f_[i]", "g"}),
            "python3;py::f:/x.py:2;f_[i];g");
}

TEST(InterpreterFrames, TheRootIsAProcess) {
  EXPECT_EQ(hidden({"run_mod", "py::f:/x.py:2"}), "run_mod;py::f:/x.py:2");
}

}  // namespace
}  // namespace aiflame::collapse
