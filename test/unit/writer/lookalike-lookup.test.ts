import { beforeAll, expect, it } from 'vitest'
import { HOUR } from '../../../pipeline/core/clock.ts'
import { parseDomain, toAscii } from '../../../pipeline/core/domain.ts'
import {
  buildProtectedNames,
  noProtectedNames,
} from '../../../pipeline/core/lookalikes/protected-names.ts'
import { findNameFaults } from '../../../pipeline/writer/community/lookalike-lookup.ts'
import { observeBrandFile, observePublisherFile } from '../../support/fixtures/documents.ts'
import { observeFile } from '../../support/fixtures/observations.ts'
import {
  buildBrandSave,
  buildOrganizationWrite,
  buildProofWrite,
} from '../../support/fixtures/submissions.ts'
import { openRegistry } from '../../support/registry/app.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'
import { buildBrand, buildHouse } from '../../support/worlds/brand-resolution.ts'

const registry = openForAll(openRegistry)

beforeAll(async () => {
  await registry.observe(
    observeBrandFile('acme.com', 'Acme'),
    observeBrandFile(toAscii('раураӏ.com'), 'Another'),
    observePublisherFile('microsoft.com', { sites: ['microsoft.com'], agents: [] }),
    ...['long', 'open', 'mint', 'rnoon'].map(name => observeBrandFile(`${name}.example`, name)),
    observePublisherFile('plain.example', { sites: ['plain.example'], agents: [] }),
  )
})

async function findFault(name: string, protectedNames = noProtectedNames, protectedReach = 0) {
  const domain = parseDomain(name)!
  const rules = { protectedNames, protectedReach, now: registry.clock.now() }
  const faults = await findNameFaults(registry.sequencer.index, [domain], rules)
  return faults.get(domain)
}

it.each([
  ['rnicrosoft.com', 'review', /microsoft\.com/],
  ['асме.com', 'reject', /acme\.com/],
  ['paypal.com', 'review', /раураӏ\.com/],
  ['pаypal.net', 'reject', /scripts/],
  ['rnicr0soft.c0rn', 'review', /microsoft\.com/],
  ['1ong.example', 'review', /long\.example/],
  ['0pen.example', 'review', /open\.example/],
  ['rnint.example', 'review', /mint\.example/],
  ['moon.example', 'review', /rnoon\.example/],
  // Under another suffix these were accepted.
  ['rnicrosoft.net', 'review', /microsoft\.com/],
  ['login.1ong.shop', 'review', /long\.example/],
  ['асме.net', 'reject', /acme\.com/],
])('%s is %s by the names of brands and publishers', async (name, verdict, reason) => {
  expect(await findFault(name)).toEqual({ verdict, reason: expect.stringMatching(reason) })
})

it.each([['acme.com'], ['www.acme.com'], ['plain.example'], ['new.example'], ['acme.net']])(
  '%s resembles no registered name',
  async name => {
    expect(await findFault(name)).toBeUndefined()
  },
)

it('unregistered names count when they are protected', async () => {
  const names = buildProtectedNames(['globex.com'])
  expect(await findFault('globex-login.com', names)).toMatchObject({ verdict: 'review' })
  expect(await findFault('glоbех.com', names)).toMatchObject({ verdict: 'reject' })
  expect(await findFault('globex.com', names)).toBeUndefined()
})

it('many names are checked with one query', async () => {
  const names = ['rnicrosoft.com', 'plain.example', 'асме.com'].map(name => parseDomain(name)!)
  const faults = await findNameFaults(registry.sequencer.index, [...names, ...names], {
    protectedNames: noProtectedNames,
    protectedReach: 0,
    now: registry.clock.now(),
  })
  expect([...faults.keys()]).toEqual([names[0], names[2]])
})

it('brands with a file of their own are protected from a reach on, without a list', async () => {
  // `wide.example` publishes three properties.
  await registry.observe(
    observePublisherFile('wide.example', {
      sites: ['wide.example', 'a.wide.example', 'b.wide.example'],
      agents: [],
    }),
    observeBrandFile('wide.example', 'Wide'),
    observeBrandFile('narrow.example', 'Narrow'),
  )
  for (const [name, reach] of [
    ['wide.shop', 3],
    ['wide-login.com', 3],
    ['wlde.com', 1],
  ] as const) {
    expect(await findFault(name, noProtectedNames, 0)).toBeUndefined()
    const found = await findFault(name, noProtectedNames, reach)
    expect([name, found?.verdict]).toEqual([name, name === 'wlde.com' ? undefined : 'review'])
    expect(await findFault(name, noProtectedNames, 4)).toBeUndefined()
  }
  expect(await findFault('narrow-login.com', noProtectedNames, 1)).toBeUndefined()
  expect(await findFault('www.wide.example', noProtectedNames, 1)).toBeUndefined()
  // The list follows the files: once the brand reaches less, its name is free again.
  registry.clock.tick(HOUR)
  await registry.observe(
    observePublisherFile('wide.example', { sites: ['wide.example'], agents: [] }),
  )
  expect(await findFault('wide.shop', noProtectedNames, 3)).toBeUndefined()
  expect(await findFault('wide.shop', buildProtectedNames(['wide.example']), 3)).toMatchObject({
    verdict: 'review',
  })
})

it('brands are not protected by saved brands that their file lists', async () => {
  const claimed = ['harbour.example', 'meadow.example', 'quarry.example']
  const submissions = [
    buildOrganizationWrite('Acme'),
    ...claimed.map(domain => buildProofWrite('Acme', domain)),
    ...claimed.map(domain => buildBrandSave('Acme', domain, `Brand ${domain}`)),
  ]
  for (const submission of submissions) {
    await registry.sequencer.commit({ observations: [], submissions: [submission] })
  }
  await registry.reader.refresh()
  const own = buildBrand('grabber', ['grabber.example'], { keller_type: 'master' })
  const others = claimed.map((domain, i) => buildBrand(`b_${i}`, [domain]))
  const file = buildHouse('grabber.example', [own, ...others])
  await registry.observe(observeFile('brand.json', 'grabber.example', file, registry.clock.now()))
  const answer = await registry.app.inject('/api/brands/resolve?domain=meadow.example')
  expect(answer.json()).toMatchObject({ house_domain: 'grabber.example', source: 'community' })
  expect(await findFault('grabber.shop', noProtectedNames, 1)).toBeUndefined()
})
