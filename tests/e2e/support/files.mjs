/** Files as texts to look through. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** No text may have more than 512 MiB characters; a database of a large vault has more bytes. */
const PART = 128 * 1024 * 1024;

/** Parts overlap by this, so that whatever is shorter stands in one of them whole. */
const OVERLAP = 4 * 1024;

/** Every file below a folder. */
export const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** The bytes of a file as pairs of a name and a text in which each character is a byte. */
export function inParts(path, bytes, { part = PART, overlap = OVERLAP } = {}) {
  if (bytes.length <= part) return [[path, bytes.toString('latin1')]];
  const parts = [];
  for (let start = 0; start < bytes.length; start += part)
    parts.push([`${path} from byte ${start}`, bytes.toString('latin1', start, start + part + overlap)]);
  return parts;
}
