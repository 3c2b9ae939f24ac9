"use strict";
(() => {
  const root = document.documentElement;
  root.classList.replace("no-js", "js");
  // Where storage is refused, nothing is remembered; all else works.
  const store = {
    get(key) { try { return localStorage.getItem("grader." + key); } catch { return null; } },
    set(key, value) { try { localStorage.setItem("grader." + key, value); } catch {} },
  };
  const THEMES = ["auto", "light", "dark"];
  const theme = () => (THEMES.includes(store.get("theme")) ? store.get("theme") : "auto");
  const paint = () => {
    if (theme() === "auto") root.removeAttribute("data-theme");
    else root.setAttribute("data-theme", theme());
  };
  // Before anything is drawn.
  paint();
  const still = matchMedia("(prefers-reduced-motion: reduce)");

  // #ex1-step=4: step 4 of the player ex1.
  const stepIn = (hash) => /^#([a-z]\w*)-step[=-](\d+)$/.exec(hash);
  const go = (hash) => history.replaceState(null, "", hash);

  function themes(button) {
    const show = () => { button.textContent = button.dataset[theme()]; };
    button.addEventListener("click", () => {
      store.set("theme", THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length]);
      paint();
      show();
    });
    show();
  }

  function hints(exercise) {
    for (const hint of document.querySelectorAll("details.hint")) {
      const key = `${exercise}.${hint.id}`;
      hint.open = store.get(key) === "open";
      hint.addEventListener("toggle", () => {
        if (!hint.dataset.printing) store.set(key, hint.open ? "open" : "closed");
      });
    }
  }

  // Code that is told in several languages is shown in one.
  function codes(choice) {
    const known = [...choice.options].map((one) => one.value);
    if (known.includes(store.get("code"))) choice.value = store.get("code");
    const show = () => {
      for (const group of document.querySelectorAll(".codes")) {
        const all = [...group.children];
        const chosen = all.find((one) => one.dataset.code === choice.value) ?? all[0];
        for (const one of all) {
          one.hidden = one !== chosen;
          if (one.tagName === "DETAILS") one.open = one === chosen;
        }
      }
    };
    choice.addEventListener("change", () => { store.set("code", choice.value); show(); });
    show();
  }

  function reveal() {
    const at = stepIn(location.hash);
    const target = at
      ? document.getElementById(at[1])
      : document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    const hint = target.closest("details.hint");
    if (hint) hint.open = true;
    target.scrollIntoView();
  }

  function copying() {
    for (const block of document.querySelectorAll(".code")) {
      const button = document.createElement("button");
      button.className = "copy";
      button.type = "button";
      const label = document.body.dataset.copy;
      button.textContent = label;
      button.addEventListener("click", async () => {
        try {
          await navigator.clipboard.writeText(block.querySelector("code").textContent);
          button.textContent = document.body.dataset.copied;
        } catch {
          getSelection().selectAllChildren(block.querySelector("code"));
          button.textContent = document.body.dataset.selected;
        }
        setTimeout(() => { button.textContent = label; }, 2000);
      });
      block.append(button);
    }
  }

  // The other language is read on at the same place: ids are the same in both.
  function languages() {
    for (const link of document.querySelectorAll("a[data-language]")) {
      link.addEventListener("click", () => {
        link.hash = spot() || location.hash;
        store.set("language", link.dataset.language);
      });
    }
    if (document.querySelector("[data-choose]")) {
      const known = document.querySelector(`[data-language="${CSS.escape(store.get("language") || "")}"]`);
      if (known) location.replace(known.href);
    }
  }

  function spot() {
    const player = [...document.querySelectorAll(".player.live")].find((one) => {
      const box = one.getBoundingClientRect();
      return box.top < innerHeight / 2 && box.bottom > innerHeight / 4;
    });
    if (player) return `#${player.id}-step=${player.dataset.now}`;
    // The last place above the line where a place that is gone to comes to lie, or just below.
    const passed = [...document.querySelectorAll("main [id]")].filter(
      (one) => one.checkVisibility() && one.getBoundingClientRect().top < 100,
    );
    return passed.length && scrollY > 0 ? `#${passed.at(-1).id.replace(/-title$/, "")}` : "";
  }

  function printing(button) {
    button.addEventListener("click", () => {
      const closed = [...document.querySelectorAll("details.hint:not([open])")];
      root.dataset.print = button.dataset.hints;
      if (button.dataset.hints === "with") {
        for (const hint of closed) { hint.dataset.printing = "1"; hint.open = true; }
      }
      addEventListener("afterprint", () => {
        delete root.dataset.print;
        for (const hint of closed) {
          hint.open = false;
          setTimeout(() => delete hint.dataset.printing, 100);
        }
      }, { once: true });
      print();
    });
  }

  function player(element) {
    const steps = [...element.querySelectorAll(".steps > li")];
    const find = (name) => element.querySelector(`[data-do="${name}"]`);
    const [slider, output, said] = ["input[type=range]", "output", "[aria-live]"].map(
      (what) => element.querySelector(what),
    );
    const stage = element.querySelector(".stage");
    let now = 1;
    let timer = null;

    function show(step, { address = true } = {}) {
      now = Math.min(Math.max(step, 1), steps.length);
      element.dataset.now = now;
      steps.forEach((one, i) => one.classList.toggle("now", i + 1 === now));
      slider.value = now;
      output.textContent = `${now} / ${steps.length}`;
      const title = steps[now - 1].querySelector("h4").textContent;
      slider.setAttribute("aria-valuetext", `${now} / ${steps.length}: ${title}`);
      // Of code, which alone has a class, what is shown, and no button.
      const parts = [...steps[now - 1].querySelector(".said").children].map(
        (one) => (one.className ? one.querySelector(":not([hidden]) > pre") : one).innerText,
      );
      const text = `${now} / ${steps.length}: ${title}. ${parts.join(" ")}`;
      if (said.textContent !== text) said.textContent = text;
      // Not `disabled`: the focus would be lost where one presses on to the end.
      const ends = { first: now === 1, back: now === 1, next: now === steps.length };
      for (const [name, end] of Object.entries(ends)) find(name).ariaDisabled = end;
      if (address) go(`#${element.id}-step=${now}`);
    }
    function pause() {
      clearInterval(timer);
      timer = null;
      find("play").textContent = find("play").dataset.play;
    }
    function play() {
      if (still.matches) return;
      if (now === steps.length) show(1);
      timer = setInterval(() => {
        show(now + 1);
        if (now === steps.length) pause();
      }, 2500);
      find("play").textContent = find("play").dataset.pause;
    }
    const toggle = () => (timer ? pause() : play());
    const move = (step) => { pause(); show(step); };
    const acts = { first: () => move(1), back: () => move(now - 1), next: () => move(now + 1), play: toggle };
    for (const [name, act] of Object.entries(acts)) find(name).addEventListener("click", act);
    slider.addEventListener("input", () => move(Number(slider.value)));

    // Keys act only while the focus is on the stage or a button; sliders and choices have their own.
    element.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      if (event.target !== stage && event.target.tagName !== "BUTTON") return;
      const keys = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 1, End: steps.length };
      if (event.key in keys) move(keys[event.key]);
      else if (event.key === " " && event.target === stage) toggle();
      else return;
      event.preventDefault();
    });
    document.addEventListener("visibilitychange", () => { if (document.hidden) pause(); });
    const code = document.querySelector('[data-do="code"]');
    if (code) code.addEventListener("change", () => show(now, { address: false }));

    for (const radio of element.querySelectorAll(".compare input")) {
      radio.addEventListener("change", () => {
        for (const take of element.querySelectorAll(".variant")) {
          take.classList.toggle("chosen", take.dataset.variant === radio.value);
        }
      });
    }
    element.classList.add("live");
    stage.tabIndex = 0;
    stage.role = "group";
    stage.ariaLabel = stage.dataset.label;
    for (const part of element.querySelectorAll(".controls, .compare")) part.hidden = false;
    const follow = () => {
      const at = stepIn(location.hash);
      if (at && at[1] === element.id) show(Number(at[2]), { address: false });
    };
    show(1, { address: false });
    follow();
    addEventListener("hashchange", follow);
  }

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll('[data-do="theme"]').forEach(themes);
    document.querySelectorAll('[data-do="print"]').forEach(printing);
    const main = document.querySelector("main");
    hints(main.dataset.exercise);
    copying();
    document.querySelectorAll('[data-do="code"]').forEach(codes);
    document.querySelectorAll(".player").forEach(player);
    languages();
    reveal();
    addEventListener("hashchange", reveal);
  });
})();
