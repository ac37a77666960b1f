import type { z } from 'zod'
import { systemClock } from '../../pipeline/core/clock.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import { limits } from '../../pipeline/core/limits.ts'
import { fetchSettings } from '../../pipeline/core/settings/fetch-settings.ts'
import { readSetting } from '../../pipeline/core/settings/setting-faults.ts'
import { createFetcher, type Fetcher } from '../../pipeline/fetch/http.ts'
import type { LiveDeps } from '../../pipeline/live/files.ts'
import { readAdagents } from '../../pipeline/live/read-adagents.ts'
import { readBrand } from '../../pipeline/live/read-brand.ts'
import type { ProposedKind } from '../../pipeline/model/proposed-kind.ts'
import type { ReportedFault } from '../../pipeline/model/reported-fault.ts'
import type { Report } from './validation-report.ts'

/** Connections at a time: two files of a domain, and those that they point to. */
const CONNECTIONS_MAX = 4

const checks: Readonly<Record<ProposedKind, (domain: Domain, deps: LiveDeps) => Promise<Report>>> =
  {
    async 'adagents.json'(domain, deps) {
      const { validation } = (await readAdagents(domain, deps)).report
      return toReport('adagents.json', validation.resolved_url ?? validation.url, validation)
    },
    async 'brand.json'(domain, deps) {
      const live = await readBrand(domain, [], deps)
      return live.resolution === null
        ? toReport('brand.json', live.failure.url, live.failure)
        : toReport('brand.json', live.url, { errors: [], warnings: live.warnings })
    },
  }

/**
 * Checks the files that a domain serves now, as the crawler reads them. Without a kind it checks both, of which one
 * need not be there.
 */
export async function validateDomain(
  domain: Domain,
  kind: ProposedKind | undefined,
): Promise<Report[]> {
  const fetcher = openFetcher()
  const deps = { fetcher, clock: systemClock, limits }
  try {
    if (kind !== undefined) return [await checks[kind](domain, deps)]
    const reports = await Promise.all(Object.values(checks).map(check => check(domain, deps)))
    const present = reports.filter(report => !isMissing(report))
    return present.length > 0 ? present : reports
  } finally {
    await fetcher.close()
  }
}

/** Opens a fetcher by the few settings that say how to reach the web: a validator has no others. */
function openFetcher(): Fetcher {
  return createFetcher({
    connectTo: readVariable('CRAWL_CONNECT_TO'),
    caFile: readVariable('CRAWL_CA_FILE'),
    dnsServer: readVariable('DNS_SERVER'),
    contact: readVariable('CRAWL_CONTACT'),
    hostConcurrency: CONNECTIONS_MAX,
    addressConcurrency: CONNECTIONS_MAX,
    limits,
    clock: systemClock,
  })
}

function readVariable<Name extends keyof typeof fetchSettings>(
  name: Name,
): z.output<(typeof fetchSettings)[Name]['schema']> {
  const read = readSetting(name, fetchSettings[name], process.env[name] || undefined)
  if ('fault' in read) throw new Error(read.fault)
  return read.value as z.output<(typeof fetchSettings)[Name]['schema']>
}

function toReport(
  kind: ProposedKind,
  file: string,
  { errors, warnings }: { errors: ReportedFault[]; warnings: ReportedFault[] },
): Report {
  return { file, isLive: true, kind, valid: errors.length === 0, errors, warnings }
}

function isMissing({ errors }: Report): boolean {
  return errors.some(({ code }) => code === 'file_missing')
}
