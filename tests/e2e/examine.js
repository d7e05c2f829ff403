// What of the gallery does not fit its frame. An expression: evaluated in the page.
{
  /** Returns once nothing was added or removed for a while. */
  settled: async () => {
    await document.fonts.ready;
    await new Promise((resolve) => {
      const last = setTimeout(done, 3000);
      let quiet = setTimeout(done, 250);
      const observer = new MutationObserver(() => {
        clearTimeout(quiet);
        quiet = setTimeout(done, 250);
      });
      function done() {
        clearTimeout(last);
        clearTimeout(quiet);
        observer.disconnect();
        resolve();
      }
      observer.observe(document.body, { childList: true, subtree: true });
    });
  },

  /** Names of the components that each case shows, by case. Of the build, which keeps names. */
  components: () => {
    const found = {};
    for (const section of document.querySelectorAll('[data-case]')) {
      const seen = new Set();
      const names = new Set();
      for (const element of section.querySelectorAll('*')) {
        const key = Object.keys(element).find((name) => name.startsWith('__reactFiber$'));
        for (let fiber = element[key]; fiber && !seen.has(fiber); fiber = fiber.return) {
          seen.add(fiber);
          const type = fiber.type?.type ?? fiber.type;
          // What has the name of another one ends in a number.
          if (typeof type === 'function') names.add(type.name.replace(/\$\d+$/, ''));
          if (fiber.memoizedProps?.['data-case'] !== undefined) break;
        }
      }
      found[section.dataset.case] = [...names];
    }
    return found;
  },

  complaints: () => {
    const found = [];
    const root = document.documentElement;
    if (root.scrollWidth > root.clientWidth) {
      found.push({ case: '*', what: 'the page scrolls sideways', text: `${root.scrollWidth} px` });
    }
    const hides = (element) => getComputedStyle(element).overflowX !== 'visible';
    for (const section of document.querySelectorAll('[data-case]')) {
      const frame = section.querySelector(':scope > div');
      const said = new Set();
      // Once for all rows that are alike.
      const complain = (what, element) => {
        const name = element.className || element.tagName;
        if (said.has(what + name)) return;
        said.add(what + name);
        const text = `${name}: ${(element.textContent ?? '').slice(0, 60)}`;
        found.push({ case: section.dataset.case, what, text });
      };
      for (const element of frame.querySelectorAll('*')) {
        if (!(element instanceof HTMLElement) || !element.checkVisibility()) continue;
        const hasText = [...element.childNodes].some(
          (node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '',
        );
        if (!hasText) continue;
        const box = element.getBoundingClientRect();
        if (box.width <= 2 || box.height <= 2) continue; // for readers of another kind
        if (hides(element)) {
          const isCut = element.scrollWidth > element.clientWidth + 1;
          const scrolls = /auto|scroll/.test(getComputedStyle(element).overflowX);
          const isTold = element.closest('[title], [aria-hidden=true], textarea, input') !== null;
          if (isCut && !scrolls && !isTold) complain('text is cut and has no title', element);
        }
        if (box.right <= frame.getBoundingClientRect().right + 1) continue;
        let holder = element;
        while (holder !== frame && !hides(holder)) holder = holder.parentElement;
        if (holder === frame) complain('sticks out on the right', element);
      }
    }
    return found;
  },
}
