import { describe, expect, it, test } from 'vitest'
import { parseDocument } from '../../../pipeline/parse/parse-document.ts'

const legacy = 'https://schemas.adcontextprotocol.org/brand/v1/brand.json'
const website = (identifier: string, more = {}) => ({ type: 'website', identifier, ...more })

function read(file: object, domain: string | null = 'acme.example') {
  const bytes = Buffer.from(JSON.stringify({ $schema: legacy, ...file }))
  return parseDocument('brand.json', bytes, { domain: domain ?? undefined, maxFaults: 50 })
}

describe('a brand.json of an early form', () => {
  const acme = { id: 'acme', name: 'Acme', properties: [website('acme.example')] }

  it('is the one brand that owns the website which serves it', () => {
    const { outcome, document, faults } = read({
      name: 'Acme Group',
      description: 'Makes anvils',
      logo: 'https://acme.example/logo.png',
      legal_operator: { email: 'ann@acme.example' },
      house: { domain: 'group.example', name: 'Group' },
      brands: [
        { ...acme, properties: [website('acme.example'), website('sold.example')] },
        { id: 'other', name: 'Other', properties: [website('other.example')] },
      ],
    })
    expect([outcome, document]).toMatchObject([
      'ok',
      {
        variant: 'brand_canonical',
        brand: {
          id: 'acme',
          name: 'Acme',
          names: [{ und: 'Acme' }],
          properties: [{ identifier: 'acme.example', relationship: 'owned' }],
          manifest: {
            description: 'Makes anvils',
            logos: [{ url: 'https://acme.example/logo.png' }],
          },
        },
        promotion: { schema: legacy },
      },
    ])
    const { promotion } = document as unknown as {
      promotion: { warnings: { field: string; message: string }[] }
    }
    const warned = [
      '$schema',
      'brands.name',
      'house',
      'legal_operator',
      'brands',
      'brands.properties',
    ]
    expect(promotion.warnings.map(({ field }) => field)).toEqual(warned)
    expect(faults).toMatchObject(warned.map(field => ({ severity: 'warning', field })))
    expect(JSON.stringify([document, faults])).not.toMatch(
      /ann@|group\.example|other\.example|sold/,
    )
  })

  test.each<[string, object, null?]>([
    ['that owns no website of the domain', { brands: [{ ...acme, properties: [] }] }],
    ['that names the website twice', { brands: [acme, { ...acme, id: 'two' }] }],
    [
      'that merely sells the website',
      {
        brands: [{ ...acme, properties: [website('acme.example', { relationship: 'delegated' })] }],
      },
    ],
    ['that another domain points to', { brands: [acme] }, null],
  ])('%s is not promoted', (_name, file, domain) => {
    const { document } = read(file, domain)
    expect(document ?? {}).not.toHaveProperty('promotion')
  })

  it('without a name says not which brand it is', () => {
    const { outcome, faults } = read({ brands: [{ id: 'acme', properties: acme.properties }] })
    expect(outcome).toBe('unusable')
    expect(faults.some(({ severity }) => severity === 'error')).toBe(true)
  })

  it('with the schema of today is read as it is written', () => {
    const { document } = read({
      $schema: 'https://adcontextprotocol.org/schemas/v3/brand.json',
      house: { domain: 'acme.example', name: 'Acme' },
      brands: [acme],
    })
    expect(document).toMatchObject({ variant: 'house_portfolio' })
  })
})
