// SPDX-License-Identifier: MIT
// movi: lane i takes the dword of r20 that a0.i names.
	(W) mov (16|M0) a0.0<1>:uw r2.0<2;1,0>:uw
	movi (16|M0) r10.0<1>:ud r[a0.0]<1;1,0>:ud null<1;1,0>:ud
	(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT}
