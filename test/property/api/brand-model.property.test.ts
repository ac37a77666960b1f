import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Observation, parseSource } from '../../../pipeline/model/observation.ts'
import { observeFile, observeOutcome } from '../../support/fixtures/observations.ts'
import {
  buildBrandSave,
  buildOrganizationWrite,
  buildProofWrite,
} from '../../support/fixtures/submissions.ts'
import type { TestRegistry } from '../../support/registry/app.ts'
import { type LiveHost, type LiveWeb, openLiveWeb } from '../../support/servers/live-web.ts'
import { brandAddresses, brandDomains, brandFiles } from '../../support/worlds/arbitrary-brands.ts'
import {
  type BrandFiles,
  expectBrand,
  expectSavedBrand,
  type SavedBrand,
  wellKnown,
} from '../../support/worlds/expected-brand.ts'

/** Files of many worlds; the names of each world have its number, so that all can be in one registry. */
const worlds = fc.sample(brandFiles, { seed: 20261120, numRuns: 120 }).map(rename)
const LIVE_WORLDS = 40
const WORLDS_PER_REQUEST = 20

function rename(files: BrandFiles, world: number): BrandFiles {
  return JSON.parse(JSON.stringify(files).replace(/\b(\w+)\.example/g, `$1-${world}.example`))
}

const listDomains = (world: number) =>
  brandDomains.map(domain => domain.replace('.example', `-${world}.example`))
const listAddresses = (world: number) =>
  brandAddresses.map(address => address.replace('.example', `-${world}.example`))

/** Worlds without the files of some domains, so that what people say counts there. */
const sparse = worlds.map((files, world) => {
  const left = [world, world + 2].map(i => wellKnown(listDomains(world)[i % brandDomains.length]!))
  return Object.fromEntries(Object.entries(files).filter(([address]) => !left.includes(address)))
})

/** Picks what the model answers as well. */
function pickFacts(answer: Record<string, unknown> | null) {
  if (answer === null) return null
  const { names: _, brand_manifest: __, source: ___, parent_brand: ____, ...facts } = answer
  const { relationship_declared_at, relationship_verified_at, freshness, ...rest } = facts
  return rest
}

let web: LiveWeb
let registry: TestRegistry

beforeAll(async () => {
  const hosts: Record<string, LiveHost> = {}
  for (const files of worlds.slice(0, LIVE_WORLDS)) {
    for (const [address, file] of Object.entries(files)) {
      const { hostname, pathname } = new URL(address)
      hosts[hostname] = { ...hosts[hostname], [pathname]: file as object }
    }
  }
  web = await openLiveWeb(hosts)
  registry = await web.open()
})
afterAll(() => web.close())

describe('over HTTP, for any files of houses and brands that refer to one another', () => {
  it('stored brands are what the rules of brand.json say', async () => {
    const own = await web.open()
    const now = own.clock.now()
    await own.observe(...worlds.flatMap((files, world) => observeWorld(files, world, now)))
    for (const some of chunk([...worlds.entries()], WORLDS_PER_REQUEST)) {
      const domains = some.flatMap(([world]) => listDomains(world))
      const url = '/api/brands/resolve/bulk'
      const answer = await own.app.inject({ method: 'POST', url, payload: { domains } })
      const { results } = answer.json()
      for (const [world, files] of some) {
        for (const domain of listDomains(world)) {
          const context = `${domain} in ${JSON.stringify(files)}`
          expect(pickFacts(results[domain]), context).toEqual(expectBrand(files, domain, now))
        }
      }
    }
  })

  it('saved brands are of the house that alone claims them, as these rules say', async () => {
    const own = await web.open()
    const org = 'Acme'
    const domains = worlds.flatMap((_, world) => listDomains(world))
    const all = new Map(domains.map((domain, i) => [domain, drawSaved(domain, i)]))
    await own.sequencer.commit({ observations: [], submissions: [buildOrganizationWrite(org)] })
    const proofs = domains.map(domain => buildProofWrite(org, domain))
    await own.sequencer.commit({ observations: [], submissions: proofs })
    const saves = [...all].map(([domain, { brand_name, house_domain }]) => {
      const save = buildBrandSave(org, domain, brand_name)
      const operation = { ...save.operation, ...(house_domain && { house_domain }) }
      return { ...save, operation: operation as typeof save.operation }
    })
    const now = own.clock.now()
    const half = Math.floor(saves.length / 2)
    // Houses claim some of them before they are saved, and some after.
    await own.sequencer.commit({ observations: [], submissions: saves.slice(0, half) })
    await own.observe(...sparse.flatMap((files, world) => observeWorld(files, world, now)))
    await own.sequencer.commit({ observations: [], submissions: saves.slice(half) })
    await own.reader.refresh()
    const met = new Map<string, number>()
    for (const some of chunk([...sparse.entries()], WORLDS_PER_REQUEST)) {
      const payload = { domains: some.flatMap(([world]) => listDomains(world)) }
      const url = '/api/brands/resolve/bulk'
      const { results } = (await own.app.inject({ method: 'POST', url, payload })).json()
      for (const [world, files] of some) {
        for (const domain of listDomains(world)) {
          const expected = expectSavedBrand(files, domain, now, all.get(domain)!)
          const context = `${domain}, ${all.get(domain)!.house_domain} in ${JSON.stringify(files)}`
          expect(pickFacts(results[domain]), context).toEqual(expected)
          const kind = expected.relationship_trust ?? 'none'
          met.set(kind, (met.get(kind) ?? 0) + 1)
        }
      }
    }
    expect(met.get('house_only')).toBeGreaterThan(25)
  })

  it('brands that are read now are what the rules of brand.json say', async () => {
    for (const [world, files] of worlds.slice(0, LIVE_WORLDS).entries()) {
      for (const domain of listDomains(world)) {
        const answer = await registry.app.inject(`/api/brands/resolve?domain=${domain}&fresh=true`)
        const found = answer.statusCode === 404 ? null : answer.json()
        const context = `${domain} in ${JSON.stringify(files)}`
        expect(pickFacts(found), context).toEqual(expectBrand(files, domain, Date.now()))
      }
    }
  })
})

/** Draws a saved brand, which names no house, or a domain of its world. */
function drawSaved(domain: string, i: number): SavedBrand {
  const [, world] = /-(\d+)\.example$/.exec(domain)!
  const named = i % 3 === 0 ? listDomains(Number(world))[i % 4] : undefined
  const isOther = named !== undefined && named !== domain
  return { brand_name: `Saved ${i}`, ...(isOther && { house_domain: named }) }
}

const chunk = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  )

/** Builds the observations of a night in which all files of a world are read. */
function observeWorld(files: BrandFiles, world: number, at: number): Observation[] {
  return listAddresses(world).map(address => {
    const { location } = parseSource('brand.json', address)!
    const file = files[address]
    return file === undefined
      ? observeOutcome('absent', 'brand.json', location, at)
      : observeFile('brand.json', location, file as object, at)
  })
}
