import type { HostedKind } from '../../../pipeline/model/hosted.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { renderName } from '../html/text.tsx'
import type { ViewCall } from '../view.ts'
import { toAddAgentPath, toCrawlPath, toVerifyPath, toWorkshopPath } from './paths.ts'

/** Renders what the owner of a domain can do about a file; who that is, only the dashboard can tell. */
export function renderOwnerLinks(
  { isAuthorizationServer }: Pick<ViewCall['services'], 'isAuthorizationServer'>,
  { domain, kind }: { domain: string; kind: HostedKind },
  label = 'Check and edit the file',
): Html {
  const check = <a href={toWorkshopPath(domain, kind)}>{label}</a>
  if (!isAuthorizationServer) return <p class="quiet">{check}</p>
  return (
    <p class="quiet">
      Your domain? <a href={toVerifyPath(domain)}>Verify or manage it</a> · {check} ·{' '}
      <a href={toCrawlPath(domain)}>Crawl now</a>
    </p>
  )
}

/** Proposes the domain without `www.`, at which a site serves its files as a rule; null for every other domain. */
export function renderWithoutWww(domain: string, toPath: (bare: string) => string): Html | null {
  const bare = domain.replace(/^www\./, '')
  if (bare === domain || !bare.includes('.')) return null
  return (
    <p class="hint">
      Sites usually serve these files without www. Did you mean <a href={toPath(bare)}>{bare}</a>?
    </p>
  )
}

/** Renders the domain that was probably meant by an unknown one, as the API proposes it. */
export function renderMeant(
  meant: readonly string[] | undefined,
  toPath: (domain: string) => string,
): Html | null {
  const [domain] = meant ?? []
  if (domain === undefined) return null
  return (
    <p class="notice">
      Did you mean <a href={toPath(domain)}>{renderName(domain)}</a>?
    </p>
  )
}

/** Renders what whoever runs an agent can do so that the registry knows it. */
export function renderAgentOwnerLinks(
  { isAuthorizationServer }: Pick<ViewCall['services'], 'isAuthorizationServer'>,
  agentUrl: string,
): Html {
  return (
    <p class="quiet">
      Your agent?{' '}
      {isAuthorizationServer ? (
        <>
          <a href={toAddAgentPath(agentUrl)}>Add it to your organization</a> ·{' '}
        </>
      ) : null}
      <a href="/docs/guides/publisher">How publishers authorize it</a> ·{' '}
      <a href="/workshop">Check a file</a>
    </p>
  )
}
