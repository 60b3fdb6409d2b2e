() => {
  /* Run in a page: what is hard to read (WCAG AA, 4.5:1) and which controls have no name. */
  const parts = (colour) => {
    const v = (colour.match(/[\d.]+/g) || []).map(Number);
    const alpha = v[3] ?? 1;
    return colour.startsWith("color(srgb") ? [v[0] * 255, v[1] * 255, v[2] * 255, alpha] : [v[0], v[1], v[2], alpha];
  };
  const over = (top, low) => [0, 1, 2].map((i) => top[i] * top[3] + low[i] * (1 - top[3])).concat(1);
  const linear = (x) => (x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4);
  const light = (c) => 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
  const behind = (element) => {
    const stack = [];
    for (let at = element; at; at = at.parentElement) {
      const colour = parts(getComputedStyle(at).backgroundColor);
      stack.push(colour);
      if (colour[3] === 1) break;
    }
    return stack.reverse().reduce((low, top) => over(top, low), [255, 255, 255, 1]);
  };
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const hasText = Array.from(element.childNodes).some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!hasText || element.closest("svg, option, noscript, :disabled, .visually-hidden, .skip")) continue;
    if (!element.getClientRects().length) continue;
    const low = behind(element);
    const top = over(parts(getComputedStyle(element).color), low);
    const [bright, dark] = [light(top), light(low)].sort((x, y) => y - x);
    const ratio = (bright + 0.05) / (dark + 0.05);
    if (ratio < 4.5) found.push(`${ratio.toFixed(2)}:1 ${element.outerHTML.slice(0, 90)}`);
  }
  for (const element of document.querySelectorAll("input:not([type=hidden]), select, textarea, button, a[href]")) {
    const isNamed = element.labels?.length || element.getAttribute("aria-label") || element.textContent.trim();
    if (!isNamed && !element.querySelector("img[alt]")) found.push(`no name: ${element.outerHTML.slice(0, 90)}`);
  }
  return found;
}
