import fc from 'fast-check'
import { DAY, HOUR, MINUTE } from '../../../pipeline/core/clock.ts'
import type { Outcome } from '../../../pipeline/core/outcomes.ts'
import { isUrl, type Source, toSourceKey } from '../../../pipeline/model/observation.ts'
import {
  agents,
  brandDomains,
  contents,
  houses,
  otherLocations,
  publishers,
  savedDomains,
} from './world-files.ts'

/** One attempt to read a file, and what was found. */
export interface Attempt {
  kind: Source['kind']
  location: string
  found: { file: object | string } | { text: string } | { outcome: Outcome }
  /** Milliseconds between the attempt and the delivery of its observation. */
  ageMs: number
  /** Content of the ads.txt, which a crawler reads when the file is missing. */
  adsTxt?: Attempt['found']
}

/** Events between two checks of the index: time passes, files are read, observations arrive. */
export interface Night {
  /** Milliseconds by which the clock moves, and how many empty commits are made on the way. */
  after: number
  ticks: number
  attempts: Attempt[]
  /** Numbers that shuffle the observations. */
  order: number[]
  /** Tells by position, repeated over the list, which observations arrive a night late. */
  late: boolean[]
  /** Observations in a commit. */
  batch: number
  /** Each commit is delivered twice. */
  isTwice: boolean
  /** A domain whose crawl a person requests before anything else. */
  asked?: string | undefined
  /** Brands that people save then, or withdraw. */
  saves: BrandSaved[]
}

export interface BrandSaved {
  domain: string
  house?: string | undefined
  isWithdrawn: boolean
}

type FileSource = Source & { kind: keyof typeof contents }

const sources: FileSource[] = [
  ...[...publishers, otherLocations['adagents.json']].map(location => ({
    kind: 'adagents.json' as const,
    location,
  })),
  ...agents.map(location => ({ kind: 'agent' as const, location })),
  ...[...brandDomains, otherLocations['brand.json']].map(location => ({
    kind: 'brand.json' as const,
    location,
  })),
]

const failures = fc.constantFrom<Outcome>(
  ...(['unchanged', 'unchanged', 'absent', 'absent', 'server_error', 'timeout', 'denied'] as const),
)

const garbage = fc.constantFrom('<html>', '{"hello":1}', '')

/** Ages of observations: one that is delivered later may have been made earlier. */
const ageMs = fc.constantFrom(0, 0, 1, 2, MINUTE, 50 * MINUTE, 3 * HOUR, 2 * DAY, 9 * DAY)

const found = ({ kind, location }: FileSource) =>
  fc.oneof(
    { weight: 5, arbitrary: contents[kind](location).map(file => ({ file })) },
    { weight: 4, arbitrary: failures.map(outcome => ({ outcome })) },
    { weight: 1, arbitrary: garbage.map(text => ({ text })) },
  )

const attempt: fc.Arbitrary<Attempt> = fc
  .constantFrom(...sources)
  .chain(source =>
    fc
      .tuple(fc.record({ ...toConstants(source), found: found(source), ageMs }), drawAdsTxt(source))
      .map(([own, adsTxt]) => ({ ...own, ...adsTxt })),
  )

const firstAttempt = (source: FileSource): fc.Arbitrary<Attempt> => {
  const file = contents[source.kind](source.location).map(file => ({ file }))
  const result = fc.oneof({ weight: 7, arbitrary: file }, { weight: 1, arbitrary: found(source) })
  return fc
    .tuple(
      fc.record({ ...toConstants(source), found: result, ageMs: fc.constant(0) }),
      drawAdsTxt(source),
    )
    .map(([own, adsTxt]) => ({ ...own, ...adsTxt }))
}

/** Draws the ads.txt that is read where a well-known adagents.json is missing. */
function drawAdsTxt({ kind, location }: FileSource): fc.Arbitrary<Pick<Attempt, 'adsTxt'>> {
  if (kind !== 'adagents.json' || isUrl(location)) return fc.constant({})
  return found({ kind: 'ads.txt', location }).map(text => ({ adsTxt: text }))
}

function toConstants({ kind, location }: FileSource) {
  return { kind: fc.constant(kind), location: fc.constant(location) }
}

