// SPDX-License-Identifier: MIT
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
