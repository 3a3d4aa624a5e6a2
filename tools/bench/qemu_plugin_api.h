/* SPDX-License-Identifier: MIT */
#ifndef BENCH_QEMU_PLUGIN_API_H
#define BENCH_QEMU_PLUGIN_API_H

/*
 * The part of QEMU's plugin interface, version 7 (QEMU 11.1), that the plugin uses.
 *
 * No package has QEMU's own header, so this header declares the few calls. QEMU refuses to load
 * a plugin of a version that QEMU does not have.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_VERSION	7
#define QEMU_PLUGIN_EXPORT	__attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_scoreboard;

typedef struct {
	const char *target_name;
	struct {
		int min, cur;
	} version;
	bool system_emulation;
	struct {
		int smp_vcpus, max_vcpus;
	} system;
} qemu_info_t;

/* A number of each vcpu, in a scoreboard */
typedef struct {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
} qemu_plugin_u64;

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_R = 1 };
enum qemu_plugin_cond { QEMU_PLUGIN_COND_NE = 3 };
enum qemu_plugin_discon_type { QEMU_PLUGIN_DISCON_ALL = -1 };

typedef uint32_t qemu_plugin_meminfo_t;
typedef void (*qemu_plugin_exec_cb)(unsigned int vcpu, void *data);
typedef void (*qemu_plugin_mem_cb)(unsigned int vcpu, qemu_plugin_meminfo_t info,
				   uint64_t vaddr, void *data);
typedef void (*qemu_plugin_trans_cb)(struct qemu_plugin_tb *tb, void *data);
typedef void (*qemu_plugin_discon_cb)(unsigned int vcpu, enum qemu_plugin_discon_type type,
				      uint64_t from_pc, uint64_t to_pc, void *data);
typedef void (*qemu_plugin_exit_cb)(void *data);

/* Ours, called by QEMU */
QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info,
					   int argc, char **argv);

/* QEMU's */
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_trans_cb cb,
					   void *data);
void qemu_plugin_register_vcpu_discon_cb(qemu_plugin_id_t id, enum qemu_plugin_discon_type type,
					 qemu_plugin_discon_cb cb, void *data);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_exit_cb cb, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    qemu_plugin_exec_cb cb,
					    enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_cond_cb(struct qemu_plugin_insn *insn,
						 qemu_plugin_exec_cb cb,
						 enum qemu_plugin_cb_flags flags,
						 enum qemu_plugin_cond cond,
						 qemu_plugin_u64 entry, uint64_t imm,
						 void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_mem_cb cb,
				      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw,
				      void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t idx);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *dest, size_t len);
struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t element_size);
void qemu_plugin_u64_set(qemu_plugin_u64 entry, unsigned int vcpu, uint64_t val);

#endif
