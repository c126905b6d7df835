// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// tests/work/probed.c in C++: a namespace, a base class, overloads, templates, by reference.
#include <cstdio>
#include <string>

#define NOINLINE __attribute__((noinline, noclone, noipa))

static volatile long sink;

namespace shapes {
struct Base {
	int depth = 0;
	virtual ~Base() = default;
};

class Box {
public:
	Box(int w, int h) : width(w), height(h) {}
	NOINLINE long area(int scale) const
	{
		sink = scale;
		return static_cast<long>(width) * height * scale;
	}

private:
	int width, height;
};

struct Named : Base {
	const char *tag;
	explicit Named(const char *t, int d) : tag(t) { depth = d; }
	NOINLINE int length()
	{
		sink = depth;
		return depth;
	}
};

NOINLINE int total(const Box &b, int n)
{
	sink = n;
	return static_cast<int>(b.area(1)) + n;
}
} // namespace shapes

template <typename T> NOINLINE T twice(T v)
{
	sink = static_cast<long>(v);
	return v * 2;
}

NOINLINE void over(int v)
{
	sink = v;
}

NOINLINE void over(long v)
{
	sink = v;
}

int main()
{
	for (int i = 0; i < 4; i++) {
		shapes::Box b(3 + i, 7);
		shapes::Named n(i & 1 ? "odd" : "even", 40 + i);

		b.area(i);
		std::printf("{\"fn\":\"area\",\"scale\":%d,\"w\":%d,\"h\":7}\n", i, 3 + i);
		n.length();
		std::printf("{\"fn\":\"length\",\"d\":%d,\"t\":\"%s\"}\n", 40 + i, n.tag);
		twice<int>(i * 3);
		std::printf("{\"fn\":\"twice_int\",\"v\":%d}\n{\"fn\":\"twice\"}\n", i * 3);
		twice<long>(i * 5l);
		std::printf("{\"fn\":\"twice\"}\n");
		over(i);
		std::printf("{\"fn\":\"over\",\"v\":%d}\n", i);
		over(-1l - i);
		std::printf("{\"fn\":\"over\",\"v\":%d}\n", -1 - i);
	}
	shapes::Box last(1, 2);

	shapes::total(last, 99);
	std::printf("{\"fn\":\"total\",\"n\":99}\n{\"fn\":\"area\",\"scale\":1,\"w\":1,\"h\":2}\n");
	return 0;
}
