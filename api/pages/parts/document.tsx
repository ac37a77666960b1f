import { hasRecords, type RecordReader } from '../../../pipeline/read/lookups/records.ts'
import type { Services } from '../../operation/services.ts'
import { getAssets } from '../assets.ts'
import { ATOM, ATOM_PATH, JSON_FEED, JSON_FEED_PATH, toFeedPath } from '../feeds/change-feeds.ts'
import type { ChangeSubject } from '../feeds/entries.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { clipText } from '../html/text.tsx'
import type { View } from '../view.ts'

const NAME = 'Agentic Ad Registry'

type Link = readonly [address: string, name: string]

/** Pages for people who read about the registry or program it; the longest address first. */
const docs: readonly Link[] = [
  ['/docs/guides', 'Guides'],
  ['/docs', 'API reference'],
  ['/sql', 'SQL'],
  ['/data', 'Data set'],
]

const DOCS: Link = ['/docs/guides', 'Docs']
const DASHBOARD: Link = ['/dashboard', 'Dashboard']

const sections: readonly Link[] = [
  ['/brands', 'Brands'],
  ['/publishers', 'Publishers'],
  ['/agents', 'Agents'],
  ['/changes', 'Changes'],
  ['/authorization', 'Check authorization'],
  ['/workshop', 'Check a file'],
  DOCS,
]

const withDashboard: readonly Link[] = [...sections, DASHBOARD]

/** Addresses of pages whose link in the header says that they are shown. */
const linked = new Set<string | undefined>([...sections, ...docs].map(([address]) => address))

const SKIP = (
  <a class="skip" href="#content">
    Skip to content
  </a>
)

/** Facts about the registry that the document around a page shows. */
export type Site = Pick<Services, 'isAuthorizationServer' | 'baseUrl'> & { reader: RecordReader }

/** Renders the whole document of a page. `path` is its canonical address. */
export function renderDocument(view: View, site: Site, path: string | undefined): string {
  const page = (
    <html lang="en">
      <head>{renderHead(view, site.baseUrl(), path)}</head>
      <body {...(view.isLive && { 'data-live': 'true' })}>
        {SKIP}
        {findHeader(view, site.isAuthorizationServer, path)}
        <main id="content" tabindex="-1">
          {view.body}
        </main>
        {renderFooter(view, site.reader)}
      </body>
    </html>
  )
  return `<!doctype html>${page}`
}

function renderHead(view: View, origin: string, path: string | undefined): Html {
  const { title, description, picture, status = 200, followed } = view
  const { isLive, isEditor, hasPasskeys, program } = view
  const { live, editor, enhance, passkeys } = getAssets()
  const named = title === NAME ? NAME : `${clipText(title, 90)} · ${NAME}`
  const summary = clipText(description, 200)
  return (
    <>
      {getEqualHead()}
      <title>{named}</title>
      <meta name="description" content={summary} />
      {status !== 200 ? <meta name="robots" content="noindex" /> : null}
      {path === undefined ? null : <link rel="canonical" href={`${origin}${path}`} />}
      {followed === undefined ? null : renderFeedLinks(followed)}
      <meta property="og:title" content={clipText(title, 90)} />
      <meta property="og:description" content={summary} />
      {path === undefined ? null : <meta property="og:url" content={`${origin}${path}`} />}
      {picture === undefined || status !== 200 ? (
        <meta name="twitter:card" content="summary" />
      ) : (
        <>
          <meta property="og:image" content={`${origin}${picture}`} />
          <meta property="og:image:alt" content={clipText(title, 90)} />
          {PICTURE}
        </>
      )}
      {isLive ? <script src={live.path} defer></script> : null}
      {isEditor ? <script src={editor.path} defer></script> : null}
      {hasPasskeys ? <script src={passkeys.path} defer></script> : null}
      <script src={enhance.path} defer></script>
      {program === undefined ? null : <script type="module" src={program}></script>}
    </>
  )
}

function renderFeedLinks(subject: ChangeSubject): Html {
  return (
    <>
      <link rel="alternate" type={ATOM} title="Changes" href={toFeedPath(ATOM_PATH, subject)} />
      <link
        rel="alternate"
        type={JSON_FEED}
        title="Changes"
        href={toFeedPath(JSON_FEED_PATH, subject)}
      />
    </>
  )
}

/** The beginning of every head, rendered when a page is first asked for. */
let equalHead: Html | undefined

function getEqualHead(): Html {
  const { style, icon } = getAssets()
  equalHead ??= (
    <>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <link rel="icon" type="image/svg+xml" href={icon.path} />
      <link rel="stylesheet" href={style.path} />
      <meta property="og:site_name" content={NAME} />
      <meta property="og:type" content="website" />
    </>
  )
  return equalHead
}

const PICTURE = (
  <>
    <meta property="og:image:type" content="image/png" />
    <meta property="og:image:width" content="1200" />
    <meta property="og:image:height" content="630" />
    <meta name="twitter:card" content="summary_large_image" />
  </>
)

/** Headers of pages without a search box of their own, by the section: as many as there are sections. */
const headers = new Map<string, Html>()

