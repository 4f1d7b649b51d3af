/** How a page looks and reads, to eyes and to assistive technology. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { inRepository } from './places.mjs';

const axe = readFileSync(inRepository('node_modules/axe-core/axe.min.js'), 'utf8');

const SCHEMES = ['light', 'dark'];
/** Width and height: a small telephone, and a desktop. */
const SIZES = { narrow: [360, 740], wide: [1100, 900] };

/** What axe-core (https://github.com/dequelabs/axe-core) finds wrong with the page: rule, and where. */
async function violations(page) {
  // By the debugger, as the page's own policy lets no script run.
  await page.evaluate(axe);
  const { violations: found, passes } = await page.evaluate(() => globalThis.axe.run(document));
  assert.ok(
    passes.some(({ id }) => id === 'color-contrast'),
    'axe-core looked at no text',
  );
  return found.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target} ${node.failureSummary}`));
}

/**
 * Looks at the page that is open in light and dark, narrow and wide: leaves a screenshot of each as
 * `NAME-SIZE-SCHEME.png`, and demands that nothing sticks out and that axe-core finds nothing. Leaves it light and wide.
 */
export async function inspect(chromium, name) {
  const { page } = chromium;
  for (const [size, [width, height]] of Object.entries(SIZES)) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      await chromium.shoot(`${name}-${size}-${colorScheme}`);
      assert.deepEqual(await violations(page), [], `${name}, ${size}, ${colorScheme}`);
    }
    const { wanted, given } = await page.evaluate(() => ({
      wanted: document.documentElement.scrollWidth,
      given: document.documentElement.clientWidth,
    }));
    assert.ok(wanted <= given, `${name} is ${wanted} pixels wide where ${given} are given`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

/** Gets to the element by the Tab key alone, as whoever uses no mouse, and demands that the focus shows. */
export async function tabTo(chromium, selector) {
  const { page } = chromium;
  const element = page.locator(selector);
  for (let presses = 0; presses < 40; presses += 1) {
    await page.keyboard.press('Tab');
    const { focused, outline } = await element.evaluate((node) => ({
      focused: node === document.activeElement,
      outline: getComputedStyle(node).outlineStyle,
    }));
    if (!focused) continue;
    assert.notEqual(outline, 'none', `${selector} has the focus and does not show it`);
    return;
  }
  throw new Error(`no way to ${selector} by Tab`);
}

/** Presses a key in the element, by the keyboard alone. */
export async function pressIn(chromium, selector, key = 'Enter') {
  await tabTo(chromium, selector);
  await chromium.page.keyboard.press(key);
}
