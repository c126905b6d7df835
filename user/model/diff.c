/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "model/diff.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define FEW 100 /* samples of a row on both sides: up to there the exact test, which looks at each way to divide them */
#define SAME 1e-7 /* two ways are as likely as each other: what rounding leaves */
#define BETA_STEPS 200
#define BETA_EPSILON 1e-12
#define TINY 1e-300

double diff_ratio(const struct diff_row *r)
{
	return r->before > 0 ? r->after / r->before : 0;
}

static double log_choose(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

double diff_fisher(uint64_t a, uint64_t all_a, uint64_t b, uint64_t all_b)
{
	uint64_t both = a + b, least = both > all_b ? both - all_b : 0, most = both < all_a ? both : all_a;
	double whole = log_choose((double)(all_a + all_b), (double)both), p = 0;
	double here = log_choose((double)all_a, (double)a) + log_choose((double)all_b, (double)b) - whole;

	for (uint64_t i = least; i <= most; i++) {
		double way = log_choose((double)all_a, (double)i) + log_choose((double)all_b, (double)(both - i)) - whole;

		if (way <= here + SAME)
			p += exp(way);
	}
	return p < 1 ? p : 1;
}

double diff_proportions(uint64_t a, uint64_t all_a, uint64_t b, uint64_t all_b)
{
	double n = (double)all_a, m = (double)all_b, pooled = n + m > 0 ? (double)(a + b) / (n + m) : 0;
	double deviation = n > 0 && m > 0 ? sqrt(pooled * (1 - pooled) * (1 / n + 1 / m)) : 0;

	return deviation > 0 ? erfc(fabs((double)a / n - (double)b / m) / deviation / sqrt(2)) : 1;
}

/* The continued fraction of the incomplete beta function, by Lentz's method (Numerical Recipes, "Incomplete Beta Function"). */
static double beta_fraction(double x, double a, double b)
{
	double c = 1, d = 1 - (a + b) * x / (a + 1), h;

	d = 1 / (fabs(d) < TINY ? TINY : d);
	h = d;
	for (int m = 1; m <= BETA_STEPS; m++) {
		double terms[2] = { m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)) };

		for (int i = 0; i < 2; i++) {
			d = 1 + terms[i] * d;
			d = 1 / (fabs(d) < TINY ? TINY : d);
			c = 1 + terms[i] / c;
			c = fabs(c) < TINY ? TINY : c;
			h *= d * c;
		}
		if (fabs(d * c - 1) < BETA_EPSILON)
			break;
	}
	return h;
}

/* The regularized incomplete beta function. */
static double beta(double x, double a, double b)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x));
	return x < (a + 1) / (a + b + 2) ? front * beta_fraction(x, a, b) / a : 1 - front * beta_fraction(1 - x, b, a) / b;
}

static double mean_of(const double *x, uint32_t n)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += x[i];
	return n ? sum / n : 0;
}

/* Of the mean of x. */
static double variance_of(const double *x, uint32_t n)
{
	double mean = mean_of(x, n), sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += (x[i] - mean) * (x[i] - mean);
	return sum / (n - 1) / n;
}

double diff_welch(const double *a, uint32_t nr_a, const double *b, uint32_t nr_b)
{
	double va = variance_of(a, nr_a), vb = variance_of(b, nr_b), v = va + vb, change = mean_of(a, nr_a) - mean_of(b, nr_b), freedom;

	if (v <= 0)
		return change == 0 ? 1 : 0;
	freedom = v * v / (va * va / (nr_a - 1) + vb * vb / (nr_b - 1));
	return beta(freedom / (freedom + change * change / v), freedom / 2, 0.5);
}

double diff_even(double weight, double squares)
{
	return squares > 0 ? weight * weight / squares : 0;
}

double diff_even_run(const struct report *t, uint32_t run, uint64_t *ret_samples)
{
	double weight = 0;

	*ret_samples = 0;
	for (size_t k = 0; k < t->rows.n; k++) {
		const struct report_sums *s = &t->group.sums.data[t->rows.data[k].sums + run];

		*ret_samples += s->self_count;
		weight += (double)s->self;
	}
	return diff_even(weight, t->group.squares[run]);
}

/* What a diff is made of, by run. */
struct runs {
	uint32_t n, nr_before;
	double *shares; /* of a row */
	uint64_t *counts; /* samples of all rows, by their effective number: diff_even() */
};

static uint64_t count_of(const struct runs *runs, const uint64_t *counts, bool before)
{
	uint64_t n = 0;

	for (uint32_t i = before ? 0 : runs->nr_before; i < (before ? runs->nr_before : runs->n); i++)
		n += counts[i];
	return n;
}

