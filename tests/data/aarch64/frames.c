/* SPDX-License-Identifier: MIT
 *
 * The functions of frames.so, for tests of readers on any machine. README.md says how it was built.
 */
extern int other(int);

/* leaves the stack and x30 as they are */
int leaf(int a) { return a * 3 + 1; }

/* stp x29, x30; calls through .plt */
int through(int a) { return other(a) + leaf(a); }

/* its frame is found from x29 */
int with_room(int bytes) {
  char room[bytes];
  return other((int)(long)room) + room[0];
}

/* paciasp, then a rule that says so: DW_CFA_AARCH64_negate_ra_state */
__attribute__((target("branch-protection=pac-ret"))) int with_signature(int a) { return other(a) + 1; }

/* the same with key B, which its CIE has in its augmentation: "zRB" */
__attribute__((target("branch-protection=pac-ret+b-key"))) int with_key_b(int a) { return other(a) + 2; }
