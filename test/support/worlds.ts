import fc from 'fast-check'
import { DAY, HOUR, type Instant, MINUTE } from '../../pipeline/core/clock.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import { isMissing, type Outcome } from '../../pipeline/core/outcomes.ts'
import { deriveId } from '../../pipeline/core/uuid-v7.ts'
import { hashContent } from '../../pipeline/crawl/crawl-source.ts'
import { buildAgentDocument } from '../../pipeline/model/agent-tasks.ts'
import {
  isUrl,
  type Observation,
  type Source,
  toSourceKey,
} from '../../pipeline/model/observation.ts'
import type { TestClock } from './clock.ts'
import type { MemoryIndex } from './memory-index.ts'
import { answered, read } from './sightings.ts'
import { agents, brandDomains, contents, elsewhere, houses, publishers } from './world-files.ts'
import { submission } from './writes.ts'

/** One attempt to read a file: what was there, and how long before its delivery. */
interface Sighting {
  kind: Source['kind']
  location: string
  found: { file: object | string } | { text: string } | { outcome: Outcome }
  ago: number
  /** What a crawler finds in the ads.txt that it asks for when the file is missing. */
  instead?: Sighting['found']
}

/** What happens between two looks at the index, and in which order the news of it arrives. */
export interface Night {
  /** How far the clock moves, and how often the index notices on the way. */
  after: number
  ticks: number
  sightings: Sighting[]
  /** Where the observations go in their order of delivery, and which of them come a night late. */
  order: number[]
  late: boolean[]
  batch: number
  isTwice: boolean
  /** Whose files a person asks for, before anything else. */
  asked?: string | undefined
}

type FileSource = Source & { kind: keyof typeof contents }

const sources: FileSource[] = [
  ...[...publishers, elsewhere['adagents.json']].map(location => ({
    kind: 'adagents.json' as const,
    location,
  })),
  ...agents.map(location => ({ kind: 'agent' as const, location })),
  ...[...brandDomains, elsewhere['brand.json']].map(location => ({
    kind: 'brand.json' as const,
    location,
  })),
]

const failures = fc.constantFrom<Outcome>(
  ...(['unchanged', 'unchanged', 'absent', 'absent', 'server_error', 'timeout', 'denied'] as const),
)

const garbage = fc.constantFrom('<html>', '{"hello":1}', '')

/** How long before its delivery something was seen; not always after what was delivered before. */
const ago = fc.constantFrom(0, 0, 1, 2, MINUTE, 50 * MINUTE, 3 * HOUR, 2 * DAY, 9 * DAY)

const found = ({ kind, location }: FileSource) =>
  fc.oneof(
    { weight: 5, arbitrary: contents[kind](location).map(file => ({ file })) },
    { weight: 4, arbitrary: failures.map(outcome => ({ outcome })) },
    { weight: 1, arbitrary: garbage.map(text => ({ text })) },
  )

const sighting: fc.Arbitrary<Sighting> = fc
  .constantFrom(...sources)
  .chain(source =>
    fc
      .tuple(fc.record({ ...constant(source), found: found(source), ago }), instead(source))
      .map(([seen, more]) => ({ ...seen, ...more })),
  )

const firstSighting = (source: FileSource): fc.Arbitrary<Sighting> => {
  const file = contents[source.kind](source.location).map(file => ({ file }))
  const seen = fc.oneof({ weight: 7, arbitrary: file }, { weight: 1, arbitrary: found(source) })
  return fc
    .tuple(fc.record({ ...constant(source), found: seen, ago: fc.constant(0) }), instead(source))
    .map(([one, more]) => ({ ...one, ...more }))
}

/** A well-known adagents.json that is missing comes with the ads.txt of its domain. */
function instead({ kind, location }: FileSource): fc.Arbitrary<Pick<Sighting, 'instead'>> {
  if (kind !== 'adagents.json' || isUrl(location)) return fc.constant({})
  return found({ kind: 'ads.txt', location }).map(text => ({ instead: text }))
}

