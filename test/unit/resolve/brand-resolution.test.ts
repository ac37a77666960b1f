import { describe, expect, it, test } from 'vitest'
import {
  buildBrand,
  buildHouse,
  resolveOnWeb,
  type Web,
  website,
} from '../../support/worlds/brand-resolution.ts'

const acme = 'acme.example'
const nova = 'nova.example'
const house = 'house.example'
const master = buildBrand('house', [house], { keller_type: 'master' })
const to = (name: string) => ({ house: name })
const at = (authoritative_location: string) => ({ authoritative_location })
const wellKnown = (domain: string) => `https://${domain}/.well-known/brand.json`
const cdn = 'https://files.cdn.example/acme.json'

/**
 * Describes the brand as `canonical domain, brand id, trust, house or claimed house?`; `nothing` if
 * there is none.
 */
function describeBrand(web: Web, domain = acme): string {
  const { answer } = resolveOnWeb(web, domain)
  if (answer === undefined || answer === 'pending') return answer ?? 'nothing'
  const claimed = answer.claimed_house_domain && `${answer.claimed_house_domain}?`
  const { canonical_domain, brand_id, relationship_trust, house_domain } = answer
  return [canonical_domain, brand_id, relationship_trust, house_domain, claimed]
    .filter(part => part !== undefined)
    .join(' ')
}

describe('a domain with a document of its own', () => {
  test.each<[string, Web, string]>([
    ['is that brand', { [acme]: buildBrand('acme', [acme]) }, 'acme.example acme standalone'],
    [
      'that lists no website is that brand',
      { [acme]: buildBrand('acme', []) },
      'acme.example acme standalone',
    ],
    ['that says nothing known is none', { [acme]: { hello: 1 } }, 'nothing'],
    ['that cannot be had is none', { [acme]: 'timeout' }, 'nothing'],
    [
      'of agents is itself, with the agent that speaks for it',
      { [acme]: { agents: [{ type: 'brand', url: 'https://agent.example/mcp' }] } },
      'acme.example standalone',
    ],
    [
      'of agents none of which speaks for it is none',
      { [acme]: { agents: [{ type: 'sales', url: 'https://agent.example/mcp' }] } },
      'nothing',
    ],
  ])('%s', (_name, web, expected) => {
    expect(describeBrand(web)).toBe(expected)
  })
})