function findHeader(view: View, hasDashboard: boolean, address: string | undefined): Html {
  const [path] = address?.split('?', 1) ?? []
  if (view.hasSearch || view.tabs !== undefined) return renderHeader(view, hasDashboard, path)
  const place = path === '/' || linked.has(path) ? path : `${findSection(path)} ${findDocs(path)}`
  const key = `${place} ${hasDashboard}`
  const known = headers.get(key)
  if (known !== undefined) return known
  const header = renderHeader({}, hasDashboard, path)
  headers.set(key, header)
  return header
}

const findDocs = (path = ''): Link | undefined =>
  docs.find(([address]) => path === address || path.startsWith(`${address}/`))

/** Finds the section of a page; that of one thing, such as `/brand/acme.example`, is its list's. */
function findSection(path = ''): Link | undefined {
  if (findDocs(path) !== undefined) return DOCS
  const [, first = ''] = path.split('/')
  const [own, list] = [`/${first}`, `/${first}s`]
  return withDashboard.find(([address]) => address === own || address === list)
}

/** Renders the head of a page. Its menu is folded where there is little room; its tabs never are. */
function renderHeader(
  { hasSearch, tabs, account }: Pick<View, 'hasSearch' | 'tabs' | 'account'>,
  hasDashboard: boolean,
  path: string | undefined,
): Html {
  const isHome = path === '/'
  const inDocs = findDocs(path)
  return (
    <header class="top">
      <a class="brand" href="/" aria-current={isHome ? 'page' : undefined}>
        <svg class="mark" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
          <path d="M16 2 29 9v14l-13 7L3 23V9z" />
          <path class="inner" d="m9.5 16 4.5 4.5 8.5-9" />
        </svg>
        <span>{NAME}</span>
      </a>
      {isHome || hasSearch ? null : renderSearch('compact')}
      <details class="menu">
        <summary>Menu</summary>
        <nav aria-label="Sections">
          {renderLinks(hasDashboard ? withDashboard : sections, findSection(path), path)}
        </nav>
        {account ?? null}
      </details>
      {inDocs === undefined ? (tabs ?? null) : renderTabs('Docs', renderLinks(docs, inDocs, path))}
    </header>
  )
}

/** Renders the pages of one section as a line that is scrolled where it is too long. */
export function renderTabs(label: string, links: Html): Html {
  return (
    <div class="tabs">
      <nav aria-label={label}>{links}</nav>
    </div>
  )
}

function renderLinks(
  links: readonly Link[],
  current: Link | undefined,
  path: string | undefined,
): Html {
  return (
    <ul>
      {links.map(link => (
        <li>
          <a
            href={link[0]}
            aria-current={link === current ? (link[0] === path ? 'page' : 'true') : undefined}
          >
            {link[1]}
          </a>
        </li>
      ))}
    </ul>
  )
}

const MAGNIFIER = (
  <>
    <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
      <path d="M13.5 13.5 18 18M15 8.5a6.5 6.5 0 1 1-13 0 6.5 6.5 0 0 1 13 0z" />
    </svg>
    <span class="unseen">Search</span>
  </>
)

/** Renders the search box; a page has one, either in its head or in its body. */
export function renderSearch(look: 'compact' | 'large', searched = ''): Html {
  return (
    <search class={look}>
      <form action="/search" method="get">
        <label class="unseen" for="q">
          Search brands, publishers, properties and agents
        </label>
        <input
          id="q"
          name="q"
          type="search"
          value={clipText(searched, 200)}
          maxlength="200"
          placeholder={look === 'large' ? 'Brand, domain, agent' : 'Search'}
          autocomplete="off"
        />
        <button type="submit">{look === 'large' ? 'Search' : MAGNIFIER}</button>
      </form>
    </search>
  )
}

/** Renders the foot of every page; a list that this registry does not have is left out. */
function renderFooter({ json }: View, reader: RecordReader): Html {
  return (
    <footer class="bottom">
      {json === undefined ? null : (
        <p>
          In the API: <a href={json}>{clipText(json, 120)}</a>
        </p>
      )}
      {ABOUT}
      <p>
        {hasRecords(reader, 'policy') ? POLICIES : null}
        {hasRecords(reader, 'mirror') ? MIRRORS : null}
        {REST}
      </p>
    </footer>
  )
}

const ABOUT = (
  <p>
    Read from the files that domains publish themselves, except where marked. Only the publisher can
    authorize an agent: in its own file, or in one that it refers to.
  </p>
)

const POLICIES = (
  <>
    <a href="/policies">Policies</a> ·{' '}
  </>
)
const MIRRORS = (
  <>
    <a href="/mirrors">Mirrors</a> ·{' '}
  </>
)
const REST = (
  <>
    <a href="/storyboards">Storyboards</a> · <a href="/crawl">Crawl status</a> ·{' '}
    <a href="/data">Data set</a> · <a href="/docs/guides">Guides</a> ·{' '}
    <a href="/docs">API reference</a> · <a href="/openapi/registry.yaml">OpenAPI</a>
  </>
)