static double p_of(const struct runs *runs, const struct diff_row *r)
{
	uint64_t all_before = count_of(runs, runs->counts, true), all_after = count_of(runs, runs->counts, false);

	double counts, shares = 0;

	if (r->before_even + r->after_even <= FEW)
		counts = diff_fisher(r->before_even, all_before, r->after_even, all_after);
	else
		counts = diff_proportions(r->before_even, all_before, r->after_even, all_after);
	/* Of few runs that happen to be alike the variance is none: counts of samples still have theirs */
	if (runs->nr_before > 1 && runs->n - runs->nr_before > 1)
		shares = diff_welch(runs->shares, runs->nr_before, runs->shares + runs->nr_before, runs->n - runs->nr_before);
	return fmax(counts, shares);
}

/* Even if as many of them as can be were on one side? */
static bool are_few(const struct runs *runs, const struct diff_row *r)
{
	uint64_t all_before = count_of(runs, runs->counts, true), all_after = count_of(runs, runs->counts, false), n = r->before_even + r->after_even;
	uint64_t most_before = n < all_before ? n : all_before, most_after = n < all_after ? n : all_after;

	if (n > FEW)
		return false;
	return diff_fisher(most_before, all_before, n - most_before, all_after) >= DIFF_SIGNIFICANT &&
	       diff_fisher(n - most_after, all_before, most_after, all_after) >= DIFF_SIGNIFICANT;
}

static void fill(struct runs *runs, const struct report *t, const struct report_row *row, struct diff_row *r)
{
	uint32_t nr_after = runs->n - runs->nr_before;

	*r = (struct diff_row){ 0 };
	for (uint32_t i = 0; i < runs->n; i++) {
		const struct report_sums *s = &t->group.sums.data[row->sums + i];
		uint64_t whole = t->group.wholes[i];

		runs->shares[i] = whole ? (double)s->self / (double)whole : 0;
		*(i < runs->nr_before ? &r->before_count : &r->after_count) += s->self_count;
		*(i < runs->nr_before ? &r->before_even : &r->after_even) += (uint64_t)llround(runs->shares[i] * (double)runs->counts[i]);
		*(i < runs->nr_before ? &r->before_weight : &r->after_weight) += (double)s->self;
	}
	r->before = mean_of(runs->shares, runs->nr_before);
	r->after = mean_of(runs->shares + runs->nr_before, nr_after);
	r->before_weight /= runs->nr_before;
	r->after_weight /= nr_after;
	r->p = p_of(runs, r);
	r->few = are_few(runs, r);
}

static int least_likely_first(const void *a, const void *b)
{
	double x = (*(struct diff_row *const *)a)->p, y = (*(struct diff_row *const *)b)->p;

	return x < y ? -1 : x > y;
}

int diff_adjust(struct diff_row *rows, size_t n)
{
	struct diff_row **by_p = calloc(n + 1, sizeof(struct diff_row *));
	double least = 1;
	size_t tests = 0;

	if (!by_p)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		rows[i].q = 1;
		if (!rows[i].few)
			by_p[tests++] = &rows[i];
	}
	qsort(by_p, tests, sizeof(*by_p), least_likely_first);
	for (size_t i = tests; i-- > 0;) {
		double q = by_p[i]->p * (double)tests / (double)(i + 1);

		least = q < least ? q : least;
		by_p[i]->q = least;
	}
	free(by_p);
	return 0;
}

/* others: samples of the run that are in no row, and count as those that are. */
static void count_run(struct runs *runs, const struct report *t, uint32_t run, uint64_t others)
{
	uint64_t samples;
	double even = diff_even_run(t, run, &samples);

	runs->counts[run] = samples + others;
	if (even > 0 && even < (double)samples)
		runs->counts[run] = (uint64_t)llround((double)runs->counts[run] * even / (double)samples);
}

int diff_make(const struct report *t, uint32_t nr_before, const uint64_t *others, struct diff_row *ret_rows)
{
	struct runs runs = { t->group.nr, nr_before, calloc(t->group.nr, sizeof(double)), calloc(t->group.nr, sizeof(uint64_t)) };
	int ret = runs.shares && runs.counts ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < runs.n && !ret; i++)
		count_run(&runs, t, i, others ? others[i] : 0);
	for (size_t k = 0; k < t->rows.n && !ret; k++)
		fill(&runs, t, &t->rows.data[k], &ret_rows[k]);
	free(runs.shares);
	free(runs.counts);
	return ret ? ret : diff_adjust(ret_rows, t->rows.n);
}
