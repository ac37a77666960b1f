import { describe, expect, it, test } from 'vitest'
import { parseDomain, parsePublisherDomain, toAscii } from '../../../pipeline/core/domain.ts'
import type { AdagentsDocument, BrandDocument } from '../../../pipeline/model/documents/index.ts'
import { parseSource } from '../../../pipeline/model/observation.ts'
import { parseDocument } from '../../../pipeline/parse/parse-document.ts'

const russian = 'xn--e1afmkfd.xn--p1ai'

describe('a domain', () => {
  test.each<[string, string | undefined]>([
    ['acme.example', 'acme.example'],
    [' ACME.Example ', 'acme.example'],
    [russian, russian],
    ['XN--E1AFMKFD.XN--P1AI', russian],
    ['пример.рф', russian],
    ['ПРИМЕР.РФ', russian],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['例え.テスト', 'xn--r8jz45g.xn--zckzah'],
    ['acme', undefined],
    ['xn--p1ai', undefined],
    ['192.0.2.1', undefined],
    ['acme..example', undefined],
    ['acme.example/x', undefined],
    ['acme.example:443', undefined],
  ])('%s is normalised to %s', (written, expected) => {
    expect(parseDomain(written)).toBe(expected)
    expect(parsePublisherDomain(written)).toBe(written.includes('/') ? undefined : expected)
  })

  test.each(['пример.рф.', 'https://Пример.рф', 'http://xn--e1afmkfd.xn--p1ai./'])(
    '%s is the same publisher in a document',
    written => {
      expect(parsePublisherDomain(written)).toBe(russian)
    },
  )

  it('is normalised only once', () => {
    expect(toAscii(toAscii('ПРИМЕР.рф'))).toBe(russian)
  })
})

describe('a place that a document names', () => {
  test.each<[string, string]>([
    ['https://пример.рф/.well-known/adagents.json', russian],
    ['https://пример.рф./.well-known/adagents.json', russian],
    ['https://acme.example./.well-known/adagents.json#x', 'acme.example'],
    ['https://acme.example./a.json', 'https://acme.example/a.json'],
    ['https://acme.example/a.json#x', 'https://acme.example/a.json'],
  ])('%s is the file at %s', (address, location) => {
    expect(parseSource('adagents.json', address)).toEqual({ kind: 'adagents.json', location })
  })
})

describe('domains in a document', () => {
  const read = (kind: 'adagents.json' | 'brand.json', content: object) =>
    parseDocument(kind, Buffer.from(JSON.stringify(content)), {
      domain: 'acme.example',
      maxFaults: 20,
    }).document

  it('are normalised wherever an adagents.json names one', () => {
    const written = 'Пример.РФ.'
    const document = read('adagents.json', {
      properties: [
        {
          property_type: 'website',
          name: 'x',
          publisher_domain: written,
          identifiers: [{ type: 'domain', value: written }],
        },
      ],
      collections: [
        {
          collection_id: 'c',
          name: 'c',
          kind: 'series',
          distribution: [
            { publisher_domain: written, identifiers: [{ type: 'imdb_id', value: 'tt1' }] },
          ],
        },
      ],
      authorized_agents: [
        {
          url: 'https://s.example',
          authorized_for: 'x',
          authorization_type: 'publisher_properties',
          publisher_properties: [
            { selection_type: 'all', publisher_domain: written },
            { selection_type: 'all', publisher_domains: ['a.example.', written] },
          ],
          collections: [{ publisher_domain: written, collection_ids: ['c'] }],
        },
      ],
      revoked_publisher_domains: [
        { publisher_domain: written, revoked_at: '2026-11-20T00:00:00Z' },
      ],
    }) as AdagentsDocument
    expect(document).toMatchObject({
      properties: [{ publisher_domain: russian }],
      collections: [{ distribution: [{ publisher_domain: russian }] }],
      agents: [
        {
          publisher_properties: [
            { publisher_domains: [russian] },
            { publisher_domains: ['a.example', russian] },
          ],
          collections: [{ publisher_domain: russian }],
        },
      ],
      revoked_publisher_domains: [{ publisher_domain: russian }],
    })
  })

  it('are normalised wherever a brand.json names one', () => {
    const document = read('brand.json', {
      house: { domain: 'ПРИМЕР.рф.', name: 'Example' },
      brands: [],
      brand_refs: [{ domain: 'bücher.example.', brand_id: 'b' }],
    }) as BrandDocument
    expect(document).toMatchObject({
      house: { domain: russian },
      brand_refs: [{ domain: 'xn--bcher-kva.example' }],
    })
  })

  it('are normalised in a pointer', () => {
    const authoritative_location = 'https://Пример.рф./a.json'
    expect(read('adagents.json', { authoritative_location })).toMatchObject({
      authoritative_location: `https://${russian}/a.json`,
    })
  })
})
