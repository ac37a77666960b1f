import { type Html, html } from './html.ts'

interface Chapter {
  id: string
  title: string
  text: Html
}

/** What holds for every operation, for people who write clients. */
export const guide: readonly Chapter[] = [
  {
    id: 'freshness',
    title: 'How fresh an answer is',
    text: html`
      <p>What the index answers about one domain or agent has a <code>freshness</code> block: what came of the
      last attempt to read the file or to ask the agent behind it; what was asked of the web just now needs
      none. It is never part of the judgement itself; an
      answer that could not be confirmed lately is still the last one that was true.</p>
      <table>
        <tr><th>state</th><th>means</th></tr>
        <tr><td><code>never_crawled</code></td><td>nobody has asked yet; asking for it here makes it due</td></tr>
        <tr><td><code>current</code></td><td>the last attempt read it, and that was not long ago</td></tr>
        <tr><td><code>stale</code></td><td>it was read, but not for two days</td></tr>
        <tr><td><code>failing</code></td><td>the last attempt got no answer: time-out, refusal, broken TLS</td></tr>
        <tr><td><code>absent</code></td><td>there is no such file (404 or 410)</td></tr>
        <tr><td><code>invalid</code></td><td>there is something, and it says nothing the registry understands</td></tr>
      </table>
      <p><code>checked_at</code> is the last attempt, <code>succeeded_at</code> the last that brought an answer,
      <code>outcome</code> what came of it in one word, <code>http_status</code> what the server said.</p>`,
  },
  {
    id: 'caching',
    title: 'Asking again',
    text: html`
      <p>Answers by key carry an <code>ETag</code> of their content without the freshness block, so a night
      in which nothing changed changes no ETag. Send it back as <code>If-None-Match</code>: what you hold
      already is answered with 304 and no body; <code>Last-Modified</code> and
      <code>If-Modified-Since</code> do the same by the second, where one commit alone changes an answer. <code>Cache-Control</code> says how long an answer may be
      kept without asking; <code>no-cache</code> means to keep it and ask.</p>
      <p>A commit is shown at once by answers by key, histories and the feed. Lists and search are answered
      from a snapshot that is a few seconds to minutes behind; <code>X-Registry-Seq</code> says which commit
      they show.</p>`,
  },
  {
    id: 'credentials',
    title: 'Credentials',
    text: html`
      <p>Resolution, lookups, discovery and search of brands and properties need none. The feed, agent
      search, bootstrap and everything that writes need <code>Authorization: Bearer sk_…</code>, the key of
      an organization, or the token of a person, which comes from the identity provider that
      <code>/.well-known/oauth-authorization-server</code> describes. Without one, or with one that is not
      valid, they answer 401 and say in <code>WWW-Authenticate</code> where to learn more; 403 means that
      you are known and may not. Where a credential only widens an answer, a bad one counts as none.</p>`,
  },
  {
    id: 'errors',
    title: 'When something is wrong',
    text: html`
      <p>Every refusal is JSON with <code>error</code>, a sentence that names the field and what is wrong
      with it. 429 and 503 say in <code>Retry-After</code>, and again in <code>retry_after</code>, after how
      many seconds to ask again. A domain that nobody knows is 404 where an answer would be about that
      domain alone, and an empty 200 where it lists. The registry never redirects.</p>`,
  },
  {
    id: 'replica',
    title: 'Keeping a copy',
    text: html`
      <p>Agent search, the snapshot of authorizations, the catalog and collections, read once, are a copy;
      each of their answers names in <code>X-Sync-Cursor</code> the event up to which it goes. Read the feed
      from the oldest of these cursors on, and the copy follows. What an event says may already be in the
      copy; nothing is missing. The feed reaches back 90 days: an older cursor is answered with 410
      <code>cursor_expired</code>, and the way on is to begin again.</p>
      <p><code>GET /api/registry/feed</code> pages through events; with <code>has_more: false</code> you are
      at the end, and ask again later with the same cursor. <code>GET /api/registry/feed/stream</code> sends
      the same pages as server-sent events, and a heartbeat while there is nothing. A cursor belongs to one
      set of <code>types</code>.</p>`,
  },
  {
    id: 'mcp',
    title: 'For agents',
    text: html`
      <p><code>POST /mcp</code> is the registry as an MCP server (Streamable HTTP, no sessions). Its tools are
      the reading operations below, under the same names, with the same parameters, limits and credentials.</p>`,
  },
]
