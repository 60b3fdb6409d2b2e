// Fetches the page again when the workspace changes and swaps what changed; without it the page is reloaded by hand.
"use strict";

(() => {
  const parts = () => document.querySelectorAll("[data-part]");
  const isTyping = (part) => {
    const field = document.activeElement;
    return part.contains(field) && field.matches("input:not([type=hidden]), textarea") && (field.value || part.id === "modal");
  };
  let isBusy = false;
  let isStale = false;

  const atEnd = (part) => part.scrollHeight - part.scrollTop - part.clientHeight < 80;

  async function refresh() {
    if (isBusy) { isStale = true; return; }
    isBusy = true;
    try {
      const response = await fetch(location.href, { headers: { "X-Refresh": "1" } });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      for (const part of parts()) {
        const fresh = page.getElementById(part.id);
        if (!fresh || fresh.innerHTML === part.innerHTML || isTyping(part)) continue;
        const wasAtEnd = atEnd(part);
        part.replaceChildren(...fresh.childNodes);
        if (wasAtEnd) part.scrollTop = part.scrollHeight;
      }
    } catch { /* the simulator is gone; the stream says when it is back */ } finally {
      isBusy = false;
      if (isStale) { isStale = false; refresh(); }
    }
  }

  const conversation = document.getElementById("conversation");
  if (conversation) conversation.scrollTop = conversation.scrollHeight;
  new EventSource("/changes").onmessage = refresh;

  document.addEventListener("keydown", (event) => {
    const field = event.target;
    if (event.key === "Enter" && !event.shiftKey && field.matches(".composer textarea")) {
      event.preventDefault();
      field.form.requestSubmit();
    }
    if (event.key === "Escape") document.querySelector("#modal [formaction='/do/close']")?.click();
  });
})();
