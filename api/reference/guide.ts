/** Rules that apply to every operation, for authors of clients, as Markdown. */
export const guide = `
## Freshness

A response from the index about one domain or agent has a \`freshness\` block: the result of the last attempt
to read the file, or to call the agent, behind it. A response that was read from the web just now has none.
If several files decided, such as a pointer and its target, the block is that of the least fresh one. It
says how recently the data was confirmed, not whether it is right: data that could not be confirmed is
still the last known.

| state | means |
| --- | --- |
| \`never_crawled\` | the file has not been requested yet; looking it up schedules a crawl |
| \`current\` | the last attempt succeeded, within two days |
| \`stale\` | it was read, but not for two days |
| \`failing\` | the last attempt got no response: a timeout, a refusal, broken TLS |
| \`absent\` | there is no such file (404 or 410) |
| \`invalid\` | there is a file, but nothing in it is valid |

\`checked_at\` is the time of the last attempt, \`succeeded_at\` that of the last successful one,
\`outcome\` the result of the last attempt in one word, \`http_status\` the status of the server.

## Caching

Resolved brands and properties, and lookups of publishers and domains, have an \`ETag\` of their content
without the freshness block, so it stays the same while nothing changes; pages of a list, unknown domains and lookups of
agents, operators and authorizations have none. Send it as \`If-None-Match\`: if you already have the response, you get a 304 without a body.
Responses that only a commit changes also support \`Last-Modified\` and \`If-Modified-Since\`, in whole
seconds. \`Cache-Control\` says how long you may reuse a response without a request; \`no-cache\` means that
you may store it, but must revalidate it each time.

Lookups, histories and the feed show a commit at once. Lists and search come from a
snapshot that is a few seconds to minutes old: \`X-Registry-Seq\` is the commit that they show, and
\`X-Registry-As-Of\` the time up to which all commits are included.

## Credentials

Resolution, lookups, discovery and search of brands and properties need no credential. The feed,
agent search, \`/api/registry/authorizations\` and its snapshot, what belongs to your organization, and all writes need \`Authorization: Bearer sk_…\`, the key of an
organization, or the access token of a person. \`/.well-known/oauth-authorization-server\` describes
the authorization server that issues such tokens; applications register there by themselves. A
missing or invalid credential gets a 401, and \`WWW-Authenticate\` says where to learn more;
403 means that you are not permitted. Where a credential is optional, an invalid one is ignored.

## Errors and lists

Every error is JSON with \`error\`, a sentence that names the field and what is wrong with it, and \`code\`,
a stable name. A domain may include a scheme, a path or capitals. The address of an agent needs its scheme;
if no agent has exactly this address, its case is ignored, in the path too, since files write it in different ways.
If it is only a host and no agent itself, \`did_you_mean\` names up to five agents there, in lookups of
agents and single checks of authorization. For an unknown domain it names the one without \`www.\`, if that is known. Lists take \`limit\` and \`cursor\`, and
return \`has_more\` and \`next_cursor\`; a limit above the maximum counts as the maximum, except in the
feed, agent search and collections, which refuse it. If a response has several
lists and one of them was cut, \`<name>_truncated\` says so; send its \`<name>_next_cursor\` as \`<name>_cursor\` to get the rest. 429 and
503 say in \`Retry-After\` and \`retry_after\` how many seconds to wait; limited operations report their limit in
\`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\`. An unknown domain gets a 404 if the
response would be about that domain alone, and an empty 200 if it is a list. A misspelled field of a body
gets a 400, as does any unknown field of a request about a product; others are ignored. No operation redirects. These
addresses do: \`/data/registry.duckdb\` (302, to the latest snapshot, a file that never changes),
\`/guides\` and \`/docs/{name}\` (301, to the guides), \`/brands/{domain}\`, \`/publishers/{domain}\` and
\`/agents/{url}\` (301, to their pages), and the sign-in pages.

## Keeping a copy

Read agent search, the snapshot of authorizations, the catalog and collections once: together they
are a full copy of what publishers grant and agents offer; whether operators agree, only lookups
say. Each response names in \`X-Sync-Cursor\` the last event that it includes. Then read the feed from
the oldest of these cursors. Some of its events may already be included in the copy; none is
missing. The feed reaches back 90 days: an older cursor gets a 410 \`cursor_expired\`, and
you read the full copy again.

\`GET /api/registry/feed\` pages through events; \`has_more: false\` means that you are at the end: request
the same cursor again later. \`GET /api/registry/feed/stream\` sends the same pages as
server-sent events, and heartbeats in between. Use the same \`types\`, \`domain\`
and \`agent\` on every page. A cursor also works with different filters, but you will miss events.

## Examples

Every operation has an example, with code for curl, TypeScript and Python. Responses were recorded from a
test registry, so ids and values of the demo differ; long lists are shortened. Each operation says which access it
needs; the code reads a credential from \`REGISTRY_KEY\`.

## For agents

\`POST /mcp\` is the registry as an MCP server (Streamable HTTP, no sessions). Its tools are the
reading operations below, with the same parameters, limits and credentials; the tool of \`resolveBrand\` is
\`resolve_brand\`. Send \`Authorization: Bearer sk_…\` with each request for those that need a credential.
`
