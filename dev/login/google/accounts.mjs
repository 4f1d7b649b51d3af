/** Who can log in at the look-alike of Google, and the client that asks for it. */

/** The Worker's credentials here. */
export const CLIENT = {
  id: '1234-local.apps.googleusercontent.com',
  secret: 'GOCSPX-local-google-client-secret',
};

/** An account; `hd` is the organisation that it belongs to, and absent for a person's own. */
const account = (email, sub, about, { hd, emailVerified = true } = {}) => ({
  email,
  sub,
  emailVerified,
  about,
  ...(hd && { claims: { hd } }),
});

/** The accounts. Google's subjects are up to 255 digits and never given to another account. */
export const accounts = Object.freeze([
  account('owner@example.test', '108000000000000000001', 'of the organisation example.test', {
    hd: 'example.test',
  }),
  account('colleague@example.test', '108000000000000000002', 'of the organisation example.test', {
    hd: 'example.test',
  }),
  account('guest@other.test', '108000000000000000003', 'of the organisation other.test', {
    hd: 'other.test',
  }),
  account('private@mail.test', '108000000000000000004', "a person's own"),
  // What an administrator could not create, but a person can: an own account under an organisation's address.
  account('personal@example.test', '108000000000000000005', "a person's own"),
  account('unverified@example.test', '108000000000000000006', 'address not verified', {
    emailVerified: false,
  }),
  account('stranger@example.test', '108000000000000000007', 'not on the allowlist', { hd: 'example.test' }),
]);