describe('a house’s portfolio', () => {
  const brands = [master, buildBrand('acme', [acme])]
  const own = buildHouse(house, brands)
  test.each<[string, Web, string, string?]>([
    [
      'makes a domain the brand that owns it',
      { [acme]: to(house), [house]: own },
      'acme.example acme inline house.example',
    ],
    [
      'gives its master brand to its own domain',
      { [house]: own },
      'house.example house inline house.example',
      house,
    ],
    [
      'gives its master brand to its own domain also where that owns no website',
      { [house]: buildHouse(house, [buildBrand('group', [], { keller_type: 'master' })]) },
      'house.example group inline house.example',
      house,
    ],
    [
      'without a master brand answers nothing for its own domain',
      { [house]: buildHouse(house, [buildBrand('acme', [acme])]) },
      'nothing',
      house,
    ],
    [
      'gives its master brand to nobody who merely redirects there',
      { [nova]: to(house), [house]: own },
      'nova.example leaf_only house.example?',
      nova,
    ],
    [
      'that refers to a domain that redirects to it describes no brand: neither does the domain',
      {
        [nova]: to(house),
        [house]: { ...own, brand_refs: [{ domain: nova, brand_id: 'nova' }] },
      },
      'nothing',
      nova,
    ],
    [
      'that names another house is none',
      { [acme]: buildHouse('other.example', brands) },
      'nothing',
    ],
    [
      'of another domain does not become that domain’s by a redirect',
      { [acme]: to(nova), [nova]: own, [house]: own },
      'acme.example unverifiable nova.example?',
    ],
    [
      'that is away leaves a claim nobody can verify',
      { [acme]: to(house), [house]: 'timeout' },
      'acme.example unverifiable house.example?',
    ],
    [
      'that is not there leaves a claim nobody can verify',
      { [acme]: to(house) },
      'acme.example unverifiable house.example?',
    ],
    [
      'that is a web page leaves a claim nobody can verify',
      { [acme]: to(house), [house]: 'not_json' },
      'acme.example unverifiable house.example?',
    ],
    [
      'that says nothing known leaves a claim nobody can verify',
      { [acme]: to(house), [house]: { hello: 1 } },
      'acme.example unverifiable house.example?',
    ],
    [
      'that loops leaves a claim nobody can verify',
      { [acme]: to(house), [house]: to(acme) },
      'acme.example unverifiable house.example?',
    ],
    [
      'that redirects to itself leaves a claim nobody can verify',
      { [acme]: to(house), [house]: to(house) },
      'acme.example unverifiable house.example?',
    ],
    [
      'whose pointer leads nowhere leaves a claim nobody can verify',
      { [acme]: to(house), [house]: at(cdn) },
      'acme.example unverifiable house.example?',
    ],
    [
      'whose pointer leads to another house leaves a claim nobody can verify',
      { [acme]: to(house), [house]: at(cdn), [cdn]: buildHouse(nova, brands) },
      'acme.example unverifiable house.example?',
    ],
    [
      'whose pointer leads to the brand of another site leaves a claim nobody can verify',
      { [acme]: to(house), [house]: at(cdn), [cdn]: buildBrand('acme', [acme]) },
      'acme.example unverifiable house.example?',
    ],
    [
      'of agents none of which speaks for it leaves a claim nobody can verify',
      { [acme]: to(house), [house]: { agents: [{ type: 'sales', url: 'https://agent.example' }] } },
      'acme.example unverifiable house.example?',
    ],
    [
      'that was renamed is claimed by the name that the domain gives: it does not list the domain',
      { [nova]: to('old.example'), 'old.example': to(house), [house]: own },
      'nova.example leaf_only old.example?',
      nova,
    ],
    [
      'that was renamed is claimed by the name that the domain gives: it cannot be read',
      { [nova]: to('old.example'), 'old.example': to(house), [house]: 'timeout' },
      'nova.example unverifiable old.example?',
      nova,
    ],
    [
      'that was renamed is claimed by the name that the domain gives: it is another brand',
      { [nova]: to('old.example'), 'old.example': to(house), [house]: buildBrand('x', [house]) },
      'nova.example leaf_only old.example?',
      nova,
    ],
    [
      'that was renamed makes a domain the brand that owns it',
      { [acme]: to('old.example'), 'old.example': to(house), [house]: own },
      'acme.example acme inline house.example',
    ],
    [
      'nobody has looked at yet must be read first',
      { [acme]: to(house), [house]: 'unknown' },
      'pending',
    ],
    [
      'of agents leaves a claim',
      { [acme]: to(house), [house]: { agents: [{ type: 'brand', url: 'https://agent.example' }] } },
      'acme.example leaf_only house.example?',
    ],
  ])('%s', (_name, web, expected, domain) => {
    expect(describeBrand(web, domain)).toBe(expected)
  })

  test.each([
    [undefined, 'acme.example acme inline house.example'],
    ['owned', 'acme.example acme inline house.example'],
    ['direct', 'acme.example leaf_only house.example?'],
    ['delegated', 'acme.example leaf_only house.example?'],
    ['ad_network', 'acme.example leaf_only house.example?'],
    ['friendly', 'acme.example leaf_only house.example?'],
  ])('with the relationship %s to a website', (relationship, expected) => {
    const brand = buildBrand('acme', [
      website(acme, relationship === undefined ? {} : { relationship }),
    ])
    expect(describeBrand({ [acme]: to(house), [house]: buildHouse(house, [brand]) })).toBe(expected)
  })

  it('assigns no domain by an app of that name', () => {
    const brand = buildBrand('acme', [{ type: 'mobile_app', identifier: acme, store: 'apple' }])
    expect(describeBrand({ [acme]: to(house), [house]: buildHouse(house, [brand]) })).toContain(
      'leaf_only',
    )
  })
})

