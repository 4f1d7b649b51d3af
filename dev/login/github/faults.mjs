/** What tests turn to make the look-alike misbehave, beyond what its accounts do by themselves. */

const text = (value) => typeof value === 'string';
const status = (value) => Number.isSafeInteger(value) && value >= 400 && value <= 599;

const accepts = Object.freeze({
  /** `iss` of the authorization response: null leaves it out, as GitHub did until 2026. */
  response_iss: (value) => value === null || text(value),
  /** An error that the token endpoint answers whatever it is asked, with status 200. */
  token_error: text,
  /** HTTP status of the token endpoint, of `GET /user`, and of the deletion of a token. */
  token_status: status,
  user_status: status,
  delete_status: status,
});

/** The faults of one look-alike; none at first. */
export class Faults {
  #values = {};

  /** Takes these faults and no others. Throws a TypeError, and changes nothing, on an unknown one. */
  replace(given) {
    for (const [name, value] of Object.entries(given ?? {})) {
      if (!Object.hasOwn(accepts, name)) throw new TypeError(`unknown fault ${JSON.stringify(name)}`);
      if (!accepts[name](value)) throw new TypeError(`${name} does not take ${JSON.stringify(value)}`);
    }
    this.#values = { ...given };
  }

  /** The value of a fault, or undefined. */
  get(name) {
    return this.#values[name];
  }

  toJSON() {
    return this.#values;
  }
}
