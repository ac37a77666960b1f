import { describe, expect, it, test } from 'vitest'
import { DAY, HOUR, toIso } from '../../../pipeline/core/clock.ts'
import type { Outcome } from '../../../pipeline/core/outcomes.ts'
import { carryOver } from '../../../pipeline/diff/carry.ts'
import type { BrandDocument, BrandRef } from '../../../pipeline/model/documents/index.ts'
import { tableNames } from '../../support/checks/table-contents.ts'
import { observeFile, observeOutcome } from '../../support/fixtures/observations.ts'
import { buildSubmission } from '../../support/fixtures/submissions.ts'
import { openMemoryIndex } from '../../support/registry/memory-index.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'
import {
  buildBrand,
  buildHouse,
  findDocument,
  resolveOnWeb,
} from '../../support/worlds/brand-resolution.ts'
import { testClock } from '../../support/worlds/clock.ts'

const START = Date.parse('2026-11-20T03:00:00Z')
const leaf = 'candle.example'
const house = 'lantern.example'
const leafFile = buildBrand('candle', [leaf], { house_domain: house })
const ref = (more: object = {}) => ({ domain: leaf, brand_id: 'candle', ...more })
const houseFile = (...brand_refs: object[]) =>
  buildHouse(house, [buildBrand('lantern', [house])], { brand_refs })
const naming = houseFile(ref())
const torch = buildHouse('torch.example', [], { brand_refs: [ref()] })

/**
 * Result of reading both files, at the house; `leaf`: only the leaf's file is read; `request`: a person
 * requests a crawl of the house; `tick`: only time passes.
 */
type Happening = object | Outcome | 'leaf' | 'request' | 'tick'
type History = [days: number, hours: number, what: Happening][]

const request = buildSubmission('request', {
  op: 'crawl.request',
  scope: 'domain',
  crawl_request_id: '00000000-0000-7000-8000-000000000000',
  domain: house as never,
  requested_by: 'Candle',
})

interface Trust {
  relationship_trust: string
  house_domain: string | null
  claimed_house_domain: string | null
  relationship_declared_at: string | null
}

const clock = testClock(START)
const index = openForAll(() => openMemoryIndex(clock))

/** Resets the clock and the index. */
async function forget(): Promise<void> {
  clock.tick({ ms: START - clock.now() })
  const tables = [...tableNames, 'events', 'changes']
  await index.db.run(tables.map(table => `delete from ${table}`).join(';'))
}

/** Commits a night in which these files are read. */
async function commitNight(files: Record<string, object | Outcome>): Promise<void> {
  const at = clock.now()
  await index.commit(
    Object.entries(files).map(([domain, found]) =>
      typeof found === 'string'
        ? observeOutcome(found, 'brand.json', domain, at)
        : observeFile('brand.json', domain, found, at),
    ),
  )
}

async function applyHistory(history: History): Promise<void> {
  for (const [days, hours, what] of history) {
    clock.tick({ ms: START + days * DAY + hours * HOUR - clock.now() })
    if (what === 'tick') await index.commit([])
    else if (what === 'request') await index.commit({ submissions: [request] })
    else if (what === 'leaf') await commitNight({ [leaf]: 'unchanged' })
    else await commitNight({ [leaf]: 'unchanged', [house]: what as object | Outcome })
  }
}

/** Returns the leaf's trust after a first night, in which both files are read, and this history. */
async function findTrustAfter(first: object, history: History, own = leafFile) {
  await forget()
  await commitNight({ [leaf]: own, [house]: first, 'torch.example': torch })
  await applyHistory(history)
  return loadTrust()
}

async function loadTrust(): Promise<Trust> {
  const found = await index.db.one<Trust>('select * from brands where domain = $leaf', { leaf })
  return found!
}

const resolveTrust = async (...given: Parameters<typeof findTrustAfter>) =>
  (await findTrustAfter(...given)).relationship_trust

