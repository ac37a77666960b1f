import { describe, expect, it } from 'vitest'
import type { Domain } from '../../../pipeline/core/domain.ts'
import { limits } from '../../../pipeline/core/limits.ts'
import { crawlSource } from '../../../pipeline/crawl/crawl-source.ts'
import { readObservation } from '../../../pipeline/parse/read-observation.ts'
import { loadDueTargets } from '../../../pipeline/writer/crawl/due-files.ts'
import { buildSubmission } from '../../support/fixtures/submissions.ts'
import { generousTimeouts } from '../../support/registry/generous-limits.ts'
import { withIndex } from '../../support/registry/memory-index.ts'
import { buildBrand, buildHouse } from '../../support/worlds/brand-resolution.ts'
import { testClock } from '../../support/worlds/clock.ts'
import { createFetcherTo, startOrigin } from '../../support/worlds/fetching.ts'

const first = 'hop-0.example'
const WELL_KNOWN = '/.well-known/brand.json'

/** Builds a chain of houses; each file redirects `moves` times on its own site. */
function buildChain(houses: number, moves: number) {
  const buildContent = (hop: number) =>
    hop === houses
      ? buildHouse(`hop-${hop}.example`, [buildBrand('first', [first])])
      : { house: `hop-${hop + 1}.example` }
  return startOrigin((request, response, path) => {
    const host = request.headers.host!
    const moved = Number(
      /^\/moved-(\d+)$/.exec(path)?.[1] ?? (path === WELL_KNOWN ? 0 : Number.NaN),
    )
    if (Number.isNaN(moved)) return void response.writeHead(404).end()
    if (moved < moves) {
      const location = `https://${host}/moved-${moved + 1}`
      return void response.writeHead(302, { location }).end()
    }
    response.end(JSON.stringify(buildContent(Number(/\d+/.exec(host)![0]))))
  })
}

/**
 * Crawls everything that is due, and returns the brand of the first domain and the hosts that got
 * requests.
 */
async function crawlChain(houses: number, moves: number) {
  const origin = await buildChain(houses, moves)
  const fetcher = createFetcherTo(origin.url)
  const clock = testClock('2026-11-20T03:00Z')
  return withIndex(clock, async index => {
    const operation = { op: 'domains.add' as const, domains: [first as Domain], again: false }
    await index.commit({ submissions: [buildSubmission('given', operation)] })
    for (let round = 0; round < 8; round++) {
      clock.tick({ minutes: 1 })
      const due = (await loadDueTargets(index.db, clock.now(), 50)).filter(
        ({ kind, priority }) => kind === 'brand.json' && priority < 3,
      )
      const crawls = due.map(target =>
        crawlSource(target, { fetcher, clock, limits: { ...limits, ...generousTimeouts } }),
      )
      const read = (await Promise.all(crawls)).map(observation =>
        readObservation(observation, limits),
      )
      await index.commit(read)
    }
    const brand = await index.db.one('select * from brands where domain = $first', { first })
    return { brand, hosts: new Set(origin.asked.map(requested => requested.split('/')[0])).size }
  })
}

describe('a brand behind redirects', () => {
  it('of both kinds is found after three of each: the budgets are separate', async () => {
    const { brand, hosts } = await crawlChain(3, 3)
    expect(brand).toMatchObject({ brand_id: 'first', house_domain: 'hop-3.example' })
    expect(hosts).toBe(4)
  })

  it('from house to house is not found after a fourth: the first house is only a claim', async () => {
    expect((await crawlChain(4, 0)).brand).toMatchObject({
      relationship_trust: 'unverifiable',
      claimed_house_domain: 'hop-1.example',
      house_domain: null,
    })
  })

  it('of a file that moved four times is not found', async () => {
    expect(await crawlChain(0, 4)).toMatchObject({ brand: undefined })
  })
})
