/** Signing keys: the one in use, and the one that `keys: "rotated"` puts in its place. */
import { calculateJwkThumbprint, exportJWK, exportSPKI, generateKeyPair } from 'jose';

async function generate() {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  // Derived from the key: after a restart a client that kept the old key set must not find another key under the same id.
  const kid = await calculateJwkThumbprint(jwk);
  const facts = { kid, use: 'sig', alg: 'RS256' };
  return {
    kid,
    privateKey,
    publicJwk: { ...jwk, ...facts },
    privateJwk: { ...(await exportJWK(privateKey)), ...facts },
    publicPem: await exportSPKI(publicKey),
  };
}

/**
 * Three fresh key pairs: `first` signs by default, `second` after a rotation, and `unpublished` never appears in
 * the key set.
 */
export async function generateKeys() {
  const [first, second, unpublished] = await Promise.all([generate(), generate(), generate()]);
  return { first, second, unpublished };
}
