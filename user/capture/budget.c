/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "capture/budget.h"

#define AVERAGED 5	 /* seconds that count in the average, about */
#define NEAR 0.85	 /* of the budget: lower */
#define FAR 0.5		 /* higher again */
#define AIM 0.7		 /* what a new rate is expected to take */
#define STEP_DOWN 0.25	 /* at most, at once */
#define STEP_UP 1.25
#define PATIENCE_NS (10 * BUDGET_ROUND_NS) /* before it is raised again */
#define RATE_MIN 0.001

void budget_init(struct budget *b, double share, uint32_t cpus, uint64_t freq, double least_rate)
{
	*b = (struct budget){ .share = share, .cpus = cpus ? cpus : 1, .rate = 1, .least = 1, .lowest = 1, .rate_min = freq ? 1.0 / (double)freq : RATE_MIN };
	if (b->rate_min < least_rate)
		b->rate_min = least_rate;
}

static void measure(struct budget *b, uint64_t now_ns, uint64_t cost_ns)
{
	double used = (double)(cost_ns - b->cost_ns) / (double)(now_ns - b->at_ns) / b->cpus;

	b->nr_rounds += b->nr_rounds < AVERAGED;
	b->used += (used - b->used) / b->nr_rounds;
	b->at_ns = now_ns;
	b->cost_ns = cost_ns;
}

static double next_rate(const struct budget *b, uint64_t now_ns)
{
	double rate = b->rate;

	if (b->used > NEAR * b->share) {
		double factor = AIM * b->share / b->used;

		rate *= factor > STEP_DOWN ? factor : STEP_DOWN;
		return rate > b->rate_min ? rate : b->rate_min;
	}
	if (b->used > FAR * b->share || now_ns - b->changed_ns < PATIENCE_NS)
		return rate;
	return rate * STEP_UP < 1 ? rate * STEP_UP : 1;
}

bool budget_round(struct budget *b, uint64_t now_ns, uint64_t cost_ns)
{
	double rate;

	if (!b->has_begun) { /* what setting up took is not the rate's */
		b->has_begun = true;
		b->at_ns = now_ns;
		b->cost_ns = cost_ns;
		return false;
	}
	if (!b->share || now_ns <= b->at_ns || cost_ns < b->cost_ns)
		return false;
	measure(b, now_ns, cost_ns);
	rate = next_rate(b, now_ns);
	if (rate == b->rate)
		return false;
	b->used *= rate / b->rate; /* what it will be: the average still has seconds of the old rate */
	b->rate = rate;
	b->least = rate < b->least ? rate : b->least;
	b->lowest = rate < b->lowest ? rate : b->lowest;
	b->changed_ns = now_ns;
	b->nr_changes++;
	return true;
}

bool budget_is_passed(const struct budget *b)
{
	return b->share > 0 && b->rate <= b->rate_min && b->used > b->share;
}

double budget_least(struct budget *b)
{
	double least = b->least;

	b->least = b->rate;
	return least;
}
