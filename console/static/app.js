/* Footnote's pages: theme, live rows, uploads, ticking, keyboard. Everything works without it, only slower. */
"use strict";

(function () {
  const root = document.documentElement;
  const THEMES = ["auto", "light", "dark"];

  /* Theme: before the first paint, so that no page flashes in the other one. */
  function theme() {
    try { return localStorage.getItem("theme") || "auto"; } catch { return "auto"; }
  }
  function applyTheme(name) {
    if (name === "auto") delete root.dataset.theme; else root.dataset.theme = name;
  }
  root.classList.add("js");
  applyTheme(theme());

  const all = (selector, within) => Array.from((within || document).querySelectorAll(selector));
  const byId = (id) => document.getElementById(id);

  function note(text, isError) {
    const box = byId("notes");
    if (!box) return;
    const element = document.createElement("div");
    element.className = isError ? "note error" : "note";
    const words = document.createElement("p");
    words.textContent = text;
    element.append(words);
    box.replaceChildren(element);
  }

  /* What the server said about a request it turned down; empty when that was no note of ours. */
  function noteIn(xhr) {
    const words = new DOMParser().parseFromString(xhr.responseText, "text/html").querySelector(".note p");
    return words ? words.textContent : "";
  }

  function fetchPart(element) {
    // The source: requests of one element wait for each other, and of many waiting only the last is sent.
    return htmx.ajax("GET", element.dataset.url, { source: element, target: element, swap: "outerHTML" });
  }

  /* Several messages about one thing in a short time cause one request. */
  const waiting = new Map();
  function soon(key, delay, run) {
    if (waiting.has(key)) return;
    waiting.set(key, setTimeout(() => { waiting.delete(key); run(); }, delay));
  }
  const refresh = (id, delay) => soon(id, delay, () => { const element = byId(id); if (element) fetchPart(element); });

  /* Documents */
  const rates = new Map();
  function showProgress(bar, message) {
    const now = performance.now();
    const first = rates.get(message.id) || { at: now, done: message.done };
    rates.set(message.id, first);
    bar.max = message.total;
    bar.value = message.done;
    const rate = now - first.at > 400 ? (message.done - first.done) / ((now - first.at) / 1000) : 0;
    let text = `${message.done} of ${message.total} passages`;
    if (rate > 0) {
      text += `, ${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s, ${Math.max(1, Math.round((message.total - message.done) / rate))} s left`;
    }
    bar.parentElement.querySelector("[data-progress-text]").textContent = text;
  }

  function onDocument(message) {
    const row = byId(`document-${message.id}`);
    if (row && message.state === "deleted") {
      row.remove();
    } else if (row) {
      const isProgress = message.state === "indexing" && row.dataset.state === "indexing" && message.total > 0;
      const bar = isProgress && row.querySelector("[data-progress] progress[max]");
      if (bar) showProgress(bar, message);
      else refresh(row.id, 150);
    }
    if (message.state !== "indexing") {
      rates.delete(message.id);
      const list = document.querySelector(`[data-new-rows-of="${message.folder}"]`);
      if (!row && list && !all("[data-tick]:checked").length) refresh(list.id, 600);
      refreshLive("document");
    }
  }

  /* A document's page shows its text once there is one. */
  document.addEventListener("htmx:beforeSwap", (event) => {
    const target = event.detail.target;
    if (target && target.matches && target.matches("[data-reload-when-done][data-working]")) {
      const html = event.detail.xhr.responseText;
      if (html.includes("data-reload-when-done") && !html.includes("data-working")) {
        event.detail.shouldSwap = false;
        location.reload();
      }
    }
  });

  /* Questions */
  function onQuestion(message) {
    const result = byId(`question-${message.id}`);
    if (result && "working" in result.dataset) refresh(result.id, 30);
    refreshLive("question");
  }

  function refreshLive(kind) {
    for (const element of all(`[data-live-on="${kind}"]`)) {
      // What a person is ticking or typing in stays as it is.
      if (element.id && !element.contains(document.activeElement)) refresh(element.id, 900);
    }
  }

  /* The socket; without it, what is still being worked on is fetched every three seconds. */
  let socket = null;
  let isSignedOut = false;
  let attempts = 0;
  let openedAt = 0;
  const isOpen = () => socket !== null && socket.readyState === WebSocket.OPEN;

  function showLive(state, text) {
    for (const element of all("[data-live-state]")) {
      element.dataset.state = state;
      if (element.textContent !== text) element.textContent = text;
    }
  }

  function connect() {
    const path = document.body.dataset.live;
    if (!path || isSignedOut) return;
    socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`);
    socket.addEventListener("open", () => {
      showLive("open", "Live");
      openedAt = performance.now();
      if (attempts > 0) refetch();
      attempts = 0;
    });
    socket.addEventListener("message", (event) => {
      const message = JSON.parse(event.data);
      if (message.kind === "document") onDocument(message);
      if (message.kind === "question") onQuestion(message);
      if (message.kind === "run") refreshLive("run");
    });
    socket.addEventListener("close", (event) => {
      // A new password ends the session this socket was opened with; the browser may have the next one already.
      if (event.code === 4401 && performance.now() - openedAt < 3000) {
        isSignedOut = true;
        showLive("closed", "Signed out");
        return;
      }
      attempts += 1;
      const delay = Math.min(30000, 500 * 2 ** Math.min(attempts, 6)) * (0.7 + Math.random() * 0.6);
      showLive("closed", "Reconnecting");
      setTimeout(connect, delay);
    });
  }

  /* Messages were missed: fetch again whatever may have changed. */
  function refetch() {
    for (const element of all("[data-working]")) if (element.id) refresh(element.id, 0);
    refreshLive("document");
    refreshLive("question");
    refreshLive("run");
  }

  let ticks = 0;
  function everyThreeSeconds() {
    ticks += 1;
    if (document.hidden) return;
    const working = all("[data-working]");
    // With an open socket a slow second look remains: a message sent before the row stood here is lost.
    if (working.length && (!isOpen() || ticks % 4 === 0)) {
      for (const element of working.slice(0, 20)) refresh(element.id, 0);
      if (!isOpen()) refreshLive("document");
    }
  }

  function everySecond() {
    const now = Date.now();
    for (const element of all("[data-since]")) {
      const place = element.querySelector("[data-elapsed]");
      if (place) place.textContent = ` · ${Math.max(0, Math.round((now - Date.parse(element.dataset.since)) / 1000))} s`;
    }
    if (ticks % 10 !== 0) return;
    for (const element of all("time[data-ago]")) element.textContent = ago((now - Date.parse(element.dateTime)) / 1000);
  }

  function ago(seconds) {
    if (seconds < 5) return "just now";
    for (const [limit, size, unit] of [[60, 1, "s"], [3600, 60, "min"], [86400, 3600, "h"], [5184000, 86400, "d"]]) {
      if (seconds < limit) return `${Math.floor(seconds / size)} ${unit} ago`;
    }
    return `${Math.floor(seconds / 2592000)} months ago`;
  }

  /* What goes wrong between page and server is said, with what is safe and what to do. */
  document.addEventListener("htmx:responseError", (event) => {
    const xhr = event.detail.xhr;
    const row = event.detail.target;
    if (xhr.status === 404 && row && row.matches && row.matches("[data-document]")) { row.remove(); return; }
    note(noteIn(xhr) || `The server answered ${xhr.status}. Nothing was changed; try again.`, true);
  });
  document.addEventListener("htmx:sendError", (event) => {
    const isBackground = event.detail.requestConfig && event.detail.requestConfig.verb === "get";
    if (!isBackground) note("The server did not answer. Nothing was changed; try again when it is back.", true);
  });

  /* Asking: the page keeps the form, the result appears below it. */
  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.elt.matches("[data-ask]") && event.detail.successful) {
      byId("notes").replaceChildren();
      const result = document.querySelector("#result > [data-question]");
      if (result) setTimeout(() => { if ("working" in result.dataset && result.isConnected) fetchPart(result); }, 700);
    }
  });

  /* Uploads: one file a request, two at a time, so that each has its own answer and none waits for all. */
  async function entriesOf(items) {
    const files = [];
    async function walk(entry, path) {
      if (entry.isFile) {
        const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
        files.push({ file, path: path + file.name });
        return;
      }
      const reader = entry.createReader();
      for (;;) {
        const batch = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
        if (!batch.length) return;
        for (const child of batch) await walk(child, `${path}${entry.name}/`);
      }
    }
    for (const entry of items) await walk(entry, "");
    return files;
  }

  function send(form, item, onBytes) {
    return new Promise((resolve) => {
      const body = new FormData();
      body.append("csrfmiddlewaretoken", form.querySelector("[name=csrfmiddlewaretoken]").value);
      body.append("files", item.file);
      body.append("paths", item.path);
      const xhr = new XMLHttpRequest();
      xhr.open("POST", form.action);
      xhr.setRequestHeader("HX-Request", "true");
      xhr.upload.addEventListener("progress", (event) => onBytes(event.loaded));
      xhr.addEventListener("loadend", () => {
        if (xhr.status === 200) return resolve(xhr.responseText);
        const line = document.createElement("li");
        const name = document.createElement("span");
        name.className = "name";
        name.textContent = item.path;
        const why = document.createElement("span");
        why.className = "why";
        why.textContent = noteIn(xhr) || (xhr.status ? `not taken (${xhr.status})` : "the server did not answer; drop it again");
        line.append(name, why);
        resolve(line.outerHTML);
      });
      xhr.send(body);
    });
  }

  async function upload(form, files) {
    if (!files.length) return;
    const list = form.querySelector("[data-uploads]");
    const line = form.querySelector("[data-upload-progress]");
    const bar = line.querySelector("progress");
    const text = line.querySelector("[data-upload-text]");
    const total = files.reduce((sum, item) => sum + item.file.size, 0);
    const loaded = new Map();
    const began = performance.now();
    let nDone = 0;
    list.hidden = line.hidden = false;
    list.replaceChildren();
    function show() {
      const bytes = Array.from(loaded.values()).reduce((sum, n) => sum + n, 0);
      bar.max = Math.max(1, total);
      bar.value = Math.min(bytes, total);
      const rate = bytes / Math.max(0.2, (performance.now() - began) / 1000);
      const left = nDone < files.length && rate > 0 ? `, ${(rate / 1e6).toFixed(1)} MB/s, ${Math.max(1, Math.round((total - bytes) / rate))} s left` : "";
      text.textContent = `${nDone} of ${files.length} files sent${left}`;
    }
    show();
    const queue = files.slice();
    async function lane() {
      for (let item = queue.shift(); item; item = queue.shift()) {
        const answer = await send(form, item, (n) => { loaded.set(item, Math.min(n, item.file.size)); show(); });
        loaded.set(item, item.file.size);
        nDone += 1;
        show();
        list.insertAdjacentHTML("afterbegin", answer);
        refresh("list", 500);
      }
    }
    await Promise.all([lane(), lane()]);
    refresh("list", 0);
    refreshLive("document");
  }

  function wireDrop(form) {
    for (const type of ["dragenter", "dragover"]) {
      form.addEventListener(type, (event) => { event.preventDefault(); form.classList.add("over"); });
    }
    form.addEventListener("dragleave", (event) => { if (!form.contains(event.relatedTarget)) form.classList.remove("over"); });
    form.addEventListener("drop", async (event) => {
      event.preventDefault();
      form.classList.remove("over");
      const entries = Array.from(event.dataTransfer.items, (item) => item.webkitGetAsEntry && item.webkitGetAsEntry()).filter(Boolean);
      const plain = Array.from(event.dataTransfer.files, (file) => ({ file, path: file.name }));
      try {
        upload(form, entries.length ? await entriesOf(entries) : plain);
      } catch {
        note("The browser could not read what was dropped. Nothing was sent; choose the files instead.", true);
      }
    });
    for (const input of all("[data-pick]", form)) {
      input.addEventListener("change", () => {
        const files = Array.from(input.files, (file) => ({ file, path: file.webkitRelativePath || file.name }));
        input.value = "";
        upload(form, files);
      });
    }
  }

  /* Ticking many */
  function countTicked() {
    const n = all("[data-tick]:checked").length;
    for (const place of all("[data-n-ticked]")) place.textContent = n ? `${n} ticked` : "";
  }
  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-tick-all]")) for (const box of all("[data-tick]")) box.checked = event.target.checked;
    if (event.target.matches("[data-tick], [data-tick-all]")) countTicked();
  });

  /* Keyboard: j and k move, Enter opens, x ticks, r retries; Ctrl Enter sends a question. */
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.matches("[data-ask] textarea")) {
      event.target.form.requestSubmit();
      return;
    }
    if (event.target.closest("input, select, textarea, button, a, [contenteditable]") && event.key === "Enter") return;
    if (event.target.closest("input:not([type=checkbox]), select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    const rows = all("[data-keys] tbody tr");
    if (!rows.length) return;
    const here = rows.indexOf(document.activeElement && document.activeElement.closest("tr"));
    const row = rows[here];
    if (event.key === "j" || event.key === "k") {
      const next = rows[Math.min(rows.length - 1, Math.max(0, here + (event.key === "j" ? 1 : -1)))];
      next.focus();
      next.scrollIntoView({ block: "nearest" });
    } else if (row && event.key === "Enter") {
      const link = row.querySelector("[data-open]");
      if (link) link.click();
    } else if (row && (event.key === "r" || event.key === "x")) {
      const control = row.querySelector(event.key === "r" ? "[data-retry]" : "[data-tick]");
      if (control) control.click();
    } else {
      return;
    }
    event.preventDefault();
  });

  document.addEventListener("DOMContentLoaded", () => {
    for (const form of all("[data-drop]")) wireDrop(form);
    const name = document.querySelector("[data-theme-name]");
    if (name) name.textContent = theme();
    for (const button of all("[data-theme-button]")) {
      button.addEventListener("click", () => {
        const next = THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length];
        try { localStorage.setItem("theme", next); } catch { /* not kept, still applied */ }
        applyTheme(next);
        name.textContent = next;
      });
    }
    const menu = document.querySelector(".menu-button");
    if (menu) {
      menu.addEventListener("click", () => {
        const isShown = byId("side").classList.toggle("is-open");
        menu.setAttribute("aria-expanded", String(isShown));
      });
    }
    const cited = byId("cited");
    if (cited) cited.scrollIntoView({ block: "center" });
    connect();
    setInterval(everyThreeSeconds, 3000);
    setInterval(everySecond, 1000);
  });
})();
