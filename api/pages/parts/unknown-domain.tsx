import { type Domain, stripWww } from '../../../pipeline/core/domain.ts'
import { type Outcome, outcomes } from '../../../pipeline/core/outcomes.ts'
import { type HostedKind, hostedKinds } from '../../../pipeline/model/hosted.ts'
import type { FreshnessBlock } from '../../../pipeline/model/responses/index.ts'
import { findFileFreshness } from '../../../pipeline/read/lookups/stored.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { renderName, toContractions } from '../html/text.tsx'
import type { ViewCall } from '../view.ts'
import { toBrandPath, toCrawlPath, toPublisherPath, toVerifyPath } from './paths.ts'

type Services = ViewCall['services']

/** Renders what a search says about a domain that has no page: what was probably meant, or what its crawl found. */
export function renderUnknownDomain(
  domain: Domain,
  services: Services,
  isKnown: (domain: Domain) => boolean,
): Html {
  const meant = stripWww(domain)
  if (meant !== undefined && isKnown(meant)) {
    return (
      <p class="notice">
        The domain {renderName(domain)} isn’t in the registry. Did you mean{' '}
        <a href={`/search?${new URLSearchParams({ q: meant })}`}>{renderName(meant)}</a>?
      </p>
    )
  }
  const crawled = hostedKinds
    .map(kind => ({ kind, ...findFileFreshness(services.reader, kind, domain) }))
    .filter(({ state }) => state !== 'never_crawled')
  return crawled.length > 0
    ? renderCrawled(domain, crawled, services)
    : renderNeverCrawled(domain, services)
}

type CrawledFile = FreshnessBlock & { kind: HostedKind }

function renderCrawled(
  domain: Domain,
  crawled: readonly CrawledFile[],
  { isAuthorizationServer: hasDashboard }: Services,
): Html {
  const served = crawled.filter(({ state }) => state !== 'absent')
  const [first] = served
  const path = first?.kind === 'brand.json' ? toBrandPath(domain) : toPublisherPath(domain)
  return (
    <p class="notice">
      {first === undefined ? (
        <>The registry crawled {renderName(domain)}, but no files were found. </>
      ) : (
        served.map(file => (
          <>
            The {file.kind} of {renderName(domain)} {describeProblem(file)}.{' '}
          </>
        ))
      )}
      <a href={path}>See the {first?.state === 'invalid' ? 'error' : 'last fetch'}</a>
      {hasDashboard ? (
        <>
          {' '}
          or, if it is yours, <a href={toVerifyPath(domain)}>verify the domain</a>
        </>
      ) : null}
      .
    </p>
  )
}

/** Describes why a file has nothing to show. */
function describeProblem({ state, outcome }: CrawledFile): string {
  const { effect, means } = outcomes[outcome as Outcome]
  if (state === 'invalid' && effect === 'success') return 'was read, but can’t be used'
  if (state === 'invalid') return `is invalid: ${toContractions(means)}`
  if (state === 'failing') return `couldn’t be read: ${toContractions(means)}`
  return 'was read, but lists nothing'
}

function renderNeverCrawled(
  domain: Domain,
  { isAuthorizationServer: hasDashboard }: Services,
): Html {
  return (
    <p class="notice">
      The domain {renderName(domain)} isn’t in the registry yet.
      {hasDashboard ? (
        <>
          {' '}
          <a href={toCrawlPath(domain)}>Crawl it now</a> or, if it is yours,{' '}
          <a href={toVerifyPath(domain)}>verify the domain</a>.
        </>
      ) : null}
    </p>
  )
}
