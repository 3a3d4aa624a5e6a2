// SPDX-License-Identifier: MIT
// The programs of the tests, in the order of their names. rebuild.sh assembles each by itself,
// from the line that names it to the next such line.

// program: absolute
// The test makes the call a calla, which iga64 does not write to addresses
// outside of the program.
	mov (32|M0) r10.0<1>:d r2.0<1;1,0>:d
	call (32|M0) r4.0 FUNCTION
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 1000:d
	(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT}
FUNCTION:
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 100:d
	ret (32|M0) r4.0

// program: branches
// r2: a number a lane; r10: the sum. Nested if and else.
	mov (32|M0) r10.0<1>:d 0:d
	cmp (32|M0) (gt)f0.0 null<1>:d r2.0<1;1,0>:d 10:d
	(f0.0) if (32|M0) ELSE_1 END_1
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 1:d
	cmp (32|M0) (gt)f1.0 null<1>:d r2.0<1;1,0>:d 20:d
	(f1.0) if (32|M0) END_2 END_2
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 10:d
END_2:
	endif (32|M0) ELSE_0
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 100:d
ELSE_0:
	else (32|M0) END_1 END_1
ELSE_1:
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 1000:d
	cmp (32|M0) (lt)f1.0 null<1>:d r2.0<1;1,0>:d 5:d
	(~f1.0) if (32|M0) ELSE_3 END_3
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 10000:d
	else (32|M0) END_3 END_3
ELSE_3:
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 100000:d
END_3:
	endif (32|M0) END_1
END_1:
	endif (32|M0) NEXT
NEXT:
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 1000000:d
	(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT}

// program: calls
// r2: a number a lane; r10: the sum. Some channels return early.
	mov (32|M0) r10.0<1>:d 0:d
	call (32|M0) r4.0 FUNCTION
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 1:d
	cmp (32|M0) (gt)f0.0 null<1>:d r2.0<1;1,0>:d 12:d
	(f0.0) call (32|M0) r4.0 FUNCTION
	join (32|M0) END
END:
	(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT}
FUNCTION:
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 10:d
	cmp (32|M0) (gt)f1.0 null<1>:d r2.0<1;1,0>:d 16:d
	(f1.0) ret (32|M0) r4.0
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 1000:d
	cmp (32|M0) (lt)f1.0 null<1>:d r2.0<1;1,0>:d 5:d
	(f1.0) ret (32|M0) r4.0
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 100000:d
	ret (32|M0) r4.0

// program: deadlock
// The first thread of a group ends at once; the others signal a barrier of three
// and wait for it.
	(W) and (1|M0) r3.0<1>:ud r0.2<0;1,0>:ud 0xFF:ud
	(W) mov (8|M0) r4.0<1>:ud 0x0:ud
	(W) mov (1|M0) r4.2<1>:ud 0x03030000:ud
	(W) cmp (1|M0) (eq)f0.0 null<1>:ud r3.0<0;1,0>:ud 0x0:ud
	(W&f0.0) jmpi END
	(W) send.gtwy (1|M0) null r4 null:0 0x0 0x02000004
	(W) sync.bar 0x0
END:
	(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT}

// program: fill
// A thread of a fill: r1.0 the byte, r0.1 and r0.6 the group, which writes a row
// of 16 bytes. Nothing in it is NoMask.
	mov (4|M0) r1.0<1>:ub r1.0<0;1,0>:ub
	shl (1|M0) r2.0<1>:ud r0.1<0;1,0>:ud 0x4:ud
	mov (1|M0) r2.1<1>:ud r0.6<0;1,0>:ud
	mov (8|M0) r4.0<1>:ud 0x0:ud
	mov (16|M0) r5.0<1>:ud r1.0<0;1,0>:ud
	mov (2|M0) r4.0<1>:ud r2.0<2;2,1>:ud
	mov (1|M0) r4.2<1>:ud 0xF:ud
	mov (1|M0) r4.4<1>:ud r0.5<0;1,0>:ud
	send.dc1 (16|M0) null r4 null:0 0x0 0x040A8000
	(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT}

