/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Stacks that are not as others. Burns CPU at their ends, in burn().
 * usage: strange mappings|coroutines|dropped|red SECONDS
 */
#include <setjmp.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "burn.h"

#define PAGE 4096ul
#define MAPPINGS 2000
#define NESTED 20
#define STACK_BYTES (64 * PAGE)
#define DEEP 200

static void *map(size_t bytes, int prot, int fd)
{
	void *mem = mmap(NULL, bytes, prot, fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);

	if (mem == MAP_FAILED) {
		perror("strange: mmap");
		exit(1);
	}
	return mem;
}

typedef void chain(void **next);

/* push %rbp; mov %rsp, %rbp; lea 8(%rdi), %rsi; mov (%rdi), %rax; mov %rsi, %rdi; call *%rax; pop %rbp; ret */
static const unsigned char link_code[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x8d, 0x77, 0x08, 0x48, 0x8b,
					   0x07, 0x48, 0x89, 0xf7, 0xff, 0xd0, 0x5d, 0xc3 };

/* So many executable mappings, with a gap behind each; calls lead through some of them. */
static void mappings(double end)
{
	static void *links[NESTED + 1];
	char *code = map(2 * PAGE * MAPPINGS, PROT_READ | PROT_WRITE, -1);
	unsigned long state = 1;

	for (int i = 0; i < MAPPINGS; i++) {
		memcpy(code + 2 * PAGE * i, link_code, sizeof(link_code));
		if (mprotect(code + 2 * PAGE * i, PAGE, PROT_READ | PROT_EXEC))
			exit(1);
	}
	while (cpu_s() < end) {
		for (int i = 0; i < NESTED; i++)
			links[i] = code + 2 * PAGE * (unsigned long)(uniform(&state) * MAPPINGS);
		links[NESTED] = burn;
		((chain *)links[0])(links + 1);
	}
}

/*
 * Each calls f on the stack that ends at top. on_stack() says where it came from; on_end(), that nobody called; behind on_bare(), from
 * which f does not return, is a number that is no address of code.
 */
void on_stack(void (*f)(void), void *top);
void on_end(void (*f)(void), void *top);
void on_bare(void (*f)(void), void *top);
#define FUNCTION(name, code) \
	__asm__(".text\n.type " name ", @function\n" name ":\n.cfi_startproc\n" code ".cfi_endproc\n.size " name ", .-" name "\n")
#define CALL_THERE(end)                                                                                       \
	"push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp, -16\nmov %rsp, %rbp\n.cfi_def_cfa_register %rbp\n" \
	"mov %rsi, %rsp\n" end "call *%rdi\n"                                                                 \
	"mov %rbp, %rsp\npop %rbp\n.cfi_def_cfa %rsp, 8\nret\n"
FUNCTION("on_stack", CALL_THERE(""));
FUNCTION("on_end", CALL_THERE(".cfi_undefined %rip\n"));
FUNCTION("on_bare", "mov %rsi, %rsp\npush $0x1234\njmp *%rdi\n");

static char *low, *high; /* tops of two stacks */
static ucontext_t outside, inside;
static jmp_buf back;

NOINLINE static void co_context(void)
{
	burn();
	sink_of_work++;
	swapcontext(&inside, &outside);
}

NOINLINE static void co_stack(void)
{
	burn();
	sink_of_work++;
}

NOINLINE static void co_end(void)
{
	burn();
	sink_of_work++;
}

NOINLINE static void co_up(void)
{
	burn();
	sink_of_work++;
}

NOINLINE static void to_up(void)
{
	on_stack(co_up, high);
	sink_of_work++;
}

NOINLINE static void co_bare(void)
{
	burn();
	longjmp(back, 1);
}

static void coroutines(double end)
{
	low = map(3 * STACK_BYTES, PROT_READ | PROT_WRITE, -1) + STACK_BYTES;
	high = low + 2 * STACK_BYTES;
	while (cpu_s() < end) {
		getcontext(&inside);
		inside.uc_stack = (stack_t){ .ss_sp = low - STACK_BYTES, .ss_size = STACK_BYTES };
		makecontext(&inside, co_context, 0);
		swapcontext(&outside, &inside);
		on_stack(co_stack, low);
		on_end(co_end, low);
		on_stack(to_up, low);
		if (!setjmp(back))
			on_bare(co_bare, low);
	}
}

static char *top;

/* Has all pages of the stack dropped but those of the last frames. Nobody touches them before burn() is over. */
NOINLINE static void deep(int n)
{
	volatile char frame[PAGE / 4];
	char *here = (char *)(((unsigned long)frame & -PAGE) + 4 * PAGE);

	frame[0] = (char)n;
	if (n)
		deep(n - 1);
	else if (!madvise(here, (size_t)(top - here), MADV_DONTNEED))
		burn();
	sink_of_work += frame[0];
}

NOINLINE static void co_dropped(void)
{
	deep(DEEP);
	sink_of_work++;
}

/* On a stack that is a file's. */
static void dropped(double end)
{
	FILE *f = tmpfile();

	if (!f || ftruncate(fileno(f), 2 * STACK_BYTES))
		exit(1);
	top = (char *)map(2 * STACK_BYTES, PROT_READ | PROT_WRITE, fileno(f)) + 2 * STACK_BYTES;
	while (cpu_s() < end)
		on_stack(co_dropped, top);
}

/* A leaf that has its CFA below its stack pointer, and its caller's rbp there, too. */
void red_zone(long n);
FUNCTION("red_zone", "lea 8(%rsp), %rax\nmov %rax, -120(%rsp)\nmov %rbp, -16(%rsp)\n"
		     ".cfi_escape 0x0f, 4, 0x77, 0x88, 0x7f, 0x06\n.cfi_offset %rbp, -24\nxor %ebp, %ebp\n"
		     "1: dec %rdi\njnz 1b\nmov -16(%rsp), %rbp\n.cfi_def_cfa %rsp, 8\n.cfi_same_value %rbp\nret\n");

static void red(double end)
{
	while (cpu_s() < end)
		red_zone(1000000);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(double end);
	} modes[] = { { "mappings", mappings }, { "coroutines", coroutines }, { "dropped", dropped }, { "red", red } };
	double seconds = argc == 3 ? atof(argv[2]) : 0;

	slice = seconds / 50;
	for (size_t i = 0; seconds > 0 && i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (!strcmp(argv[1], modes[i].name)) {
			modes[i].run(cpu_s() + seconds);
			return 0;
		}
	}
	return 2;
}