describe('mutual confirmation of a house and a brand', () => {
  test.each<[string, object, object, string]>([
    ['both do', naming, leafFile, 'mutual'],
    ['the brand alone', houseFile(), leafFile, 'leaf_only'],
    [
      'the house names the brand of another domain',
      houseFile(ref({ domain: 'wick.example' })),
      leafFile,
      'leaf_only',
    ],
    [
      'the house names another brand of the domain',
      houseFile(ref({ brand_id: 'wick' })),
      leafFile,
      'leaf_only',
    ],
    ['the house alone', naming, buildBrand('candle', [leaf]), 'standalone'],
    [
      'the house, and the brand another house that does as well',
      naming,
      buildBrand('candle', [leaf], { house_domain: 'torch.example' }),
      'mutual',
    ],
    [
      'the house only by who manages the brand',
      houseFile({ domain: 'x.example', brand_id: 'x', managed_by: leaf }),
      leafFile,
      'leaf_only',
    ],
    ['the house says nothing that counts', { hello: 1 }, leafFile, 'unverifiable'],
    ['the house is a brand itself', buildBrand('lantern', [house]), leafFile, 'unverifiable'],
    [
      'the house says that it is another',
      buildHouse('torch.example', [], { brand_refs: [ref()] }),
      leafFile,
      'unverifiable',
    ],
  ])('%s', async (_name, first, own, expected) => {
    expect(await resolveTrust(first, [], own)).toBe(expected)
  })

  it('a house is named only where it confirms; otherwise it is a claim', async () => {
    expect(await findTrustAfter(naming, [])).toMatchObject({
      house_domain: house,
      claimed_house_domain: null,
      relationship_declared_at: toIso(START),
    })
    expect(await findTrustAfter(houseFile(), [])).toMatchObject({
      house_domain: null,
      claimed_house_domain: house,
      relationship_declared_at: null,
    })
  })

  it('a house that delegates its file counts, whatever websites its brands have', async () => {
    await forget()
    const central = 'https://files.cdn.example/lantern.json'
    const wick = buildBrand('wick', ['wick.example'])
    await index.commit([
      observeFile('brand.json', leaf, leafFile, clock.now()),
      observeFile('brand.json', house, { authoritative_location: central }, clock.now()),
      observeFile(
        'brand.json',
        central,
        buildHouse(house, [wick], { brand_refs: [ref()] }),
        clock.now(),
      ),
    ])
    expect(await loadTrust()).toMatchObject({ relationship_trust: 'mutual', house_domain: house })
  })

  it('a house that was renamed is claimed by the name that the brand gives', async () => {
    await forget()
    await commitNight({
      [leaf]: leafFile,
      [house]: { house: 'torch.example' },
      'torch.example': buildHouse('torch.example', [buildBrand('torch', ['torch.example'])]),
    })
    expect(await loadTrust()).toMatchObject({
      relationship_trust: 'leaf_only',
      claimed_house_domain: house,
    })
  })

  it('a house that was never read is read first', async () => {
    await forget()
    await commitNight({ [leaf]: leafFile })
    expect(await loadTrust()).toBeUndefined()
    await commitNight({ [house]: naming })
    expect(await loadTrust()).toMatchObject({ relationship_trust: 'mutual' })
  })

  test.each<[string, History, string]>([
    ['begins to name the brand', [[1, 0, naming]], 'mutual'],
    [
      'stops naming it',
      [
        [1, 0, naming],
        [2, 0, houseFile()],
      ],
      'leaf_only',
    ],
    [
      'names it again',
      [
        [1, 0, naming],
        [2, 0, houseFile()],
        [3, 0, naming],
      ],
      'mutual',
    ],
    ['moves to another house that names it', [[1, 0, { house: 'torch.example' }]], 'mutual'],
  ])('follows changes of the house: %s', async (_name, history, expected) => {
    expect(await resolveTrust(houseFile(), history)).toBe(expected)
  })
})

