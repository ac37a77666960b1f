import { beforeAll, describe, expect, it, test } from 'vitest'
import { DAY } from '../../pipeline/core/clock.ts'
import { deriveId } from '../../pipeline/core/uuid-v7.ts'
import type { Submission } from '../../pipeline/model/submission.ts'
import { observeFile, observeOutcome } from '../support/fixtures/observations.ts'
import {
  buildBrandSave,
  buildOrganizationWrite,
  buildProofWrite,
} from '../support/fixtures/submissions.ts'
import { openRegistry, type TestRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { buildBrand, buildHouse } from '../support/worlds/brand-resolution.ts'

const HOUSE = 'house.example'
const OTHER = 'other.example'
const houseFile = (domain: string, websites: string[], refs: string[] = []) =>
  buildHouse(
    domain,
    [buildBrand('own', [domain], { keller_type: 'master' }), ...brandsOf(websites)],
    {
      brand_refs: refs.map((ref, i) => ({ domain: ref, brand_id: `ref_${i}` })),
    },
  )
const brandsOf = (websites: string[]) => websites.map((site, i) => buildBrand(`brand_${i}`, [site]))

/** Builds saves of brands; `named` are the houses that some of them name. */
function saveBrands(domains: string[], named: Record<string, string> = {}): Submission[] {
  return domains.map(domain => {
    const save = buildBrandSave('Acme', domain, `Saved ${domain} ${named[domain] ?? ''}`.trim())
    const house_domain = named[domain]
    const operation = { ...save.operation, ...(house_domain && { house_domain }) }
    return { ...save, operation: operation as Submission['operation'] }
  })
}

async function openWithMember(domains: string[]): Promise<TestRegistry> {
  const registry = await openRegistry({ limits: { bulkResolvePerMinute: 1000 } })
  const proofs = domains.map(domain => buildProofWrite('Acme', domain))
  await commit(registry, [buildOrganizationWrite('Acme')])
  await commit(registry, proofs)
  return registry
}

async function commit(registry: TestRegistry, submissions: Submission[]): Promise<void> {
  await registry.sequencer.commit({ observations: [], submissions })
  await registry.reader.refresh()
}

const shared = [
  'house_domain',
  'claimed_house_domain',
  'keller_type',
  'relationship_trust',
] as const
type Said = Record<string, unknown>
const pick = (brand: Said | null | undefined) => brand && shared.map(key => brand[key])

/** Asks every answer about a brand for its house and its role, and returns those that differ from the first. */
async function askEverywhere({ app }: TestRegistry, domain: string) {
  const ask = async (url: string) => (await app.inject(url)).json()
  const resolved = await ask(`/api/brands/resolve?domain=${domain}`)
  const payload = { domains: [domain] }
  const url = '/api/brands/resolve/bulk'
  const bulk = (await app.inject({ method: 'POST', url, payload })).json().results[domain]
  const find = (list: Said[]) => list.find(item => item.domain === domain)
  return {
    resolve: pick(resolved),
    bulk: pick(bulk),
    list: pick(find((await ask('/api/brands/registry?limit=1000')).brands)),
    'list by search': pick(find((await ask(`/api/brands/registry?search=${domain}`)).brands)),
    find: pick(find((await ask(`/api/brands/find?q=${domain}`)).results)),
    search: pick(find((await ask(`/api/search?q=${domain}`)).brands)),
  }
}

async function expectEverywhere(registry: TestRegistry, domain: string, said: unknown[]) {
  const answers = await askEverywhere(registry, domain)
  expect(answers, domain).toEqual(
    Object.fromEntries(Object.keys(answers).map(name => [name, said])),
  )
}

describe('the role and the house of a brand are the same in every answer', () => {
  const domains = ['plain', 'sub', 'shop', 'ref', 'leaf', 'agent', 'lost', 'saved', 'claimed']
  const [plain, sub, shop, ref, leaf, agent, lost, saved, claimed] = domains.map(
    name => `${name}.example`,
  ) as [string, ...string[]] & string[]
  const registry = openForAll(() => openWithMember([saved!, claimed!]))

  beforeAll(async () => {
    const now = registry.clock.now()
    const files: Record<string, object> = {
      [plain!]: buildBrand('plain', [plain!]),
      [sub!]: buildBrand('sub', [sub!], { keller_type: 'sub_brand' }),
      [HOUSE]: houseFile(HOUSE, [shop!, claimed!], [ref!]),
      [shop!]: { house: HOUSE },
      [ref!]: buildBrand('ref_0', [ref!], { house_domain: HOUSE }),
      [leaf!]: buildBrand('leaf', [leaf!], { house_domain: HOUSE, keller_type: 'endorsed' }),
      [agent!]: { agents: [{ type: 'brand', url: 'https://agent.example/mcp', id: 'brand' }] },
      [lost!]: { house: 'nowhere.example' },
    }
    await registry.observe(
      ...Object.entries(files).map(([at, file]) => observeFile('brand.json', at, file, now)),
      observeOutcome('absent', 'brand.json', 'nowhere.example', now),
    )
    await commit(registry, saveBrands([saved!, claimed!]))
    await registry.publish()
  })

  // The role of a file that says none was absent in lookups and `master` in lists.
  test.each([
    ['a file that says no role', plain, [undefined, undefined, 'master', 'standalone']],
    ['a file that says its role', sub, [undefined, undefined, 'sub_brand', 'standalone']],
    ['a house itself', HOUSE, [HOUSE, undefined, 'master', 'inline']],
    ['a brand in a portfolio', shop, [HOUSE, undefined, 'master', 'inline']],
    ['a brand that its house refers to', ref, [HOUSE, undefined, 'master', 'mutual']],
    ['a brand that names a house alone', leaf, [undefined, HOUSE, 'endorsed', 'leaf_only']],
    ['a file that names an agent', agent, [undefined, undefined, 'master', 'standalone']],
    ['a file that leads nowhere', lost, [undefined, 'nowhere.example', 'master', 'unverifiable']],
    ['a saved brand', saved, [undefined, undefined, 'master', undefined]],
    ['a saved brand that a house claims', claimed, [HOUSE, undefined, 'master', 'house_only']],
  ])('%s', async (_, domain, said) => {
    await expectEverywhere(registry, domain!, said)
  })
})

describe('a saved brand that a house claims', () => {
  const site = 'site.example'
  const none = [undefined, undefined, 'master', undefined]
  const claimedBy = (house: string) => [house, undefined, 'master', 'house_only']
  const names = (house: string) => [undefined, house, 'master', undefined]

  /** Opens a registry, applies the steps in their order, and returns it once they are published. */
  async function apply(...steps: (Record<string, object | 'absent' | 'timeout'> | Submission[])[]) {
    const registry = await openWithMember([site])
    for (const step of steps) {
      registry.clock.tick({ minutes: 1 })
      if (Array.isArray(step)) await commit(registry, step)
      else {
        const now = registry.clock.now()
        await registry.observe(
          ...Object.entries(step).map(([at, found]) =>
            typeof found === 'string'
              ? observeOutcome(found, 'brand.json', at, now)
              : observeFile('brand.json', at, found, now),
          ),
        )
      }
    }
    await registry.publish()
    return registry
  }

  const inline = { [HOUSE]: houseFile(HOUSE, [site]) }
  const referred = { [HOUSE]: houseFile(HOUSE, [], [site]) }
  const second = { [OTHER]: houseFile(OTHER, [site]) }
  const nothing = { [HOUSE]: houseFile(HOUSE, []) }
  const save = saveBrands([site])
  const naming = (house: string) => saveBrands([site], { [site]: house })
  const stored = 'https://cdn.example/house.json'
  type Step = Parameters<typeof apply>[number]
  const pointed: Step = {
    [HOUSE]: { authoritative_location: stored },
    [stored]: houseFile(HOUSE, [site]),
  }

  test.each<[string, Step[], unknown[]]>([
    ['by the website of a brand', [inline, save], claimedBy(HOUSE)],
    ['by a reference', [referred, save], claimedBy(HOUSE)],
    ['after it was saved', [save, inline], claimedBy(HOUSE)],
    ['in a portfolio behind a pointer', [save, pointed], claimedBy(HOUSE)],
    ['and that names the house', [inline, naming(HOUSE)], claimedBy(HOUSE)],
    [
      'and that names the house by an earlier domain',
      [inline, { [OTHER]: { house: HOUSE } }, naming(OTHER)],
      claimedBy(HOUSE),
    ],
    ['and that names another one', [inline, naming('mine.example')], names('mine.example')],
    ['together with a second one', [save, inline, second], none],
    ['until it no longer does', [save, inline, nothing], none],
    ['until its file is gone', [save, inline, { [HOUSE]: 'absent' }], none],
    ['while its file cannot be fetched', [save, inline, { [HOUSE]: 'timeout' }], claimedBy(HOUSE)],
    [
      'in a file that another domain serves',
      [save, nothing, { [OTHER]: houseFile(HOUSE, [site]) }],
      none,
    ],
    [
      'from before it publishes a file of its own',
      [save, inline, { [site]: buildBrand('site', [site]) }],
      [undefined, undefined, 'master', 'standalone'],
    ],
    [
      'and whose own file was only just deleted',
      [save, inline, { [site]: buildBrand('site', [site]) }, { [site]: 'absent' }],
      [undefined, undefined, 'master', 'standalone'],
    ],
  ])('%s: every answer says so, or that there is none', async (_, steps, said) => {
    const registry = await apply(...steps)
    await expectEverywhere(registry, site, said)
    expect(await registry.verify()).toEqual([])
    await registry.close()
  })

  it('keeps its name, identity and content: the house alone says that it is its own', async () => {
    const registry = await apply(save, inline)
    const answer = (await registry.app.inject(`/api/brands/resolve?domain=${site}`)).json()
    expect(answer).toMatchObject({
      canonical_id: site,
      canonical_domain: site,
      brand_name: `Saved ${site}`,
      source: 'community',
      house_domain: HOUSE,
      house_name: `House ${HOUSE}`,
      relationship_trust: 'house_only',
    })
    expect(answer).not.toHaveProperty('brand_id')
    const page = await registry.app.inject(`/brand/${site}`)
    expect(page.body).toContain('Claimed by ')
    expect(page.body).toContain('not verified')
    expect(page.body).toContain('only the house names the brand')
    await registry.close()
  })

  it('is no longer claimed a day after the file of the house could last be fetched', async () => {
    const registry = await apply(save, inline, { [HOUSE]: 'timeout' })
    registry.clock.tick({ ms: DAY })
    await commit(registry, [])
    await registry.publish()
    await expectEverywhere(registry, site, none)
    await registry.close()
  })

  it('is not claimed once it is withdrawn, nor is a reference that is too old', async () => {
    const old = houseFile(HOUSE, [])
    const effective_at = '2026-01-01T00:00:00Z'
    const refs = [{ domain: site, brand_id: 'site', effective_at }]
    const registry = await apply(save, { [HOUSE]: { ...old, brand_refs: refs } })
    await expectEverywhere(registry, site, none)
    await registry.observe(
      observeFile('brand.json', HOUSE, houseFile(HOUSE, [site]), registry.clock.now()),
    )
    const { editor } = save[0]!.operation as never as { editor: object }
    const revision_id = deriveId('withdrawn')
    const about = { entity: 'brand', to_revision: 0, moderates: true, domain: site }
    const operation = { op: 'entry.rollback', revision_id, editor, ...about } as never
    await commit(registry, [{ submission_id: revision_id, operation }])
    const answer = await registry.app.inject(`/api/brands/resolve?domain=${site}`)
    expect(answer.statusCode).toBe(404)
    await registry.close()
  })
})