// program: halts
// Channels that halt wait for the last halt; brd and brc; an unconditional jump
// through a register.
	mov (32|M0) r10.0<1>:d 0:d
	cmp (32|M0) (gt)f0.0 null<1>:d r2.0<1;1,0>:d 10:d
	(f0.0) if (32|M0) ENDIF_1 ENDIF_1
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 1:d
	cmp (32|M0) (gt)f1.0 null<1>:d r2.0<1;1,0>:d 20:d
	(f1.0) halt (32|M0) ENDIF_1 AFTER
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 10:d
ENDIF_1:
	endif (32|M0) LAST
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 100:d
LAST:
	halt (32|M0) AFTER AFTER
AFTER:
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 1000:d
	cmp (32|M0) (lt)f0.0 null<1>:d r2.0<1;1,0>:d 15:d
	(f0.0) brc (32|M0) JOIN_1 JOIN_1
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 10000:d
	cmp (32|M0) (eq)f0.0 null<1>:d r2.0<1;1,0>:d 17:d
	(f0.0) brc (32|M0) JOIN_1 JOIN_1
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 100000:d
JOIN_1:
	join (32|M0) NEXT
NEXT:
	cmp (32|M0) (lt)f0.0 null<1>:d r2.0<1;1,0>:d 9:d
	(f0.0) brd (32|M0) LOW
BACK:
	join (32|M0) OVER
OVER:
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 1000000:d
	(W) mov (1|M0) r30.0<1>:d 48:d
	(W) jmpi r30.0
	(W) mov (32|M0) r10.0<1>:d 0:d
	(W) mov (32|M0) r10.0<1>:d 0:d
	(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT}
LOW:
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 10000000:d
	brd (32|M0) BACK

// program: host
// Waits for the host.
	sync.host null
	(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT}

// program: indexed
// movi: lane i takes the dword of r20 that a0.i names.
	(W) mov (16|M0) a0.0<1>:uw r2.0<2;1,0>:uw
	movi (16|M0) r10.0<1>:ud r[a0.0]<1;1,0>:ud null<1;1,0>:ud
	(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT}

// program: loops
// r2: a number a lane; r10: the sum; r12: turns. A loop with break and cont in
// conditional blocks, and another loop inside.
	mov (32|M0) r10.0<1>:d 0:d
	mov (32|M0) r12.0<1>:d 0:d
DO:
	add (32|M0) r12.0<1>:d r12.0<1;1,0>:d 1:d
	cmp (32|M0) (eq)f0.0 null<1>:d r12.0<1;1,0>:d r2.0<1;1,0>:d
	(f0.0) if (32|M0) ENDIF_1 ENDIF_1
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 100000:d
	break (32|M0) ENDIF_1 WHILE
ENDIF_1:
	endif (32|M0) WHILE
	and (32|M0) (ne)f0.0 r20.0<1>:d r12.0<1;1,0>:d 1:d
	(f0.0) cont (32|M0) WHILE WHILE
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 1000:d
	mov (32|M0) r14.0<1>:d 0:d
DO_2:
	add (32|M0) r14.0<1>:d r14.0<1;1,0>:d 1:d
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 1:d
	cmp (32|M0) (gt)f1.0 null<1>:d r14.0<1;1,0>:d 3:d
	(f1.0) break (32|M0) WHILE_2 WHILE_2
	cmp (32|M0) (lt)f1.0 null<1>:d r14.0<1;1,0>:d r2.0<1;1,0>:d
WHILE_2:
	(f1.0) while (32|M0) DO_2
	cmp (32|M0) (lt)f0.0 null<1>:d r12.0<1;1,0>:d 8:d
WHILE:
	(f0.0) while (32|M0) DO
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 1000000:d
	(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT}