describe('the age of a house’s reference', () => {
  const declared = (days: number) => ref({ effective_at: toIso(START + days * DAY) })
  test.each<[string, object, History, string]>([
    ['for the time to come does not count', houseFile(declared(2)), [[1, 0, 'tick']], 'leaf_only'],
    ['counts from its day on', houseFile(declared(2)), [[2, 0, 'tick']], 'mutual'],
    ['counts until it is 180 days old', houseFile(declared(-179)), [[0, 23, 'tick']], 'mutual'],
    ['of 180 days counts no more', houseFile(declared(-179)), [[1, 0, 'tick']], 'leaf_only'],
    [
      'counts anew when it is given anew',
      houseFile(declared(-179)),
      [[1, 0, houseFile(declared(0))]],
      'mutual',
    ],
  ])('a reference %s', async (_name, first, history, expected) => {
    const trust = await findTrustAfter(first, history, leafFile)
    expect(trust.relationship_trust).toBe(expected)
    expect(trust.relationship_declared_at === null).toBe(expected !== 'mutual')
  })

  test.each<[string, [day: number, file: object][], number, string]>([
    ['counts from when it was first seen', [[0, naming]], 179.9, 'mutual'],
    ['ends 180 days after that', [[0, naming]], 180, 'leaf_only'],
    [
      'is not made younger by other changes of the file',
      [
        [0, naming],
        [179, { ...naming, version: '2' }],
      ],
      180,
      'leaf_only',
    ],
    [
      'is not made younger by another reference',
      [
        [0, naming],
        [179, houseFile(ref({ domain: 'wick.example', brand_id: 'wick' }), ref())],
      ],
      180,
      'leaf_only',
    ],
    [
      'begins anew after it was taken back',
      [
        [0, naming],
        [91, houseFile()],
        [92, naming],
      ],
      190,
      'mutual',
    ],
    [
      'begins anew after the house was something else',
      [
        [0, naming],
        [91, { house: 'torch.example' }],
        [92, naming],
      ],
      190,
      'mutual',
    ],
    [
      'begins anew for another brand of the domain',
      [
        [0, houseFile(ref({ brand_id: 'old' }))],
        [91, naming],
      ],
      190,
      'mutual',
    ],
  ])('a reference without a date %s', (_name, files, day, expected) => {
    let carried: BrandDocument | undefined
    for (const [seen, content] of files) {
      carried = carryOver(
        carried,
        findDocument(house, content)!,
        START + seen * DAY,
      ) as BrandDocument
    }
    const { answer, wakes } = resolveOnWeb({ [leaf]: leafFile }, leaf, START + day * DAY, {
      [house]: carried!,
    })
    expect(answer).toMatchObject({ relationship_trust: expected })
    const since = Date.parse(
      (carried as { brand_refs: BrandRef[] }).brand_refs.at(-1)!.first_seen_at!,
    )
    expect(wakes).toContain(since + 180 * DAY)
  })

  it('is remembered for half a year of nights, and then ends without another crawl', async () => {
    const nights: History = Array.from({ length: 29 }, (_, i) => [i * 6 + 6, 0, 'unchanged'])
    expect(await resolveTrust(naming, [...nights, [179, 23, 'tick']])).toBe('mutual')
    await applyHistory([[180, 0, 'tick']])
    expect(await loadTrust()).toMatchObject({
      relationship_trust: 'leaf_only',
      relationship_declared_at: null,
    })
  })

  it('starts at the time the house gives, if any', async () => {
    const { relationship_declared_at } = await findTrustAfter(houseFile(declared(-10)), [])
    expect(Date.parse(relationship_declared_at!)).toBe(START - 10 * DAY)
  })
})

