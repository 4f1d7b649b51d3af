/**
 * Answers that GitHub gives and its OpenAPI description does not declare, by what the look-alike calls them: a refusal
 * (a variant of `ApiError`, which says more), or one of the other forms below. `operations` are those that are known to
 * answer so; all where it is left out. The test fails when one of these is declared, or never given.
 */
export const UNDECLARED = {
  // Of any request, whatever it asks for.
  NoUserAgent: { source: 'GitHub docs, "Getting started with the REST API"; unjs/unstorage#643' },
  BadCredentials: { source: 'GitHub docs, "Troubleshooting the REST API"' },
  UnsupportedVersion: { source: 'GitHub docs, "API Versions"; expipiplus1/update-nix-fetchgit#79' },
  NotAccessible: { source: 'GitHub docs, "Troubleshooting the REST API"' },
  NotAccessibleByIntegration: { source: 'octokit/app.js#349' },
  SamlEnforced: { source: 'GitHub docs, "Authenticating to the REST API"; github/github-mcp-server#1121' },
  LoginAttempts: { source: 'GitHub docs, "Authenticating to the REST API", "Failed login limit"' },
  IpAllowList: { source: 'SalesforceFoundation/NPSP#7247' },
  InstallationSuspended: { source: 'octokit/octokit.rb#1307' },
  PrimaryLimit: { source: 'GitHub docs, "Rate limits for the REST API"' },
  SecondaryLimit: { source: 'GitHub docs, "Rate limits for the REST API"; apache/devlake#1322' },
  ServerError: { source: 'GitHub docs, "Troubleshooting the REST API", "Timeouts"' },
  NotModified: { source: 'GitHub docs, "Best practices for using the REST API", "Use conditional requests"' },
  Moved: { source: 'GitHub docs, "Best practices for using the REST API", "Follow redirects"; octokit/fixtures' },

  // Of some.
  Raw: {
    operations: ['git/get-blob', 'repos/get-content'],
    source: 'GitHub docs, "Get a blob" and "Get repository content", custom media types',
  },
  Archived: {
    operations: ['repos/create-or-update-file-contents', 'repos/delete-file'],
    source: 'r-universe-org/help#247',
  },
  ProblemsParsingJson: {
    operations: [
      'apps/create-installation-access-token',
      'repos/create-or-update-file-contents',
      'repos/delete-file',
    ],
    source: 'GitHub docs, "Troubleshooting the REST API", "Invalid request"',
  },
  NotAnObject: {
    operations: ['repos/create-or-update-file-contents', 'repos/delete-file'],
    source: 'GitHub docs, "Troubleshooting the REST API", "Invalid request"',
  },
  MalformedSha: { operations: ['git/get-commit'], source: 'as of "Get a blob", which declares it' },
  RequiresAuthentication: {
    operations: ['apps/get-installation'],
    source: 'GitHub docs, "Authenticating as a GitHub App"',
  },
  JwtUndecodable: { operations: ['apps/get-installation'], source: 'octokit/rest.js#218' },
  JwtExpired: { operations: ['apps/get-installation'], source: 'sigmavirus24/github3.py#1050' },
  JwtTooLong: { operations: ['apps/get-installation'], source: 'octokit/auth-app.js#698' },
  JwtFromTheFuture: {
    operations: ['apps/get-installation'],
    source: 'GitHub docs, "Generating a JSON Web Token (JWT) for a GitHub App"',
  },
  NotFound: {
    operations: ['repos/download-tarball-archive'],
    source: 'GitHub docs, "Troubleshooting the REST API", "404 Not Found"',
  },
};
