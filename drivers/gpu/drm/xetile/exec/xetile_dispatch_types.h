/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_DISPATCH_TYPES_H__
#define __XETILE_DISPATCH_TYPES_H__

#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/types.h>

/**
 * DOC: what gangs, their clients and the dispatcher are made of
 *
 * Embedded by the owner of the dispatcher, and read by it; xetile_dispatch*.c alone change them,
 * where nothing else is said.
 */

#define XETILE_DISPATCH_ENGINES	64
/* Numbers that the owner may give to places: groups of so many each */
#define XETILE_DISPATCH_GROUP	32
#define XETILE_DISPATCH_GROUPS	5
#define XETILE_DISPATCH_PLACES	(XETILE_DISPATCH_GROUPS * XETILE_DISPATCH_GROUP)
#define XETILE_GANG_MEMBERS	4
#define XETILE_DISPATCH_PRIORITIES	3
#define XETILE_DISPATCH_DOMAINS	4
#define XETILE_DISPATCH_NONE	0xff
#define XETILE_DISPATCH_NEVER	(~(u64)0)

struct xetile_dispatch;
struct xetile_gang;

/** enum xetile_gang_state - where a gang is; see the diagram in xetile_dispatch.c */
enum xetile_gang_state {
	/** @XETILE_GANG_IDLE: owns no engine and waits for none */
	XETILE_GANG_IDLE,
	/** @XETILE_GANG_READY: has work and waits for its engines */
	XETILE_GANG_READY,
	/** @XETILE_GANG_RUNNING: owns its engines */
	XETILE_GANG_RUNNING,
	/** @XETILE_GANG_STOPPING: owns its engines, asked to leave them */
	XETILE_GANG_STOPPING,
};

/** enum xetile_gang_stands - lines that a waiting gang stands for; see xetile_dispatch_line.c */
enum xetile_gang_stands {
	/** @XETILE_GANG_IN_LINE: itself alone */
	XETILE_GANG_IN_LINE,
	/** @XETILE_GANG_FIRST_OF_LINE: its line */
	XETILE_GANG_FIRST_OF_LINE,
	/** @XETILE_GANG_FIRST_OF_SET: its line, and its set, of which it is the next to start */
	XETILE_GANG_FIRST_OF_SET,
};

/** struct xetile_gang_member - one context of a gang */
struct xetile_gang_member {
	/**
	 * @candidates: engines it may run on, disjoint from the other members'; one
	 * engine, if there are other members. Fixed while the gang waits.
	 */
	u64 candidates;
	/** @engine: engine it owns, or owned last; XETILE_DISPATCH_NONE: none yet */
	u8 engine;
	/** @domain: number of the domain of its candidates. Fixed as these are */
	u8 domain;
	/** @mode: mode that it wants the domain to be in; 0: any. Fixed as the candidates are */
	u8 mode;
	/** @loaded: handed to the engine, and not yet back from it */
	bool loaded;
};

/** struct xetile_dispatch_use - use of a place; see xetile_dispatch_share.c */
struct xetile_dispatch_use {
	/** @used: engine time that was used, or paid for in advance, by weight */
	u64 used;
	/** @paid: how much of @used is paid for, and not used yet */
	u64 paid;
};

/** struct xetile_dispatch_account - use of a place by a client, at one priority */
struct xetile_dispatch_account {
	/** @use: what it has used there, by the weights of its gangs */
	struct xetile_dispatch_use use;
	/** @clock: how far its own gangs are there */
	u64 clock;
};

/** struct xetile_dispatch_client - client, whose gangs share engines with those of other clients */
struct xetile_dispatch_client {
	/** @lines: its lines, by their first gangs' @mine */
	struct list_head lines;
	/**
	 * @accounts: by priority and group of places, arrays of XETILE_DISPATCH_GROUP accounts,
	 *	zeroed; NULL where the client has no gangs. The owner makes and frees them
	 */
	struct xetile_dispatch_account *accounts[XETILE_DISPATCH_PRIORITIES]
						[XETILE_DISPATCH_GROUPS];
};

