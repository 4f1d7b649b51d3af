/**
 * Where the look-alike and the emulator `emulate` 0.12.2 differ: `where` names the step and the place in its answer
 * (`tests/e2e/look-alike-emulate.test.mjs`), `right` who answers as GitHub does, and `source` why that is known. `either`
 * stands where both are possible or nobody relies on it.
 */
export const DIFFERENCES = [
  // Of refusals in general.
  {
    where: /\/body\/documentation_url$/,
    right: 'look-alike',
    source: 'pome-sh/digital-twins#400: the page of the operation',
  },
  { where: /\/body\/status$/, right: 'look-alike', source: 'pome-sh/digital-twins#400' },
  {
    where: /\/body\/errors$/,
    right: 'look-alike',
    source: 'GitHub docs, "Troubleshooting the REST API"; eduardoboucas/staticman#68',
  },

  // Of a repository.
  {
    where: /repository\/body\/(?:owner\/)?(?:git_refs_url|git_url|ssh_url|avatar_url)$/,
    right: 'look-alike',
    source: 'schema full-repository of the OpenAPI description, examples; nobody reads them',
  },
  {
    where: /repository\/body\/(?:has_\w+|allow_\w+|delete_branch_on_merge|owner\/user_view_type)$/,
    right: 'either',
    source: 'settings, and members that the OpenAPI description does not require',
  },
  {
    where: /repository\/body\/(?:network_count|subscribers_count)$/,
    right: 'look-alike',
    source: 'schema full-repository of the OpenAPI description requires them',
  },
  {
    where: /repository\/body\/permissions\/(?:admin|maintain)$/,
    right: 'either',
    source: 'the emulator shows what the owner may do, the look-alike what the token may',
  },

  // Of what is there.
  {
    where: /^(?:a branch|a tree) of nothing\/(?:status|body\/message)$/,
    right: 'look-alike',
    source: 'github/docs#31951, rest-api-description#637',
  },
  { where: /^the root of nothing\/body\/message$/, right: 'look-alike', source: 'github/docs#31951' },
  {
    where: /^the branch\/body\/url$/,
    right: 'look-alike',
    source: 'schema git-ref of the OpenAPI description, example of "Get a reference"',
  },
  {
    where: /^the branch with its commit\/body\/(?:_links|protection|commit\/\w+)$/,
    right: 'look-alike',
    source: 'schema branch-with-protection of the OpenAPI description requires them',
  },
  {
    where: /^the commit alone\/body$/,
    right: 'look-alike',
    source: 'GitHub docs, "Get a commit", media type application/vnd.github.sha',
  },
  {
    where: /^a commit that is missing\/(?:status|body\/message)$/,
    right: 'look-alike',
    source: 'rust-lang/homu#141',
  },
  {
    where: /^the bytes of a blob\/body$/,
    right: 'look-alike',
    source: 'GitHub docs, "Get a blob", media type application/vnd.github.raw+json',
  },
  {
    where: /^a blob of no name\/(?:status|body\/message)$/,
    right: 'look-alike',
    source: 'silvanocerza/github-gitless-sync#47',
  },
  { where: /^(?:a blob|a file)\/body\/content$/, right: 'look-alike', source: 'ovity/octotree#149' },
  {
    where: /^a ref that is missing\/body\/message$/,
    right: 'look-alike',
    source: 'GitHub docs, "Get repository content"',
  },
  {
    where: /tree.*\/body\/tree\/.*\/url$/,
    right: 'look-alike',
    source: 'schema git-tree of the OpenAPI description, example of "Get a tree"',
  },
  { where: /\/order$/, right: 'look-alike', source: "git's order of a tree, where a folder ends in a slash" },
  { where: /\/files\/.*\/patch$/, right: 'look-alike', source: "git's own patch leaves a count of 1 out" },
  {
    where: /\/body\/permalink_url$/,
    right: 'look-alike',
    source: 'schema commit-comparison of the OpenAPI description, example',
  },

  // Of what is refused.
  {
    where: /^(?:a file that is there|no message|no content|an author .*|a deletion without sha)\/body\/message$/,
    right: 'look-alike',
    source: 'pome-sh/digital-twins#400',
  },
  { where: /^another branch\/body\/message$/, right: 'either', source: 'the text is not on public record' },
  {
    where: /^in the place of a folder\/body\/message$/,
    right: 'either',
    source: 'the text is not on public record',
  },
  { where: /^a path that climbs\/body\/message$/, right: 'look-alike', source: 'eduardoboucas/staticman#68' },
  { where: /^a sha where nothing is\/status$/, right: 'look-alike', source: 'pome-sh/digital-twins#400' },
  {
    where: /^below a file\/status$/,
    right: 'either',
    source: 'not on public record: the look-alike does what would lose the file, and the server has to see to it that it does not',
  },
  {
    where: /^an unknown version\/status$/,
    right: 'look-alike',
    source: 'GitHub docs, "API Versions"; expipiplus1/update-nix-fetchgit#79',
  },
  {
    where: /^no User-Agent\/status$/,
    right: 'look-alike',
    source: 'GitHub docs, "Getting started with the REST API"; unjs/unstorage#643',
  },
  {
    where: /^an unknown token\/status$/,
    right: 'look-alike',
    source: 'GitHub docs, "Troubleshooting the REST API"',
  },
];
