/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Pictures for the eye: node tests/browser/shots.js page.html DIR writes DIR/{light,dark,...}.png. */
"use strict";
const path = require("node:path");
const { Browser } = require("./driver.js");

(async () => {
	const [, , page, dir] = process.argv, b = await Browser.open(), url = "file://" + path.resolve(page);
	const drawn = () => b.until("the picture", "return window.skep && skep.drawn");
	const shot = async (name, scheme, fragment, size) => {
		await b.scheme(scheme);
		await b.size(...size);
		await b.go("about:blank");
		await b.go(url + fragment);
		if (!fragment.includes("v=table")) await drawn();
		await b.shot(path.join(dir, name + ".png"));
	};
	try {
		await shot("light", "light", "", [1280, 800, 1]);
		await shot("dark", "dark", "", [1280, 800, 1]);
		await shot("search", "light", "#q=^tcp_&r=merged", [1280, 800, 1]);
		await shot("search-dark", "dark", "#q=exec", [1280, 800, 1]);
		await shot("icicle", "dark", "#v=icicle&z=6", [1280, 800, 1]);
		await shot("table", "light", "#v=table", [1280, 800, 1]);
		await shot("narrow", "light", "", [320, 760, 2]);
		await shot("narrow-dark", "dark", "#v=icicle", [320, 760, 2]);
		await shot("hidpi", "light", "#v=icicle&r=merged", [900, 500, 2]);
	} finally {
		await b.close();
	}
})();