function constant({ kind, location }: FileSource) {
  return { kind: fc.constant(kind), location: fc.constant(location) }
}

const after = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(0, 5 * MINUTE, HOUR, 2 * HOUR) },
  { weight: 4, arbitrary: fc.constantFrom(DAY, 2 * DAY) },
  { weight: 2, arbitrary: fc.constantFrom(7 * DAY - MINUTE, 7 * DAY, 8 * DAY) },
  { weight: 1, arbitrary: fc.constantFrom(30 * DAY, 181 * DAY, 200 * DAY) },
)

const oneIn = (n: number) => fc.nat({ max: n - 1 }).map(drawn => drawn === n - 1)

const night: fc.Arbitrary<Night> = fc.record({
  after,
  ticks: fc.nat({ max: 2 }),
  sightings: fc.array(sighting, { maxLength: 7, size: 'max' }),
  order: fc.array(fc.nat(), { minLength: 4, maxLength: 4 }),
  late: fc.array(oneIn(6), { minLength: 3, maxLength: 3 }),
  batch: fc.constantFrom(100, 100, 3, 1),
  isTwice: oneIn(4),
  asked: fc.option(fc.constantFrom(...publishers, ...brandDomains), { nil: undefined, freq: 4 }),
})

const firstNight: fc.Arbitrary<Night> = fc.tuple(...sources.map(firstSighting)).map(sightings => ({
  after: 0,
  ticks: 0,
  sightings,
  order: [0],
  late: [false],
  batch: 100,
  isTwice: false,
}))

const missing = { outcome: 'absent' } as const
const silence = [{ outcome: 'timeout' } as const, { outcome: 'server_error' } as const]

/** A file that others may wait for and that is away from the second night on. */
interface Away {
  source: FileSource
  /** It was not looked at before. */
  isNew: boolean
  /** What its place says, night by night. */
  found: Sighting['found'][]
  instead: Sighting['found']
}

const away: fc.Arbitrary<Away> = fc
  .oneof(
    fc.constantFrom(...sources.filter(({ kind }) => kind === 'adagents.json')),
    fc.constantFrom(
      ...sources.filter(({ kind, location }) => kind === 'brand.json' && isAwaited(location)),
    ),
  )
  .chain(source => {
    const says =
      source.kind === 'brand.json'
        ? [missing, ...silence]
        : [missing, missing, missing, silence[0]!, { text: '{"hello":1}' }]
    const adsTxt = contents['ads.txt'](source.location).map(file => ({ file }))
    return fc.record({
      source: fc.constant(source),
      isNew: fc.boolean(),
      found: fc.array(fc.constantFrom(...says), { minLength: 4, maxLength: 4 }),
      instead: fc.oneof(fc.constant(missing), adsTxt),
    })
  })

function isAwaited(location: string): boolean {
  return isUrl(location) || (houses as readonly string[]).includes(location)
}

/** A night in which nearly every file is read, and some more in which some are. */
export const nights: fc.Arbitrary<Night[]> = fc
  .tuple(
    firstNight,
    fc.array(night, { minLength: 1, maxLength: 4, size: 'max' }),
    fc.option(away, { nil: undefined, freq: 2 }),
  )
  .map(([first, others, gone]) => (gone ? without(gone, first, others) : [first, ...others]))

/** The nights, with one file found to be away. */
function without(gone: Away, first: Night, others: readonly Night[]): Night[] {
  const { source, isNew, found, instead } = gone
  const isOther = (sighting: Sighting) => toSourceKey(sighting) !== toSourceKey(source)
  return [
    isNew ? { ...first, sightings: first.sightings.filter(isOther) } : first,
    ...others.map((night, n) => {
      const seen = { ...source, found: found[n]!, ago: 0, instead }
      return { ...night, sightings: [...night.sightings.filter(isOther), seen] }
    }),
  ]
}

