/** Rules that apply to every operation, for authors of clients, as Markdown. */
export const guide = `
## Freshness

Most responses from the index about one domain or agent have a \`freshness\` block: the result of the last attempt
to read the file, or to call the agent, behind it. A response based on a file read just now has none.
If the response depends on several files, such as a pointer and its target, the block describes the least
fresh one. It says how recently the files were read, not whether they are right: the response
contains the last known data.

| state | means |
| --- | --- |
| \`never_crawled\` | the file has not been requested yet; a lookup or check of one domain schedules a crawl, a bulk call does not |
| \`current\` | the last attempt succeeded less than two days ago |
| \`stale\` | the last successful attempt was more than two days ago |
| \`failing\` | the last attempt failed, for example with a timeout, broken TLS or a server error |
| \`absent\` | there is no such file (404 or 410) |
| \`invalid\` | there is a file, but nothing in it can be used |

\`checked_at\` is the time of the last attempt, and \`succeeded_at\` is the time of the last successful one.
\`outcome\` is the result of the last attempt in one word, and \`http_status\` what the server returned.

## Caching

Most resolved brands and properties, and most lookups of publishers and domains, have an \`ETag\`. It covers the content
and \`freshness.state\`, but not the times in \`freshness\`, so it stays the same while nothing changes. Most lists have an \`ETag\` too, which may change
with each snapshot. Verdicts have none, and neither do lookups that find no valid file, or only a file that manages other publishers. Send the \`ETag\` as \`If-None-Match\`: if nothing has changed, you get a 304.
Responses that change only when the index changes also support \`Last-Modified\` and \`If-Modified-Since\`, in whole
seconds. \`Cache-Control\` says how long you may reuse a response without a request. \`no-cache\` means that
you may store it, but must revalidate it each time.

Lookups, histories and the feed show a change at once. Lists and search come from a
snapshot that is a few seconds to minutes old: \`X-Registry-Seq\` is the number of the last commit (a batch of changes) in it, and
\`X-Registry-As-Of\` is the time up to which it includes all changes.

## Credentials

Resolution, lookups, discovery and search of brands and properties need no credential. The feed,
agent search, \`/api/registry/authorizations\` and its snapshot, everything about your organization, and all writes need a credential:
\`Authorization: Bearer sk_…\` with an organization’s key, or a person’s access token.
\`/.well-known/oauth-authorization-server\` describes the authorization server that issues such tokens.
A missing or invalid credential gets a 401, and \`WWW-Authenticate\` says where to learn more.
A 403 means that you do not have permission. Where a credential is optional, an invalid one is ignored, except by \`/mcp\`, which responds with a 401.

## Errors and lists

Every error is JSON with two fields: \`error\` is a sentence that names the field and what is wrong with it,
and \`code\` is a stable name. A response with status 429 or 503 says in \`Retry-After\` and \`retry_after\` how
many seconds to wait. Limited operations report their limit in \`RateLimit-Limit\`, \`RateLimit-Remaining\` and
\`RateLimit-Reset\`. An unknown parameter gets a 400, and so does an unknown body field whose name is
close to a known one. Product requests and new subscriptions reject every unknown field; others ignore them.

A domain may include a scheme, a path or capitals. An unknown domain gets a 404 from operations that
return a single record, and a 200 with empty lists from those that return lists. If the registry knows the domain without \`www.\`,
\`did_you_mean\` names it.

The URL of an agent needs its scheme. If no agent has exactly this URL, case is ignored, even in the path.
If it is just a host, not an agent, \`did_you_mean\` names up to five agents at that
host; if it has \`http\` and an agent has it with \`https\`, \`did_you_mean\` names that agent. This applies to lookups, test results and authorization checks.

Lists take \`limit\` and \`cursor\`, and return \`has_more\` and \`next_cursor\`. A limit above the maximum counts as the
maximum, except in the feed, agent search and collections, which reject it. If a response has several lists and one of
them is cut off, \`<name>_truncated\` says so: send its \`<name>_next_cursor\` as \`<name>_cursor\` to get the rest. A search
returns only the best matches of each kind.

No operation returns a redirect, but these URLs do: \`/data/registry.duckdb\` (302, to the latest snapshot, a file that never
changes), \`/guides\` and \`/docs/{name}\` (301, to the guides), \`/brands/{domain}\`, \`/publishers/{domain}\` and
\`/agents/{url}\` (301, to their pages), and the sign-in pages.

## Keeping a copy

Fetch every page of agent search, the snapshot of authorizations, the catalog and collections once. Together they
are a full copy of what publishers grant and agents offer. Only lookups say whether operators agree.
The \`X-Sync-Cursor\` of each response is the cursor of the last event that it includes. Then read the feed from
the oldest of these cursors. The copy may already include some of the events after it, but none is
missing. Reload the lists of agents and properties from time to time: events do not carry all their fields. The feed reaches back 90 days. For an older cursor you get a 410 \`cursor_expired\`: fetch
the full copy again.

\`GET /api/registry/feed\` pages through events. \`has_more: false\` means that you are at the end: send
the same cursor again later. \`GET /api/registry/feed/stream\` sends the same pages as
server-sent events, and heartbeats in between. Use the same filters on every page.

## Examples

Every operation has an example in curl, TypeScript and Python, with a response that was recorded from a test
registry: its IDs and values differ from those of the demo, and long lists are shortened. Keys and tokens come from
environment variables.

## For agents

\`POST /mcp\` is the registry as an MCP server (Streamable HTTP, no sessions). Its tools are the
read operations of this API that return JSON, with the same parameters, limits and credentials. There are none for streams, files or bulk checks of authorizations. The tool for \`resolveBrand\` is called
\`resolve_brand\`. For tools that need a credential, send \`Authorization: Bearer sk_…\` with each request.
`
