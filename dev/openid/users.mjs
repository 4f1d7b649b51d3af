/**
 * The people who can log in at the local OpenID provider.
 *
 * `sub` is fixed: the Worker pins an allowlist entry to the subject of its first login, and keeps that pin when
 * the provider is restarted.
 */
export const users = Object.freeze([
  {
    email: 'owner@example.test',
    sub: 'local-owner',
    emailVerified: true,
    about: 'allowed to read and write',
  },
  { email: 'reader@example.test', sub: 'local-reader', emailVerified: true, about: 'allowed to read' },
  {
    email: 'stranger@example.test',
    sub: 'local-stranger',
    emailVerified: true,
    about: 'not on the allowlist',
  },
  {
    email: 'unverified@example.test',
    sub: 'local-unverified',
    emailVerified: false,
    about: 'on the allowlist, address not verified',
  },
]);

/** The user among `people` with this e-mail address, or undefined. */
export const userByEmail = (people, email) => people.find((user) => user.email === email);

/** The user among `people` with this subject, or undefined. */
export const userBySub = (people, sub) => people.find((user) => user.sub === sub);