/** struct xetile_gang - contexts that start together or not at all */
struct xetile_gang {
	/** @state: only the dispatcher changes it */
	enum xetile_gang_state state;
	/** @client: client of the gang */
	struct xetile_dispatch_client *client;
	/** @priority: 0 low .. XETILE_DISPATCH_PRIORITIES - 1 high */
	unsigned int priority;
	/** @rank: the priority it waits, or runs, at: @priority, or a higher one: it was raised */
	unsigned int rank;
	/**
	 * @place: number of what it wants: gangs that want the same have the same; those that want
	 *	something else should have another. Fixed as the candidates are
	 */
	u8 place;
	/** @num_members: valid elements of @members, at least 1 */
	unsigned int num_members;
	/** @members: the contexts */
	struct xetile_gang_member members[XETILE_GANG_MEMBERS];
	/* The owner may change these four whenever it is told to run the gang. */
	/** @weight: its share beside other gangs of its client, and the client's beside others */
	unsigned int weight;
	/** @slice_ns: engine time before another gang of its priority gets its turn */
	u64 slice_ns;
	/** @limit_ns: engine time a batch may take, or XETILE_DISPATCH_NEVER */
	u64 limit_ns;
	/** @leave_ns: time it may take to leave its engines when asked to */
	u64 leave_ns;
	/**
	 * @lenient: a gang that hangs goes on without the batch that hangs, or with it, if the gang
	 *	left its engines meanwhile: then it is reported again. Never changes.
	 */
	bool lenient;
	/** @yields: gives its engine up early to others while it waits in a batch; never changes */
	bool yields;
	/** @spins: @yields, and has waited in its batch since it got its engines */
	bool spins;
	/** @spun: it had @spins in its last turn */
	bool spun;
	/** @work: has unfinished batches */
	bool work;
	/** @hung: reported as hung */
	bool hung;
	/** @stuck: @hung because it did not leave in time, not because of @limit_ns */
	bool stuck;
	/** @holds: suspended while not 0 */
	unsigned int holds;
	/** @dispatched_ns: when it got its engines */
	u64 dispatched_ns;
	/** @charged_ns: until when its use of the engines is in @use, and in its account */
	u64 charged_ns;
	/** @use: what it has used at @used_place */
	struct xetile_dispatch_use use;
	/** @used_place: the place that it wanted, or wants; XETILE_DISPATCH_NONE: none yet */
	u8 used_place;
	/** @stopped_ns: when it was to leave its engines, or when the last of them was asked */
	u64 stopped_ns;
	/** @since_ns: when its oldest batch began to use, or got back, the engines */
	u64 since_ns;
	/** @waits_ns: time since which its work has had no whole turn */
	u64 waits_ns;
	/** @ran_ns: engine time of its oldest batch before @since_ns */
	u64 ran_ns;
	/** @stands: lines that the gang stands for while it waits */
	enum xetile_gang_stands stands;
	/** @at: its place in its line: those with less come before */
	u64 at;
	/** @in_line: among the gangs of its line, by @at */
	struct rb_node in_line;
	/** @line: first of its line: the gangs of its client that wait for the same engines */
	struct rb_root_cached line;
	/** @mine: first of its line: in &xetile_dispatch_client.lines */
	struct list_head mine;
	/** @line_at: first of its line: the line's place in its set, likewise */
	u64 line_at;
	/** @in_set: first of its line: among the lines of its set, by @line_at */
	struct rb_node in_set;
	/** @lines: first of its set: the lines of the set */
	struct rb_root_cached lines;
	/** @turn: first of its line: among the lines of its set, by @turn_no: a ring */
	struct list_head turn;
	/** @turn_no: first of its line: a turn of the set, after those with lower numbers */
	u64 turn_no;
	/** @set: first of its set: in &xetile_dispatch.ready */
	struct list_head set;
	/** @kept_ns: first of its set: time since which nobody of the set had a whole turn */
	u64 kept_ns;
};

