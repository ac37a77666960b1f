import { afterAll, beforeAll, expect, it } from 'vitest'
import { parseDomain, toAscii } from '../../../pipeline/core/domain.ts'
import { buildProtectedNames, noneProtected } from '../../../pipeline/core/protected-names.ts'
import { nameFaults } from '../../../pipeline/writer/community/lookalike-lookup.ts'
import { openRegistry, type TestRegistry } from '../../support/app.ts'
import { brandFile, publisherFile } from '../../support/documents.ts'

let registry: TestRegistry

beforeAll(async () => {
  registry = await openRegistry()
  await registry.observe(
    brandFile('acme.com', 'Acme'),
    brandFile(toAscii('раураӏ.com'), 'Another'),
    publisherFile('microsoft.com', { sites: ['microsoft.com'], agents: [] }),
    ...['long', 'open', 'mint', 'rnoon'].map(name => brandFile(`${name}.example`, name)),
    publisherFile('plain.example', { sites: ['plain.example'], agents: [] }),
  )
})

afterAll(() => registry.close())

async function findFault(name: string, names = noneProtected) {
  const domain = parseDomain(name)!
  const faults = await nameFaults(registry.sequencer.index, [domain], names)
  return faults.get(domain)
}

it.each([
  ['rnicrosoft.com', 'doubtful', /microsoft\.com/],
  ['асме.com', 'refused', /acme\.com/],
  ['paypal.com', 'doubtful', /раураӏ\.com/],
  ['pаypal.net', 'refused', /scripts/],
  ['rnicr0soft.c0rn', 'doubtful', /microsoft\.com/],
  ['1ong.example', 'doubtful', /long\.example/],
  ['0pen.example', 'doubtful', /open\.example/],
  ['rnint.example', 'doubtful', /mint\.example/],
  ['moon.example', 'doubtful', /rnoon\.example/],
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
  expect(await findFault('globex-login.com', names)).toMatchObject({ verdict: 'doubtful' })
  expect(await findFault('glоbех.com', names)).toMatchObject({ verdict: 'refused' })
  expect(await findFault('globex.com', names)).toBeUndefined()
})

it('many names are checked with one query', async () => {
  const names = ['rnicrosoft.com', 'plain.example', 'асме.com'].map(name => parseDomain(name)!)
  const faults = await nameFaults(registry.sequencer.index, [...names, ...names], noneProtected)
  expect([...faults.keys()]).toEqual([names[0], names[2]])
})
