// SPDX-License-Identifier: MIT
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
