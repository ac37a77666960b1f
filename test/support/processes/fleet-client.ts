import { expect } from 'vitest'
import { resolvePaths } from '../../../pipeline/store/paths.ts'
import { openRecordReadOnly } from '../../../pipeline/store/record.ts'
import { type Command, type Environment, runForOutput, waitUntil } from './command.ts'
import type { FleetHost } from './fleet.ts'

/** Longest time in which another host takes over. */
export const TAKEN_OVER_MS = 60_000
/** Domains of the client, each of which it saves. */
export const DOMAINS = Array.from({ length: 4 }, (_, n) => `saved-${n}.example`)

/** A save that was answered 200. */
interface Acknowledged {
  domain: string
  brand_name: string
  revision_number: number
}

export interface Client {
  secret: string
  acknowledged: Acknowledged[]
}

/** Waits until the log of a process says this. */
export function waitForLog(command: Command, words: RegExp): Promise<unknown> {
  return waitUntil(async () => words.test(command.stderr), TAKEN_OVER_MS / 1_000)
}

/** Makes the organization whose domains are saved, once its host writes. */
export async function makeClient(
  host: Pick<FleetHost, 'dataDir' | 'indexer'>,
  env: Environment,
): Promise<Client> {
  await waitForLog(host.indexer, /indexer ready/)
  const own = { ...env, DATA_DIR: host.dataDir }
  await runForOutput(['org', 'create', '--name', 'Acme'], own)
  for (const domain of DOMAINS)
    await runForOutput(['org', 'domain', 'add', domain, '--org', 'Acme'], own)
  return { secret: await runForOutput(['key', 'create', '--org', 'Acme'], own), acknowledged: [] }
}

/** Saves once, and notes what was answered 200; returns the status. */
export async function save(
  { base }: Pick<FleetHost, 'base'>,
  { secret, acknowledged }: Client,
  domain: string,
  brand_name: string,
): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ domain, brand_name })
  const signal = AbortSignal.timeout(10_000)
  type Answer = { status: number; body: { revision_number?: number } }
  const answer: Answer | undefined = await fetch(`${base}/api/brands/save`, {
    method: 'POST',
    headers,
    body,
    signal,
  })
    .then(async response => ({
      status: response.status,
      body: (await response.json()) as Answer['body'],
    }))
    .catch(() => undefined)
  if (answer?.status === 200)
    acknowledged.push({ domain, brand_name, revision_number: answer.body.revision_number ?? 1 })
  return answer?.status
}

/** Saves a property, which is an event of the feed and so of its log. */
export async function saveProperty(
  { base }: FleetHost,
  { secret }: Client,
  n: number,
): Promise<void> {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  const domain = DOMAINS[0]!
  const identifiers = [{ type: 'domain', value: `site-${n}.${domain}` }]
  const body = JSON.stringify({
    publisher_domain: domain,
    properties: [{ type: 'website', name: `Site ${n}`, identifiers }],
    authorized_agents: [{ url: 'https://agent.example' }],
  })
  const answer = await fetch(`${base}/api/properties/save`, { method: 'POST', headers, body })
  expect(answer.status).toBe(200)
}

/** Reads how many events the log has, and its head. */
export async function readHead({ base }: FleetHost): Promise<{ size: number; head: string }> {
  const head = await (await fetch(`${base}/log/checkpoint`)).text()
  return { size: Number(head.split('\n')[1]), head }
}

/** Saves each domain again and again until it is told to stop. */
export function saveContinuously(
  host: Pick<FleetHost, 'base'>,
  client: Client,
  signal: AbortSignal,
): Promise<unknown> {
  return Promise.all(
    DOMAINS.map(async domain => {
      for (let n = 0; !signal.aborted; n++) await save(host, client, domain, `${domain} ${n}`)
    }),
  )
}

/**
 * Expects every save that was answered 200 once, as the revision that was answered, and the revisions of each
 * domain numbered from 1 without a gap. Ends that host's indexer, since its file is read.
 */
export async function expectAllThere(
  host: Pick<FleetHost, 'dataDir' | 'indexer'>,
  { acknowledged }: Client,
): Promise<void> {
  await host.indexer.interrupt()
  const record = openRecordReadOnly(resolvePaths(host.dataDir).record)
  const made = record.all<Acknowledged>(
    `select domain, state->>'brand_name' as brand_name, revision_number
     from revisions where entity = 'brand'`,
  )
  record.close()
  for (const domain of DOMAINS) {
    const revisions = made.filter(row => row.domain === domain)
    const numbers = revisions.map(row => row.revision_number).sort((a, b) => a - b)
    const gapless = numbers.map((_, n) => n + 1)
    expect(numbers, `each number of ${domain} once`).toEqual(gapless)
  }
  for (const saved of acknowledged) {
    const { domain, brand_name } = saved
    const found = made.filter(row => row.domain === domain && row.brand_name === brand_name)
    expect(found, `${brand_name} of ${domain}`).toEqual([saved])
  }
}

/**
 * Reads with the client's key again and again, until the returned function is called; that returns the statuses which
 * said that the key or a saved brand did not exist.
 */
export function watchDenials({ base }: FleetHost, { secret }: Client): () => Promise<number[]> {
  const denied: number[] = []
  let isWatching = true
  const headers = { authorization: `Bearer ${secret}` }
  const paths = ['/api/registry/feed?limit=1', `/api/brands/resolve?domain=${DOMAINS[0]}`]
  const watching = Promise.all(
    paths.map(async path => {
      while (isWatching) {
        const answer = await fetch(base + path, { headers }).catch(() => undefined)
        await answer?.arrayBuffer()
        if ([401, 403, 404].includes(answer?.status ?? 0)) denied.push(answer?.status ?? 0)
      }
    }),
  )
  return async () => {
    isWatching = false
    await watching
    return denied
  }
}

/** Waits until a save is acknowledged there; returns for how long, in ms. */
export async function waitForWriter(host: FleetHost, client: Client): Promise<number> {
  const from = performance.now()
  await waitUntil(async () => (await save(host, client, DOMAINS[0]!, 'Taken over')) === 200)
  return performance.now() - from
}
