// Hostile texts, and the check that a page that shows them is harmless.

import { type BrowserContext, expect, type Page } from "@playwright/test";

/** Nothing answers there; a request to it fails the test. */
const away = "http://hostile.invalid";
const own = "document.documentElement.dataset.owned=1";

/** Each group is one text. `marks` are parts of it that every page must show as they are. */
export const corpus = [
  {
    name: "markup",
    marks: ["<b>markup</b>", "**markdown"],
    lines: [
      "<b>markup</b>",
      `<script>${own}</script>`,
      `"><img src=x onerror="${own}">`,
      `'--></style></script></title></textarea><svg/onload=${own}>`,
      `<svg><animate onbegin="${own}" attributeName=x dur=1s><script>${own}</script></svg>`,
      `<a href="javascript:${own}">x</a>`,
      `<iframe srcdoc="<script>parent.${own}</script>"></iframe>`,
      `<math><mtext></form><form><mglyph><style></math><img src onerror="${own}">`,
      `<base href="${away}/"><meta http-equiv=refresh content="0;url=${away}/">`,
      `<link rel=stylesheet href="${away}/x.css"><img src="${away}/x.png" srcset="${away}/y.png 2x">`,
      `<form action="${away}"><input autofocus onfocus="${own}"></form>`,
      `&lt;img src=x onerror=${own}&gt; &#60;script&#62; {{constructor.constructor('${own}')()}} ]]> <!--`,
      "**markdown",
      `[x](javascript:${own}) [x](JaVaScRiPt&colon;alert) [x](data:text/html,<script>parent.${own}</script>)`,
      `![x](${away}/image.png) ![x](data:image/svg+xml;base64,PHN2Zy8+)`,
      `[x](https://example.com/"onclick="${own}) <javascript:${own}> <${away}/auto>`,
      `[ref]: javascript:${own} "title"`,
      "[ref]",
      '```"><script>',
      own,
      "```",
      `${"> ".repeat(300)}deep ${"*a ".repeat(300)}`,
      `| a | <img src=x onerror=${own}> |`,
      "|---|---|",
      `| ${"`".repeat(7)} | x |`,
    ],
  },
  {
    name: "characters",
    marks: ["characters", "=HYPERLINK("],
    lines: [
      "characters",
      `=HYPERLINK("${away}","x")`,
      "+1+cmd|' /C calc'!A0",
      "-2+3",
      "@SUM(1)",
      "\t=1+1",
      "__proto__ constructor toString hasOwnProperty",
      // Terminal codes: colours, a hyperlink, a title; and the one-byte form.
      `\u001b[31mred\u001b[0m \u001b]8;;${away}\u0007link\u001b]8;;\u0007 \u001b]0;title\u0007 \u009b31m`,
      // NUL and other control characters, and characters without a width.
      "nul\u0000 bell\u0007 back\u0008 delete\u007f zero\u200bwidth\ufeff line\u2028paragraph\u2029end",
      // Overrides, isolates that never end, and letters from right to left.
      "invoice\u202Efdp.exe \u2066open \u2067open \u202Bopen",
      // Letters that look like others, and one letter with many marks.
      "p\u0430yp\u0430l.com \u0391\u0412\u0421 \u{1d5ba}dmin \uff1cscript\uff1e",
      `z${"\u0336\u034e\u0308".repeat(40)}`,
      "W".repeat(3_000),
      "\u{1d54e}".repeat(1_000),
      `https://example.com/${"a".repeat(1_000)}`,
      // At the end, where digits of the page would follow.
      "\u0645\u0631\u062d\u0628\u0627 456 \u05e9\u05dc\u05d5\u05dd",
    ],
  },
].map(({ name, marks, lines }) => ({ name, marks, text: lines.join("\n"), line: lines.join(" ") }));

/** Beginnings of all texts in one. */
export const everything = corpus.map(({ line }) => line.slice(0, 500)).join(" ");

export type Hostile = (typeof corpus)[number];

/** Records every request that leaves for another place than the server and its sandbox. */
export function watchRequests(context: BrowserContext): string[] {
  const known = [process.env.RUNLENS_URL, process.env.RUNLENS_SANDBOX_URL];
  const foreign: string[] = [];
  context.on("request", (request) => {
    const url = new URL(request.url());
    const isLocal = url.protocol === "data:" || url.protocol === "blob:" || url.protocol === "file:";
    if (!isLocal && !known.includes(url.origin)) foreign.push(request.url());
  });
  return foreign;
}

/** Fails if a page runs, loads or contains something of a hostile text, or if its direction reaches other text. */
export async function expectHarmless(page: Page, where: string): Promise<void> {
  const found = await page.evaluate(inspect, away);
  expect(found, where).toEqual([]);
}

/** Runs in the page. */
function inspect(away: string): string[] {
  const found: string[] = [];
  if (document.documentElement.dataset.owned) found.push("a script ran");
  const forbidden = "iframe, object, embed, base, math, animate, main meta, main link, a[href^=javascript i], [srcdoc], [src=x]";
  for (const element of document.querySelectorAll(forbidden)) found.push(element.outerHTML.slice(0, 200));
  for (const element of document.querySelectorAll("*")) {
    for (const { name, value } of element.attributes) {
      if (/^on/i.test(name)) found.push(`${element.tagName} has ${name}=${value.slice(0, 60)}`);
      const loads = ["src", "srcset", "action", "formaction", "poster", "background", "style"].includes(name);
      if (loads && value.includes(away)) found.push(`${element.tagName} loads ${value.slice(0, 60)}`);
    }
  }
  const width = document.documentElement.scrollWidth - window.innerWidth;
  if (width > 0) {
    const right = (element: Element) => element.getBoundingClientRect().right;
    const widest = Array.from(document.querySelectorAll("body *")).filter((element) => right(element) >= window.innerWidth + width - 1);
    const names = widest.slice(-3).map((element) => `${element.tagName}.${element.getAttribute("class")}`);
    found.push(`the page is ${width} px wider than its window: ${names.join(", ")}`);
  }

  // An override without an end reaches to the end of the block, unless an element between them isolates it. Letters from right
  // to left at the end of a text move digits that follow on the same line.
  const isolates = (element: Element) => {
    const style = getComputedStyle(element);
    return style.display !== "inline" || /isolate|plaintext/.test(style.unicodeBidi);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode as Text;
    const overrides = /[\u202a-\u202e\u2066-\u2068]/.test(text.data);
    const endsFromRight = /[\u0590-\u08ff]\P{L}*$/u.test(text.data);
    if (!(overrides || endsFromRight) || !text.parentElement?.checkVisibility()) continue;
    // A text area contains one text, if in several nodes.
    if (text.parentElement.tagName === "TEXTAREA") continue;
    let around: Element = text.parentElement;
    while (!isolates(around) && around.parentElement) around = around.parentElement;
    const range = document.createRange();
    range.setStartAfter(text);
    range.setEndAfter(around.lastChild ?? text);
    const rest = range.cloneContents();
    if (!overrides) for (const line of rest.querySelectorAll("br")) line.replaceWith(document.createTextNode("a"));
    const after = rest.textContent ?? "";
    if (overrides ? /[\p{L}\p{N}]/u.test(after) : /^\P{L}*\p{N}/u.test(after)) {
      const { tagName, className } = text.parentElement;
      found.push(`the direction of ${JSON.stringify(text.data.slice(-30))} reaches ${JSON.stringify(after.slice(0, 30))} in ${tagName}.${className}`);
    }
  }
  return found;
}
