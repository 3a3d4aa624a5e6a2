/* SPDX-License-Identifier: MIT */
/* DOC: what the runner can be asked to do; each verb takes the words behind it. */
#ifndef RUNNER_VERBS_H
#define RUNNER_VERBS_H

int verb_suite(int argc, char **argv);
int verb_together(int argc, char **argv);
int verb_list(int argc, char **argv);
int verb_todo(int argc, char **argv);
int verb_plan(int argc, char **argv);
int verb_judge(int argc, char **argv);
int verb_complaints(int argc, char **argv);

#endif