/** struct xetile_dispatch_ops - requests and reports of the dispatcher to its owner */
struct xetile_dispatch_ops {
	/** @run: (re)load every member's context, with all its work, on its engine */
	void (*run)(struct xetile_dispatch *dispatch, struct xetile_gang *gang);
	/** @stop: ask the engines of members that are on to switch away */
	void (*stop)(struct xetile_dispatch *dispatch, struct xetile_gang *gang);
	/** @left: the gang has left all its engines */
	void (*left)(struct xetile_dispatch *dispatch, struct xetile_gang *gang);
	/** @hung: the oldest batch used up its time, or the gang does not leave; told once */
	void (*hung)(struct xetile_dispatch *dispatch, struct xetile_gang *gang);
	/** @mode: put a domain, of which no engine is owned, in another mode */
	void (*mode)(struct xetile_dispatch *dispatch, unsigned int domain, unsigned int mode);
	/**
	 * @quiet: have the engines of a domain, of which none is owned, no context any more? If
	 *	not, xetile_dispatch_settled() follows
	 */
	bool (*quiet)(struct xetile_dispatch *dispatch, unsigned int domain);
};

/** struct xetile_dispatch_domain - engines that are in one mode; see xetile_dispatch_epoch.c */
struct xetile_dispatch_domain {
	/** @engines: mask of them; no other domain has any of these */
	u64 engines;
	/** @mode: the mode that they are in */
	unsigned int mode;
	/** @began_ns: when the domain came into @mode */
	u64 began_ns;
	/** @until_ns: gangs that want @mode have their turns until then at least */
	u64 until_ns;
	/** @over_ns: if @asked: when gangs of the rank that decides may end the epoch */
	u64 over_ns;
	/** @asked: @over_ns is known */
	bool asked;
	/** @kept: in the present look: no other mode may come */
	bool kept;
	/** @next: in the present look: the mode that is to come, or 0; no other gang may start */
	unsigned int next;
	/** @rank: with @next: the rank of the gang that wants it */
	unsigned int rank;
};

/** struct xetile_dispatch - the dispatcher of a card; its owner serializes all calls */
struct xetile_dispatch {
	/** @ops: operations of the owner */
	const struct xetile_dispatch_ops *ops;
	/** @usable: engines that may be given out */
	u64 usable;
	/** @owned: engines that have an owner */
	u64 owned;
	/** @owners: gang that owns the engine, or NULL */
	struct xetile_gang *owners[XETILE_DISPATCH_ENGINES];
	/** @clocks: by rank and place: how far clients are there; see xetile_dispatch_share.c */
	u64 clocks[XETILE_DISPATCH_PRIORITIES][XETILE_DISPATCH_PLACES];
	/** @raised_ns: by rank: when a gang that could have the engine was last raised from it */
	u64 raised_ns[XETILE_DISPATCH_PRIORITIES][XETILE_DISPATCH_ENGINES];
	/** @ready: of each priority the first gangs of the sets that wait, by their turns */
	struct list_head ready[XETILE_DISPATCH_PRIORITIES];
	/** @domains: engines by their modes; those without @engines do not exist */
	struct xetile_dispatch_domain domains[XETILE_DISPATCH_DOMAINS];
	/**
	 * @mixed: a gang may wait that wants another mode than its domains are in. If not, each
	 *	gang that waits fits, and no domain has a next mode.
	 */
	bool mixed;
	/** @last_turn: the last &xetile_gang.turn_no given to a line */
	u64 last_turn;
	/** @changed: an engine or a line changed since the slices were looked at */
	bool changed;
	/** @slices_ns: if not @changed, when the next slice, or wait, that matters is over */
	u64 slices_ns;
	/** @looks: how often a gang was looked at: the cost of the dispatcher's work */
	u64 looks;
};

/**
 * xetile_gang_is_off() - whether a gang is off its engines
 * @gang: the gang
 *
 * Context: the execution lock is held.
 * Return: true if it owns none.
 */
static inline bool xetile_gang_is_off(const struct xetile_gang *gang)
{
	return gang->state == XETILE_GANG_IDLE || gang->state == XETILE_GANG_READY;
}

#endif
