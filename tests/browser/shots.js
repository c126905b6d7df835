/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Pictures for the eye: node tests/browser/shots.js DIR TO writes TO/{light,dark,...}.png of the pages in DIR. */
"use strict";
const path = require("node:path");
const { Browser } = require("./driver.js");

(async () => {
	const [, , from, dir] = process.argv, b = await Browser.open();
	const shot = async (name, scheme, page, size) => {
		await b.scheme(scheme);
		await b.size(...size);
		await b.go("about:blank");
		await b.go("file://" + path.resolve(from, page));
		await b.until("the page", "return window.skep && (skep.drawn || skep.state.pane === 'table')");
		await b.shot(path.join(dir, name + ".png"));
	};
	const wide = [1400, 900, 1], half = [900, 700, 1], narrow = [400, 860, 2];
	try {
		await shot("light", "light", "real.html", wide);
		await shot("dark", "dark", "real.html", wide);
		await shot("half", "light", "real.html#r=merged", half);
		await shot("half-dark", "dark", "real.html#v=icicle&z=6", half);
		await shot("narrow", "light", "real.html", narrow);
		await shot("narrow-dark", "dark", "views.html", narrow);
		await shot("search", "light", "real.html#q=^tcp_&r=merged", wide);
		await shot("inverted", "light", "real.html#r=inverted&b=object", wide);
		await shot("share", "dark", "real.html#r=merged&b=share", wide);
		await shot("table", "light", "real.html#p=table", wide);
		await shot("span", "light", "views.html#w=60-156", wide);
		await shot("sandwich", "dark", "views.html#n=2&r=merged", wide);
		await shot("sleepers", "light", "views.html#t=2", half);
		await shot("change", "light", "diff.html", wide);
		await shot("change-dark", "dark", "diff.html#s=difference", half);
	} finally {
		await b.close();
	}
})();
