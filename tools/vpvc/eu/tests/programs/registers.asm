// SPDX-License-Identifier: MIT
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