describe('the canonical domain of a house’s brand', () => {
  const primary = website(nova, { primary: true })
  const own = buildHouse(house, [buildBrand('nova', [acme, primary])])
  test.each<[string, Web, string]>([
    ['its primary website, when that leads to the house', { [nova]: to(house) }, nova],
    [
      'its primary website, when that has the house’s file as its own',
      { [nova]: at(wellKnown(house)) },
      nova,
    ],
    ['no domain that leads elsewhere', { [nova]: to('other.example') }, acme],
    ['no domain that is a brand of its own', { [nova]: buildBrand('nova', [nova]) }, acme],
    ['no domain that says nothing', {}, acme],
  ])('is %s', (_name, web, expected) => {
    const { answer } = resolveOnWeb({ [acme]: to(house), [house]: own, ...web }, acme)
    expect(answer).toMatchObject({ canonical_domain: expected, house_domain: house })
  })

  it('is unknown until the primary website was read', () => {
    expect(describeBrand({ [acme]: to(house), [house]: own, [nova]: 'unknown' })).toBe('pending')
  })

  it('is the house itself for the house', () => {
    const victim = 'victim.example'
    const thief = buildBrand('thief', [website(victim, { primary: true })], {
      keller_type: 'master',
    })
    const web = { [house]: buildHouse(house, [thief]), [victim]: buildBrand('victim', [victim]) }
    expect(describeBrand(web, house)).toBe('house.example thief inline house.example')
  })
})

describe('a document at another address', () => {
  const central = 'https://cdn.acme.example/brand.json'
  test.each<[string, Web, string, string?]>([
    [
      'speaks for the domain it names',
      { [acme]: at(cdn), [cdn]: buildBrand('acme', [acme]) },
      'acme.example acme standalone',
    ],
    [
      'speaks for any domain when it names none',
      { [acme]: at(cdn), [cdn]: buildBrand('acme', []) },
      'acme.example acme standalone',
    ],
    [
      'does not speak for a domain it leaves out',
      { [acme]: at(cdn), [cdn]: buildBrand('nova', [nova]) },
      'nothing',
    ],
    [
      'does not speak for a domain it only sells',
      {
        [acme]: at(cdn),
        [cdn]: buildBrand('nova', [nova, website(acme, { relationship: 'direct' })]),
      },
      'nothing',
    ],
    [
      'on the same site needs to name nobody',
      { [acme]: at(central), [central]: buildBrand('nova', [nova]) },
      'acme.example nova standalone',
    ],
    [
      'at another domain’s own place does not speak for a domain it leaves out',
      { [acme]: at(wellKnown(nova)), [nova]: buildBrand('nova', [nova]) },
      'nothing',
    ],
    [
      'at another domain’s own place speaks for a domain it names',
      { [acme]: at(wellKnown(nova)), [nova]: buildBrand('nova', [nova, acme]) },
      'acme.example nova standalone',
    ],
    [
      'is a house’s where the house points to it',
      {
        [house]: at(cdn),
        [cdn]: buildHouse(house, [master, buildBrand('acme', [acme])]),
        [acme]: to(house),
      },
      'acme.example acme inline house.example',
    ],
    [
      'is a house’s where the house points to it, whatever websites its brands have',
      {
        [house]: at(cdn),
        [cdn]: buildHouse(house, [master, buildBrand('nova', [nova])]),
        [nova]: to(house),
      },
      'nova.example nova inline house.example',
      nova,
    ],
    [
      'is a house’s where the house points to it, also if it lists only the website of another brand',
      {
        [house]: at(cdn),
        [cdn]: buildHouse(house, [buildBrand('acme', [acme])]),
        [acme]: to(house),
      },
      'acme.example acme inline house.example',
    ],
    [
      'is a house’s where the house points to it: its master brand owns no website there',
      {
        [house]: at(cdn),
        [cdn]: buildHouse(house, [
          buildBrand('group', [], { keller_type: 'master' }),
          buildBrand('acme', [acme]),
        ]),
      },
      'house.example group inline house.example',
      house,
    ],
    [
      'is no document of the domain where it is the portfolio of another house, also one that lists the domain',
      {
        [acme]: at(wellKnown(house)),
        [house]: buildHouse(house, [master, buildBrand('acme', [acme])]),
      },
      'nothing',
    ],
    [
      'is no house’s where it is served by a third',
      { [acme]: at(cdn), [cdn]: buildHouse(house, [master, buildBrand('acme', [acme])]) },
      'nothing',
    ],
    [
      'does not make a house of whoever points to it',
      { [acme]: at(wellKnown(house)), [house]: buildHouse(house, [master]) },
      'nothing',
    ],
    ['that is not there is no brand', { [acme]: at(cdn) }, 'nothing'],
  ])('%s', (_name, web, expected, domain) => {
    expect(describeBrand(web, domain)).toBe(expected)
  })

  it('of a tenant of the same host is another site', () => {
    const [one, two] = ['one.github.io', 'two.github.io']
    const web = {
      [one]: at(`https://${two}/brand.json`),
      [`https://${two}/brand.json`]: buildBrand('two', [two]),
    }
    expect(describeBrand(web, one)).toBe('nothing')
  })
})

