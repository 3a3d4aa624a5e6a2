/* SPDX-License-Identifier: MIT */
/*
 * Graphs: launches of a queue that are written once and submitted many times. <xetile.h> includes
 * this file.
 */
#ifndef _XETILE_GRAPH_H_
#define _XETILE_GRAPH_H_

#ifndef _XETILE_H_
#error "include <xetile.h>"
#endif

#if defined(__cplusplus)
extern "C" {
#endif

struct xetile_graph;

/**
 * xetile_graph_create() - make a graph without launches
 * @queue: the compute queue that it is submitted to; destroy the graph before the queue
 * @out: the graph
 *
 * Like a queue, a graph is used by one thread at a time, and by none while another one uses its
 * queue.
 *
 * Return: 0; -EINVAL for a queue of another class; -ENOMEM.
 */
int xetile_graph_create(struct xetile_queue *queue, struct xetile_graph **out);

/**
 * xetile_graph_destroy() - free a graph
 * @graph: may be NULL
 *
 * The call waits for the work of its submissions. If the wait fails, as when the card is gone, the
 * graph's memory stays allocated until the context is destroyed.
 */
void xetile_graph_destroy(struct xetile_graph *graph);

/**
 * xetile_graph_add_launch() - add a launch behind those that a graph has
 * @graph: a graph that was not submitted yet
 * @kernel: a kernel with all arguments set. They are frozen: the caller may change, launch or
 *	destroy the kernel right after the call. Its module, and the memory that the arguments name,
 *	must stay as they are until the graph is destroyed: the graph holds addresses only, and a
 *	launch that finds nothing there ends as a page fault.
 * @desc: the description
 *
 * The launch begins when the one before has ended on all tiles. A call that fails leaves the graph
 * as it was.
 *
 * Return: 0; -EINVAL, and the text names the wrong argument or size, or the graph was submitted;
 * -EOPNOTSUPP for a second launch in a graph of a queue of several tiles with XETILE_QUEUE_REPLAY,
 * because its tiles wait for each other between the two; -ENOSPC, -ENOMEM.
 */
int xetile_graph_add_launch(struct xetile_graph *graph, struct xetile_kernel *kernel,
			    const struct xetile_launch_desc *desc);

/**
 * xetile_graph_submit() - run all launches of a graph, in their order
 * @graph: a graph with a launch or more
 * @num_waits: elements at @waits
 * @waits: the first launch starts after these events; NULL: none
 * @out: event of the last launch's end, or NULL. Its times (XETILE_QUEUE_TIMES) are those of all
 *	launches together
 *
 * All launches are one batch of the driver, for which one time limit counts, and one ioctl; what
 * was added is not written again. A graph may be submitted again before it has ended: a queue runs
 * its submissions one after the other. With 64 submissions in flight on the queue the call waits
 * until half of them have ended.
 *
 * Return: 0; -EINVAL for a graph without launches; errors of xetile_launch().
 */
int xetile_graph_submit(struct xetile_graph *graph, unsigned int num_waits,
			struct xetile_event *const *waits, struct xetile_event **out);

#if defined(__cplusplus)
}
#endif

#endif