function observed({ kind, location, found, ago, instead }: Sighting, now: Instant): Observation[] {
  const one = observedAs({ kind, location }, found, now - ago)
  const hasAdsTxt = kind === 'adagents.json' && !isUrl(location)
  if (!hasAdsTxt || instead === undefined || !isMissing(one.outcome)) return [one]
  return [one, observedAs({ kind: 'ads.txt', location }, instead, now - ago)]
}

function observedAs({ kind, location }: Source, found: Sighting['found'], at: Instant) {
  if ('outcome' in found) return answered(found.outcome, kind, location, at)
  if (kind === 'agent') return probed(location, 'file' in found ? found.file : {}, at)
  return read(kind, location, 'file' in found ? found.file : found.text, at)
}

/** What a probe hands back that went well. */
function probed(endpoint: string, listed: object | string, at: Instant): Observation {
  const parts = { endpoint, tools: [], needs_auth: false, unread: [], ...(listed as object) }
  const document = buildAgentDocument(parts)
  const hash = hashContent(Buffer.from(JSON.stringify(document)))
  const seen = { kind: 'agent', location: endpoint, observed_at: at, outcome: 'ok' } as const
  return { ...seen, hash, document, took_ms: 1 }
}

/** Lives through nights: the clock moves, and what was seen is committed as each night says. */
export class Living {
  readonly #index: MemoryIndex
  readonly #clock: TestClock
  #late: Observation[] = []
  #asked = 0

  constructor(index: MemoryIndex, clock: TestClock) {
    this.#index = index
    this.#clock = clock
  }

  async through(night: Night): Promise<void> {
    for (let tick = 0; tick <= night.ticks; tick++) {
      this.#clock.tick({ ms: Math.floor(night.after / (night.ticks + 1)) })
      await this.#index.commit([])
    }
    if (night.asked !== undefined) await this.#ask(night.asked)
    const seen = night.sightings.flatMap(sighting => observed(sighting, this.#clock.now()))
    const isLate = (index: number) => night.late[index % night.late.length]!
    const arriving = [...this.#late, ...seen.filter((_, index) => !isLate(index))]
    this.#late = seen.filter((_, index) => isLate(index))
    for (const batch of splitBatches(inOrder(arriving, night.order), night.batch)) {
      await this.#index.commit(batch)
      if (night.isTwice) await this.#index.commit(batch)
    }
  }

  async #ask(domain: string): Promise<void> {
    const name = `request ${this.#asked++}`
    const operation = {
      op: 'crawl.request' as const,
      crawl_request_id: deriveId(name),
      scope: 'domain' as const,
      domain: domain as Domain,
      requested_by: 'somebody' as const,
    }
    await this.#index.commit({ submissions: [submission(name, operation)] })
  }

  /** Nothing is left unread: whatever a rule asked for is answered, until none asks for more. */
  async untilNothingIsUntried(): Promise<void> {
    for (;;) {
      const untried = await this.#index.db.all<Source>(
        `select kind, location from crawl_state where attempted_at is null order by all`,
      )
      if (untried.length === 0) return
      const at = this.#clock.now()
      const missing = { outcome: 'absent' } as const
      const sightings = untried.map(source => ({
        ...source,
        found: missing,
        ago: 0,
        instead: missing,
      }))
      await this.#index.commit(sightings.flatMap(sighting => observed(sighting, at)))
    }
  }
}

function inOrder(seen: readonly Observation[], order: readonly number[]): Observation[] {
  return seen
    .map((observation, index) => ({
      one: observation,
      turn: (order[index % order.length]! * (index + 7)) % 101,
    }))
    .sort((a, b) => a.turn - b.turn)
    .map(({ one }) => one)
}

function splitBatches<Item>(items: readonly Item[], size: number): Item[][] {
  const count = Math.ceil(items.length / size)
  return Array.from({ length: count }, (_, i) => items.slice(i * size, (i + 1) * size))
}
