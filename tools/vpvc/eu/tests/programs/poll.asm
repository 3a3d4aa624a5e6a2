// SPDX-License-Identifier: MIT
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
