/** Codes and tokens that the look-alike gave out. */
import { createHash, randomBytes } from 'node:crypto';

/** GitHub's codes last ten minutes. */
const CODE_LIFETIME = 10 * 60 * 1000;

/** The codes and tokens of one look-alike. */
export class Grants {
  #codes = new Map();
  #tokens = new Map();

  /** A code for the account with this id, bound to the redirect URI and the PKCE challenge of its request. */
  issueCode({ account, redirectUri, challenge }) {
    const code = randomBytes(10).toString('hex');
    this.#codes.set(code, { account, redirectUri, challenge, until: Date.now() + CODE_LIFETIME });
    return code;
  }

  /**
   * Takes a code out, and gives a token for it: `{token}`, or `{error}` by GitHub's names. GitHub's documentation
   * has no name for a wrong verifier; here it is that of a wrong code.
   */
  redeem({ code, redirectUri, verifier }) {
    const grant = this.#codes.get(code);
    this.#codes.delete(code);
    if (!grant || grant.until < Date.now()) return { error: 'bad_verification_code' };
    if (redirectUri !== undefined && redirectUri !== grant.redirectUri)
      return { error: 'redirect_uri_mismatch' };
    const challenge = createHash('sha256')
      .update(verifier ?? '')
      .digest('base64url');
    if (grant.challenge !== undefined && challenge !== grant.challenge)
      return { error: 'bad_verification_code' };
    const token = `gho_${randomBytes(18).toString('hex')}`;
    this.#tokens.set(token, grant.account);
    return { token };
  }

  /** The id of the account that a token belongs to, or undefined. */
  accountOf(token) {
    return this.#tokens.get(token);
  }

  /** Deletes a token; whether there was one. */
  delete(token) {
    return this.#tokens.delete(token);
  }

  /** How many tokens are good now. */
  get live() {
    return this.#tokens.size;
  }
}
