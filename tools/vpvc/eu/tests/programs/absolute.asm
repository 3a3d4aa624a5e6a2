// SPDX-License-Identifier: MIT
// The test makes the call a calla, which iga64 does not write to addresses
// outside of the program.
	mov (32|M0) r10.0<1>:d r2.0<1;1,0>:d
	call (32|M0) r4.0 FUNCTION
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 1000:d
	(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT}
FUNCTION:
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 100:d
	ret (32|M0) r4.0
