/** Rules that apply to every operation, for authors of clients, as Markdown. */
export const guide = `
## How fresh an answer is

What the index answers about one domain or agent has a \`freshness\` block: what came of the last
attempt to read the file or to ask the agent behind it; what was asked of the web just now needs
none. Where several files decided, such as a pointer and the file it leads to, it is that of the
one that stands worst. It is never part of the judgement itself; an answer that could not be
confirmed lately is still the last one that was true.

| state | means |
| --- | --- |
| \`never_crawled\` | nobody has asked yet; asking for it here makes it due |
| \`current\` | the last attempt read it, and that was not long ago |
| \`stale\` | it was read, but not for two days |
| \`failing\` | the last attempt got no answer: time-out, refusal, broken TLS |
| \`absent\` | there is no such file (404 or 410) |
| \`invalid\` | there is something, and it says nothing the registry understands |

\`checked_at\` is the last attempt, \`succeeded_at\` the last that brought an answer, \`outcome\` what
came of it in one word, \`http_status\` what the server said.

## Asking again

Answers by key carry an \`ETag\` of their content without the freshness block, so a night in which
nothing changed changes no ETag. Send it back as \`If-None-Match\`: what you hold already is
answered with 304 and no body; \`Last-Modified\` and \`If-Modified-Since\` do the same by the second,
where one commit alone changes an answer. \`Cache-Control\` says how long an answer may be kept
without asking; \`no-cache\` means to keep it and ask.

A commit is shown at once by answers by key, histories and the feed. Lists and search are answered
from a snapshot that is a few seconds to minutes behind; \`X-Registry-Seq\` says which commit they
show, and \`X-Registry-As-Of\` until when everything that was committed is in them.

## Credentials

Resolution, lookups, discovery and search of brands and properties need none. The feed, agent
search, bootstrap and everything that writes need \`Authorization: Bearer sk_…\`, the key of an
organization, or the token of a person, which comes from the authorization server that
\`/.well-known/oauth-authorization-server\` describes: applications register there by themselves. Without one, or with one that is not valid,
they answer 401 and say in \`WWW-Authenticate\` where to learn more; 403 means that you are known
and may not. Where a credential only widens an answer, a bad one counts as none.

## When something is wrong

Every refusal is JSON with \`error\`, a sentence that names the field and what is wrong with it, and
\`code\`, a word that stays. A domain may be given as it was pasted, with a scheme, a path or in
capitals. Lists take \`limit\` and \`cursor\`, and answer \`has_more\` and \`next_cursor\`; a limit beyond
the largest page means the largest, except in the feed, agent search and collections, which refuse
it. A list beside others that is cut says so in \`<name>_truncated\`, and \`<name>_next_cursor\`, passed
as \`<name>_cursor\`, leads on. 429 and 503 say in \`Retry-After\`, and again in \`retry_after\`, after how many seconds to ask
again. A domain that nobody knows is 404 where an answer would be about that domain alone, and an
empty 200 where it lists. The registry never redirects.

## Keeping a copy

Agent search, the snapshot of authorizations, the catalog and collections, read once, are a copy;
each of their answers names in \`X-Sync-Cursor\` the event up to which it goes. Read the feed from
the oldest of these cursors on, and the copy follows. What an event says may already be in the
copy; nothing is missing. The feed reaches back 90 days: an older cursor is answered with 410
\`cursor_expired\`, and the way on is to begin again.

\`GET /api/registry/feed\` pages through events; with \`has_more: false\` you are at the end, and ask
again later with the same cursor. \`GET /api/registry/feed/stream\` sends the same pages as
server-sent events, and a heartbeat while there is nothing. A cursor belongs to one set of
\`types\`.

## Examples

Every operation has an example that was answered just so, as code for curl, TypeScript and Python;
only long lists are cut. Where a credential is needed, it is read from \`REGISTRY_KEY\`.

## For agents

\`POST /mcp\` is the registry as an MCP server (Streamable HTTP, no sessions). Its tools are the
reading operations below, under the same names, with the same parameters, limits and credentials.
`
