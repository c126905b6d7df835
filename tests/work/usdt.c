/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Four probes as <sys/sdt.h> would leave them, two of one name, one with a semaphore. The base in the notes is off by
 * 0x1000, as after prelink: addresses in them are too, and the truth that is printed is without.
 */
#include <stdio.h>

#define OFF "0x1000"

/* PC as the place, SEM as the semaphore or 0 */
#define NOTE(PLACE, SEM, NAME, ARGS)                                                       \
	".pushsection .note.stapsdt,\"?\",\"note\"\n.balign 4\n.4byte 992f-991f,994f-993f,3\n" \
	"991: .asciz \"stapsdt\"\n992: .balign 4\n993: .8byte " PLACE "-" OFF ", _.stapsdt.base-" OFF ", " SEM "\n" \
	".asciz \"skep\"\n.asciz \"" NAME "\"\n.asciz \"" ARGS "\"\n994: .balign 4\n.popsection\n"

#define BASE                                                                               \
	".ifndef _.stapsdt.base\n.pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"             \
	".weak _.stapsdt.base\n.hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n.size _.stapsdt.base,1\n.popsection\n.endif\n"

extern const char first_place[], second_place[], third_place[], last_place[];
unsigned short heard __asm__("heard") __attribute__((section(".probes")));

int main(void)
{
	__asm__ volatile(".globl first_place, second_place, third_place, last_place\n"
			 "first_place: nop\n" NOTE("first_place", "0", "request__start", "8@%rdi -4@8(%rsp)") BASE
			 "second_place: nop\n" NOTE("second_place", "heard-" OFF, "request__done", "-4@%eax")
			 "third_place: nop\n" NOTE("third_place", "0", "request__start", "8@%rsi -4@%edx")
			 "last_place: nop\n" NOTE("last_place", "0", "idle", ""));
	printf("probe request__start %p\nprobe request__done %p\nprobe request__start %p\nprobe idle %p\nsemaphore request__done %p\n",
	       (const void *)first_place, (const void *)second_place, (const void *)third_place, (const void *)last_place,
	       (const void *)&heard);
	return 0;
}
