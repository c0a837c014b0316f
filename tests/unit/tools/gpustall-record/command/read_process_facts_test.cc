// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/command/read_process_facts.h"

#include <gtest/gtest.h>

#include <string>

namespace aiflame::record {
namespace {

// Each variable with a zero byte behind it.
std::string environment(std::initializer_list<const char*> variables) {
  std::string out;
  for (const char* one : variables) out.append(one).push_back('\0');
  return out;
}

TEST(ReadProcessFacts, Launchers) {
  EXPECT_EQ(process_facts(environment({"SLURM_PROCID=5", "SLURM_LOCALID=1", "SLURM_NTASKS=16",
                                       "SLURM_JOB_ID=4711"}),
                          ""),
            (ProcessFacts{"5", "1", "16", "4711", "", ""}));
  EXPECT_EQ(process_facts(environment({"OMPI_COMM_WORLD_RANK=2", "OMPI_COMM_WORLD_LOCAL_RANK=0",
                                       "OMPI_COMM_WORLD_SIZE=4"}),
                          "")
                .rank,
            "2");
  EXPECT_EQ(process_facts(environment({"PMIX_RANK=7"}), "").rank, "7");
  EXPECT_EQ(process_facts(environment({"PBS_JOBID=12.server"}), "").job, "12.server");
}

TEST(ReadProcessFacts, TorchrunBelowSrun) {
  const ProcessFacts facts = process_facts(
      environment({"SLURM_PROCID=1", "SLURM_NTASKS=2", "RANK=9", "LOCAL_RANK=1", "WORLD_SIZE=16"}),
      "");
  EXPECT_EQ(facts, (ProcessFacts{"9", "1", "16", "", "", ""}));
  // a RANK of something else
  EXPECT_EQ(process_facts(environment({"SLURM_PROCID=1", "RANK=9"}), "").rank, "1");
}

TEST(ReadProcessFacts, OnlyWhatMayStandInARecording) {
  for (const char* value : {"", "x", "-1", "3;y", "3 4", "99999999999"})
    EXPECT_FALSE(
        process_facts(environment({(std::string("SLURM_PROCID=") + value).c_str()}), "").is_known())
        << value;
  EXPECT_EQ(process_facts(environment({"SLURM_JOB_ID=1\x1b[m"}), "").job, "");
  // the last one has no zero byte
  EXPECT_EQ(process_facts("A=1", "").rank, "");
  EXPECT_EQ(process_facts("PMI_RANK=1", "").rank, "1");
}

TEST(ReadProcessFacts, ControlGroups) {
  const std::string id(64, 'b');
  EXPECT_EQ(process_facts("", "0::/system.slice/docker-" + id + ".scope\n").container, id);
  EXPECT_EQ(process_facts("", "1:name=systemd:/libpod_parent/libpod-" + id + "\n").container, id);
  EXPECT_EQ(process_facts("", "0::/x/" + id + "b\n").container, "");
  EXPECT_EQ(process_facts("", "0::/system.slice/slurmstepd.scope/job_4711/step_0/user\n").job,
            "4711");

  const std::string uid = "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9";
  std::string slice = uid;
  for (char& c : slice)
    if (c == '-') c = '_';
  const std::string pod = "0::/kubepods.slice/kubepods-pod" + slice + ".slice/cri-containerd-" + id;
  EXPECT_EQ(process_facts("", pod + ".scope\n").pod, uid);
  EXPECT_EQ(process_facts("", "0::/kubepods/burstable/pod" + uid + "/" + id + "\n").pod, uid);
  EXPECT_EQ(process_facts("", "0::/podman/podcast\n").pod, "");
  EXPECT_EQ(
      process_facts(environment({"HOSTNAME=train-0", "KUBERNETES_SERVICE_HOST=10.0.0.1"}), pod).pod,
      "train-0");
  EXPECT_EQ(process_facts(environment({"HOSTNAME=desk"}), "").pod, "");
}

}  // namespace
}  // namespace aiflame::record
