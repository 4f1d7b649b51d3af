/** Reading the forms of the consent and login pages, as a person without a browser. */

const entities = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'", '#34': '"' };

const decode = (text) => text.replace(/&(#?\w+);/g, (whole, name) => entities[name.toLowerCase()] ?? whole);

const attributes = (tag) =>
  Object.fromEntries(
    [...tag.matchAll(/([\w-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?/g)]
      .slice(1)
      .map(([, name, a, b, c]) => [name.toLowerCase(), decode(a ?? b ?? c ?? '')]),
  );

/** The page's forms: method, absolute action, inputs and buttons of each. */
export function allForms(html, url) {
  return [...html.matchAll(/<form\b[^>]*>[\s\S]*?<\/form>/gi)].map(([text]) => {
    const { method = 'get', action = '' } = attributes(/<form\b[^>]*>/i.exec(text)[0]);
    const tags = (name) =>
      [...text.matchAll(new RegExp(`<${name}\\b[^>]*>`, 'gi'))].map(([tag]) => attributes(tag));
    return {
      method: method.toUpperCase(),
      action: new URL(action, url).href,
      inputs: tags('input'),
      buttons: tags('button'),
    };
  });
}

/** The page's only form. Throws where there is none, or several. */
export function onlyForm(html, url) {
  const forms = allForms(html, url);
  if (forms.length !== 1)
    throw new Error(`expected one form at ${url}, found ${forms.length}: ${html.slice(0, 300)}`);
  return forms[0];
}

/**
 * What a browser sends when a person clicks the button `name=value`, or the one without a name: hidden fields, the boxes ticked by default, and
 * those of `tick`. Throws where the form has no such button or box.
 */
export function submission(form, { name, value }, tick = []) {
  const fields = new URLSearchParams();
  const boxes = form.inputs.filter((input) => input.type === 'checkbox');
  for (const box of tick)
    if (!boxes.some((b) => b.name === box)) throw new Error(`no checkbox ${box} at ${form.action}`);
  for (const input of form.inputs) {
    const sent =
      input.type === 'checkbox' ? 'checked' in input || tick.includes(input.name) : input.type !== 'submit';
    if (sent && input.name) fields.append(input.name, input.value ?? 'on');
  }
  const pressed = (b) => b.name === name && (name === undefined || b.value === value);
  if (!form.buttons.some(pressed)) throw new Error(`no button ${name}=${value} at ${form.action}`);
  if (name !== undefined) fields.append(name, value);
  return fields;
}