const after = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(0, 5 * MINUTE, HOUR, 2 * HOUR) },
  { weight: 4, arbitrary: fc.constantFrom(DAY, 2 * DAY) },
  { weight: 2, arbitrary: fc.constantFrom(7 * DAY - MINUTE, 7 * DAY, 8 * DAY) },
  { weight: 1, arbitrary: fc.constantFrom(30 * DAY, 181 * DAY, 200 * DAY) },
)

const trueOnceIn = (n: number) => fc.nat({ max: n - 1 }).map(drawn => drawn === n - 1)

const saved: fc.Arbitrary<BrandSaved> = fc.record({
  domain: fc.constantFrom('e.example', ...savedDomains),
  house: fc.constantFrom(undefined, undefined, ...houses),
  isWithdrawn: trueOnceIn(5),
})

const night: fc.Arbitrary<Night> = fc.record({
  after,
  ticks: fc.nat({ max: 2 }),
  attempts: fc.array(attempt, { maxLength: 7, size: 'max' }),
  order: fc.array(fc.nat(), { minLength: 4, maxLength: 4 }),
  late: fc.array(trueOnceIn(6), { minLength: 3, maxLength: 3 }),
  batch: fc.constantFrom(100, 100, 3, 1),
  isTwice: trueOnceIn(4),
  asked: fc.option(fc.constantFrom(...publishers, ...brandDomains), { nil: undefined, freq: 4 }),
  saves: fc.array(saved, { maxLength: 2 }),
})

const firstNight: fc.Arbitrary<Night> = fc.tuple(...sources.map(firstAttempt)).map(attempts => ({
  after: 0,
  ticks: 0,
  attempts,
  order: [0],
  late: [false],
  batch: 100,
  isTwice: false,
  saves: [{ domain: 'e.example', isWithdrawn: false }],
}))

const absent = { outcome: 'absent' } as const
const noAnswers = [{ outcome: 'timeout' } as const, { outcome: 'server_error' } as const]

/** A file that others may depend on, and that cannot be read from the second night on. */
interface MissingFile {
  source: FileSource
  /** It was not read in the first night either. */
  isNew: boolean
  /** Results of the attempts to read it, night by night. */
  found: Attempt['found'][]
  adsTxt: Attempt['found']
}

const missingFile: fc.Arbitrary<MissingFile> = fc
  .oneof(
    fc.constantFrom(...sources.filter(({ kind }) => kind === 'adagents.json')),
    fc.constantFrom(
      ...sources.filter(({ kind, location }) => kind === 'brand.json' && canBeAwaited(location)),
    ),
  )
  .chain(source => {
    const findings =
      source.kind === 'brand.json'
        ? [absent, ...noAnswers]
        : [absent, absent, absent, noAnswers[0]!, { text: '{"hello":1}' }]
    const adsTxt = contents['ads.txt'](source.location).map(file => ({ file }))
    return fc.record({
      source: fc.constant(source),
      isNew: fc.boolean(),
      found: fc.array(fc.constantFrom(...findings), { minLength: 4, maxLength: 4 }),
      adsTxt: fc.oneof(fc.constant(absent), adsTxt),
    })
  })

function canBeAwaited(location: string): boolean {
  return isUrl(location) || (houses as readonly string[]).includes(location)
}

/** Draws a night in which nearly every file is read, and one to four more in which some are. */
export const nights: fc.Arbitrary<Night[]> = fc
  .tuple(
    firstNight,
    fc.array(night, { minLength: 1, maxLength: 4, size: 'max' }),
    fc.option(missingFile, { nil: undefined, freq: 2 }),
  )
  .map(([first, others, gone]) =>
    gone ? replaceAttempts(gone, first, others) : [first, ...others],
  )

/** Replaces the attempts on one file by those that find it missing. */
function replaceAttempts(gone: MissingFile, first: Night, others: readonly Night[]): Night[] {
  const { source, isNew, found, adsTxt } = gone
  const isOther = (attempt: Attempt) => toSourceKey(attempt) !== toSourceKey(source)
  return [
    isNew ? { ...first, attempts: first.attempts.filter(isOther) } : first,
    ...others.map((night, n) => {
      const missing = { ...source, found: found[n]!, ageMs: 0, adsTxt }
      return { ...night, attempts: [...night.attempts.filter(isOther), missing] }
    }),
  ]
}
