/** What the repository really holds, read by git itself: the oracle of every listing and every byte. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The repository `name` (owner/name) within a look-alike's state folder. */
export function repositoryIn(folder, name = 'example/vault') {
  const found = readdirSync(folder)
    .map((source) => join(folder, source, `${name}.git`))
    .filter(existsSync);
  if (found.length !== 1)
    throw new Error(`expected one repository ${name} in ${folder}, found ${found.length}`);
  return found[0];
}

const git = (repository, args, input) =>
  execFileSync('git', ['--git-dir', repository, ...args], { input, maxBuffer: 1 << 30 });

/** The commit a branch points at. */
export const headOf = (repository, branch = 'main') =>
  git(repository, ['rev-parse', `refs/heads/${branch}`])
    .toString()
    .trim();

/** A commit: its parents, author, committer (`name <address>`), subject, and trailers as git reads them. */
export function commitOf(repository, commit) {
  const format = ['%P', '%an <%ae>', '%cn <%ce>', '%s', '%(trailers:only,unfold)'].join('%x00');
  const [parents, author, committer, subject, trailers] = git(repository, [
    'log',
    '-1',
    `--format=${format}`,
    commit,
  ])
    .toString('utf8')
    .split('\0');
  return {
    parents: parents.split(' ').filter(Boolean),
    author,
    committer,
    subject,
    trailers: trailers.trim(),
  };
}

/** The commits of a branch whose message begins with this line. */
export const commitsOf = (repository, subject, branch = 'main') =>
  git(repository, ['log', '--format=%H %s', branch])
    .toString('utf8')
    .split('\n')
    .filter((line) => line.slice(41) === subject)
    .map((line) => line.slice(0, 40));

/** What a commit changed against its parent: lines of a letter (A, M, D) and a path, `{change, path}`. */
export const changesOf = (repository, commit) =>
  git(repository, ['diff-tree', '--no-commit-id', '--name-status', '--no-renames', '-r', '-z', commit])
    .toString('utf8')
    .split('\0')
    .filter(Boolean)
    .reduce((changes, field, i) => {
      if (i % 2 === 0) changes.push({ change: field });
      else changes.at(-1).path = field;
      return changes;
    }, []);

/** The bytes of a file in a commit; undefined where there is none. */
export const bytesAt = (repository, commit, path) =>
  filesOf(repository, commit).find((file) => file.path === path)?.bytes;

/** Every entry of a commit's tree: `{path, mode, revision, bytes}`; a submodule has no bytes. */
export function filesOf(repository, commit) {
  const entries = git(repository, ['ls-tree', '-r', '-z', commit])
    .toString('utf8')
    .split('\0')
    .filter(Boolean)
    .map((line) => {
      const [, mode, type, revision, path] = /^(\d+) (\w+) ([0-9a-f]{40})\t([\s\S]*)$/.exec(line);
      return { mode, type, revision, path };
    });
  const blobs = entries.filter(({ type }) => type === 'blob');
  const batch = git(
    repository,
    ['cat-file', '--batch'],
    blobs.map(({ revision }) => `${revision}\n`).join(''),
  );
  let offset = 0;
  for (const blob of blobs) {
    const end = batch.indexOf(0x0a, offset);
    const size = Number(batch.subarray(offset, end).toString().split(' ')[2]);
    blob.bytes = batch.subarray(end + 1, end + 1 + size);
    offset = end + 1 + size + 1;
  }
  return entries;
}

/**
 * Whether the policy shows this file, by a rule written independently of the server's: a regular file, named like a
 * note, with no segment that starts with a dot once characters that nobody sees are gone.
 */
export const isVisibleNote = ({ mode, path }) =>
  ['100644', '100755'].includes(mode) &&
  /\.(md|markdown)$/i.test(path) &&
  !path
    .split('/')
    .some((segment) => segment.replace(/\p{Default_Ignorable_Code_Point}/gu, '').startsWith('.'));
