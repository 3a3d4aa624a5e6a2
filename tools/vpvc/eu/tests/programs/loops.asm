// SPDX-License-Identifier: MIT
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
