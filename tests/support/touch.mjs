// How large a control is to a finger: the room about its middle in which a touch reaches it, and nothing else.

/** Pixels either way that a finger needs; what is 44 may be measured as a little less. */
const FINGER = 43;

/** The controls on the page that are smaller, one line each. Links and buttons amid a sentence are left out. */
export function tooSmall(page) {
  return page.evaluate(async (least) => {
    const CONTROLS = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [role=tab], [role=button], [role=menuitem]';
    const isBox = (element) => element.matches('input[type=checkbox], input[type=radio], input[type=file]');
    const isSeen = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !element.closest('[inert], .skip');
    const isAmidWords = (element) => {
      const prose = element.closest('p');
      return prose && getComputedStyle(element).display === 'inline' && prose.textContent.trim() !== element.textContent.trim();
    };
    const found = [];
    const modal = document.querySelector('dialog:modal');
    const lies = document.querySelector('.scrim') ? '.shelf, .notebook, .notices' : 'body';
    for (const control of (modal ?? document).querySelectorAll(CONTROLS)) {
      // A box is pressed by its label.
      const target = (isBox(control) && control.labels?.[0]) || control;
      if (!control.closest(lies) || !isSeen(target) || isAmidWords(control) || (control.closest('.reply') && control.matches('a'))) continue;
      target.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
      const { x, y, width, height } = target.getBoundingClientRect();
      if (!width || !height) continue;
      const [middle, centre] = [x + width / 2, y + height / 2];
      const hits = (dx, dy) => {
        const there = document.elementFromPoint(middle + dx, centre + dy);
        return there !== null && (target.contains(there) || there.closest('label')?.control === control);
      };
      const reach = (dx, dy) => {
        let far = 0;
        while (far < 60 && hits(dx * (far + 0.5), dy * (far + 0.5))) far += 0.5;
        return far;
      };
      const across = reach(1, 0) + reach(-1, 0);
      const down = reach(0, 1) + reach(0, -1);
      if (across < least || down < least) {
        const name = control.dataset.testid ?? control.getAttribute('aria-label') ?? (control.textContent.trim().slice(0, 24) || control.className);
        found.push(`${control.tagName.toLowerCase()} ${name}: ${Math.round(across)} × ${Math.round(down)} (${control.className})`);
      }
    }
    return [...new Set(found)];
  }, FINGER);
}