describe('a redirect to another brand’s document', () => {
  test.each<[string, Web, string]>([
    [
      'is that brand where it names the domain',
      { [acme]: to(nova), [nova]: buildBrand('nova', [nova, acme]) },
      'nova.example nova standalone',
    ],
    [
      'is a claim where it does not',
      { [acme]: to(nova), [nova]: buildBrand('nova', [nova]) },
      'acme.example leaf_only nova.example?',
    ],
  ])('%s', (_name, web, expected) => {
    expect(describeBrand(web)).toBe(expected)
  })
})

describe('redirects end', () => {
  const chain = (links: number, last: object): Web => ({
    [acme]: to('hop-1.example'),
    ...Object.fromEntries(
      Array.from({ length: links - 1 }, (_, i) => [
        `hop-${i + 1}.example`,
        to(`hop-${i + 2}.example`),
      ]),
    ),
    [`hop-${links}.example`]: last,
  })
  const end = (links: number) => buildHouse(`hop-${links}.example`, [buildBrand('acme', [acme])])

  it('after three, with a fourth document', () => {
    const { answer, read } = resolveOnWeb(chain(3, end(3)), acme)
    expect(answer).toMatchObject({ brand_id: 'acme', relationship_trust: 'inline' })
    expect(read).toHaveLength(4)
  })

  it('before a fourth', () => {
    const { answer, read } = resolveOnWeb(chain(4, end(4)), acme)
    expect(answer).toMatchObject({
      claimed_house_domain: 'hop-1.example',
      relationship_trust: 'unverifiable',
    })
    expect(read).toHaveLength(4)
  })

  test.each<[string, Web, number, string]>([
    ['a redirect to itself', { [acme]: to(acme) }, 1, 'acme.example unverifiable acme.example?'],
    ['a pointer to itself', { [acme]: at(wellKnown(acme)) }, 1, 'nothing'],
    [
      'two that point to each other',
      { [acme]: to(nova), [nova]: to(acme) },
      2,
      'acme.example unverifiable nova.example?',
    ],
    [
      'a pointer into a ring',
      { [acme]: at(cdn), [cdn]: to(nova), [nova]: at(cdn) },
      3,
      'acme.example unverifiable nova.example?',
    ],
  ])('at %s: no file is read twice', (_name, web, files, expected) => {
    expect(describeBrand(web)).toBe(expected)
    expect(resolveOnWeb(web, acme).read).toHaveLength(files)
  })

  test.each<[string, Web, string]>([
    ['three redirects are followed', chain(3, end(3)), 'leaf_only'],
    ['four are not followed', chain(4, end(4)), 'unverifiable'],
    ['a ring is not followed', { [acme]: to(nova), [nova]: to(acme) }, 'unverifiable'],
    ['a house without a file is not believed', {}, 'unverifiable'],
  ])('on the side of a claimed house: %s', (_name, web, trust) => {
    const leaf = buildBrand('leaf', ['leaf.example'], { house_domain: acme })
    const { answer, read } = resolveOnWeb({ ...web, 'leaf.example': leaf }, 'leaf.example')
    expect(answer).toMatchObject({ brand_id: 'leaf', relationship_trust: trust })
    expect(new Set(read).size).toBe(read.length)
  })
})