// program: poll
// Barrier 1 as compilers wait for it without optimisation: signal, poll bit 0 of
// n0.0 whichever barrier it is, then take the notification of this one.
	(W) mov (8|M0) r4.0<1>:ud 0x0:ud
	(W) mov (1|M0) r4.2<1>:ud 0x03030001:ud
	(W) send.gtwy (1|M0) null r4 null:0 0x0 0x02000004
POLL:
	(W) and (1|M0) (eq)f0.0 null<1>:ud n0.0<0;1,0>:ud 0x1:ud
	(W&f0.0) while (1|M0) POLL
	(W) sync.bar 0x1
	(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT}

// program: registers
// Channels whose number in r2 is 0 wait at the join; what flow control, debug,
// dependency and notification registers say meanwhile. dbg0.0 and n0.1 are
// written; the host's notification is taken by the wait for it.
	cmp (32|M0) (eq)f0.0 null<1>:ud r2.0<1;1,0>:ud 0x0:ud
	(f0.0) goto (32|M0) OUT OUT
	(W) mov (32|M0) r10.0<1>:ud fc0.0<1;1,0>:ud
	(W) mov (1|M0) r11.15<1>:ud fc0.17<0;1,0>:ud
	(W) mov (1|M0) r12.0<1>:ud fc1.0<0;1,0>:ud
	(W) mov (1|M0) r12.1<1>:ud ce0.0<0;1,0>:ud
	(W) mov (8|M0) r13.0<1>:uw tdr0.0<1;1,0>:uw
	(W) mov (1|M0) r12.2<1>:ud dbg0.1<0;1,0>:ud
	(W) mov (1|M0) dbg0.0<1>:ud 0x5A5A1234:ud
	(W) mov (1|M0) r12.3<1>:ud dbg0.0<0;1,0>:ud
	(W) mov (1|M0) n0.1<1>:ud 0x2:ud
	sync.host null
	(W) mov (1|M0) r12.4<1>:ud n0.1<0;1,0>:ud
	(W) mov (1|M0) r12.5<1>:ud n0.0<0;1,0>:ud
OUT:
	join (32|M0) END
END:
	(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT}

// program: start
// Stores where the thread began, relative to the general state base.
	nop
	(W) mov (1|M0) r10.0<1>:ud dbg0.1<0;1,0>:ud
	(W) send.ugm (1|M0) null r1 r10:1 0xFF000000 0x62000504
	(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT}

// program: stochastic
// r2, r3: floats; r4, r5: random bits; halves to r10; their bytes to r12.
	srnd (32|M0) r10.0<1>:hf r2.0<1;1,0>:f r4.0<1;1,0>:f
	srnd (32|M0) r12.0<1>:bf8 r10.0<1;1,0>:hf r4.0<1;1,0>:hf
	(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT}

// program: surfaces
// Addresses in r2 are offsets into surfaces: the binding table's entry 3, a
// bindless one, one by its offset; then blocks of entry 4.
	(W) mov (1|M0) a0.0<1>:ud r5.0<0;1,0>:ud
	(W) mov (1|M0) a0.2<1>:ud r5.1<0;1,0>:ud
	send.ugm (16|M0) r10 r2 null:0 0x03000000 0x62100500
	send.ugm (16|M0) r11 r2 null:0 a0.0 0x22100500 {ExBSO}
	send.ugm (16|M0) r12 r2 null:0 a0.2 0x42100500 {ExBSO}
	send.ugm (16|M0) null r3 r10:1 0x03000000 0x62000504
	(W) mov (1|M0) a0.0<1>:ud r5.2<0;1,0>:ud
	(W) send.ugm (16|M0) r13 r2 null:0 0x03000000 a0.0
	(W) send.dc1 (16|M0) r14 r6 null:0 0x0 0x02190004
	(W) send.dc1 (16|M0) null r7 null:0 0x0 0x040A8004
	(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT}
