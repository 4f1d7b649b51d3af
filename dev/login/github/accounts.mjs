/** Who can log in at the look-alike of GitHub, and the OAuth app that asks for it. */

/** The Worker's OAuth app here. */
export const APP = Object.freeze({
  name: 'vault-mcp, local',
  id: 'Ov23liLOCAL0000lookalike',
  secret: 'local0000000000000000000000000github00lookalike',
});

const initial = Object.freeze([
  { login: 'octo-owner', id: 1001, type: 'User', name: 'The Owner' },
  { login: 'octo-reader', id: 1002, type: 'User', name: null },
  { login: 'octo-stranger', id: 1003, type: 'User', name: null },
  // Neither can come through a login page at GitHub; here they can, to be refused.
  { login: 'octo-works', id: 1004, type: 'Organization', name: 'Octo Works' },
  { login: 'octo-helper[bot]', id: 1005, type: 'Bot', name: null },
]);

const isAccount = (value) =>
  value !== null &&
  typeof value === 'object' &&
  typeof value.login === 'string' &&
  Number.isSafeInteger(value.id) &&
  typeof value.type === 'string';

/** The accounts as they are now. An id belongs to one account for good; a login name can change hands. */
export class Accounts {
  #accounts = initial;

  /** Takes these accounts and no others; without any, those of the beginning. Throws a TypeError on anything else. */
  replace(accounts = initial) {
    if (!Array.isArray(accounts) || !accounts.every(isAccount))
      throw new TypeError('expected a list of {login, id, type, name}');
    this.#accounts = accounts;
  }

  /** The account that has this login name now. Login names have no case. */
  byLogin(login) {
    return this.#accounts.find((account) => account.login.toLowerCase() === login?.toLowerCase());
  }

  /** The account with this id, whatever it is called now. */
  byId(id) {
    return this.#accounts.find((account) => account.id === id);
  }

  [Symbol.iterator]() {
    return this.#accounts[Symbol.iterator]();
  }

  toJSON() {
    return this.#accounts;
  }
}