describe('a failing house', () => {
  const transient: Outcome[] = ['not_json', 'too_large', 'timeout', 'denied', 'server_error']
  const definitive: Outcome[] = ['absent', 'unusable']

  test.each(transient)('by %s counts for a day after it was last read', async outcome => {
    const isSkipped = (at: number) => applyHistory([[0, at, 'tick']]).then(loadTrust)
    expect(
      await resolveTrust(naming, [
        [0, 20, outcome],
        [0, 21, outcome],
      ]),
    ).toBe('mutual')
    expect(await isSkipped(23.9)).toMatchObject({ relationship_trust: 'mutual' })
    expect(await isSkipped(24)).toMatchObject({ relationship_trust: 'unverifiable' })
  })

  test.each(transient)('by %s does not count a day after it was last read', async outcome => {
    expect(await resolveTrust(naming, [[1, 0, outcome]])).toBe('unverifiable')
  })

  test.each(definitive)('by %s does not count at all', async outcome => {
    expect(await resolveTrust(naming, [[0, 1, outcome]])).toBe('unverifiable')
    expect(
      await resolveTrust(naming, [
        [0, 1, outcome],
        [0, 2, 'timeout'],
      ]),
    ).toBe('unverifiable')
    expect(
      await resolveTrust(naming, [
        [0, 1, 'not_json'],
        [0, 2, outcome],
      ]),
    ).toBe('unverifiable')
  })

  test.each<[string, History, string]>([
    [
      'is there again',
      [
        [1, 0, 'timeout'],
        [1, 1, 'unchanged'],
      ],
      'mutual',
    ],
    [
      'is there again after it was gone',
      [
        [1, 0, 'absent'],
        [1, 1, 'unchanged'],
      ],
      'mutual',
    ],
    [
      'fails in another way',
      [
        [0, 2, 'timeout'],
        [0, 3, 'server_error'],
      ],
      'mutual',
    ],
    [
      'answers with pages again and again',
      [
        [0, 2, 'not_json'],
        [0, 3, 'not_json'],
        [0, 4, 'not_json'],
      ],
      'mutual',
    ],
    [
      'answers with pages, then not at all',
      [
        [0, 2, 'not_json'],
        [0, 3, 'not_json'],
        [0, 4, 'timeout'],
      ],
      'mutual',
    ],
    [
      'answers with a page after it was gone',
      [
        [0, 2, 'absent'],
        [0, 3, 'not_json'],
        [0, 4, 'timeout'],
      ],
      'unverifiable',
    ],
    [
      'is there again when a person asks',
      [
        [1, 0, 'timeout'],
        [1, 1, 'request'],
        [1, 2, 'unchanged'],
      ],
      'mutual',
    ],
    [
      'is gone after it failed',
      [
        [0, 2, 'timeout'],
        [0, 3, 'absent'],
      ],
      'unverifiable',
    ],
    [
      'is gone after pages',
      [
        [0, 2, 'not_json'],
        [0, 3, 'not_json'],
        [0, 4, 'absent'],
      ],
      'unverifiable',
    ],
    ['is not read for three days', [[3, 0, 'tick']], 'mutual'],
    [
      'is not read for a week',
      [
        [6, 0, 'leaf'],
        [7, 0, 'tick'],
      ],
      'unverifiable',
    ],
  ])('and %s', async (_name, history, expected) => {
    expect(await resolveTrust(naming, history)).toBe(expected)
  })

  it('that did not name the brand counts no more', async () => {
    expect(await resolveTrust(houseFile(), [[0, 2, 'timeout']])).toBe('leaf_only')
    expect(
      await resolveTrust(houseFile(), [
        [0, 2, 'timeout'],
        [1, 0, 'tick'],
      ]),
    ).toBe('unverifiable')
  })

  it('keeps the time of its reference', async () => {
    const trust = await findTrustAfter(naming, [[0, 2, 'timeout']])
    expect(trust.relationship_declared_at).toBe(toIso(START))
  })

  it('on the way to the house counts as well', async () => {
    expect(await findTrustAfter({ house: 'torch.example' }, [])).toMatchObject({
      house_domain: 'torch.example',
    })
    await applyHistory([[0, 1, 'absent']])
    expect(await loadTrust()).toMatchObject({ relationship_trust: 'unverifiable' })
  })

  it('does not matter for brands in its own file', async () => {
    const inline = buildHouse(house, [buildBrand('candle', [leaf])])
    expect(await resolveTrust(inline, [[2, 0, 'timeout']], { house })).toBe('inline')
  })
})
