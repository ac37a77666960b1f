import { describe, expect, it } from 'vitest'
import { mayDeclareHost, stripHostPrefix } from '../../../pipeline/core/domain.ts'
import type { Identifier } from '../../../pipeline/model/documents/index.ts'
import {
  listLookupKeys,
  matchIdentifier,
  normalizeIdentifier,
  toIdentifierKey,
} from '../../../pipeline/resolve/identifiers.ts'

const domain = (value: string): Identifier => ({ type: 'domain', value })
const subdomain = (value: string): Identifier => ({ type: 'subdomain', value })

describe('a declared domain', () => {
  it.each<[string, string[], string[]]>([
    [
      'example.com',
      [
        'example.com',
        'www.example.com',
        'm.example.com',
        'WWW.Example.COM.',
        'https://example.com/',
      ],
      [
        'news.example.com',
        'www.m.example.com',
        'a.www.example.com',
        'notexample.com',
        'example.org',
      ],
    ],
    ['www.example.com', ['example.com', 'www.example.com', 'm.example.com'], ['a.example.com']],
    ['M.Example.com', ['example.com', 'www.example.com'], ['mm.example.com']],
    [
      'example.co.uk',
      ['www.example.co.uk', 'm.example.co.uk', 'example.co.uk'],
      ['co.uk', 'news.example.co.uk', 'www.co.uk'],
    ],
    ['m.co.uk', ['m.co.uk', 'www.m.co.uk', 'm.m.co.uk'], ['co.uk', 'www.co.uk']],
    ['m.co', ['m.co', 'www.m.co'], ['co', 'www.co']],
    ['acme.github.io', ['acme.github.io', 'www.acme.github.io'], ['github.io', 'other.github.io']],
    ['www.github.io', ['www.github.io'], ['github.io', 'm.github.io', 'acme.github.io']],
    [
      'sub.example.com',
      ['sub.example.com', 'SUB.example.com'],
      ['www.sub.example.com', 'm.sub.example.com', 'example.com'],
    ],
    [
      'www.sub.example.com',
      ['www.sub.example.com'],
      ['sub.example.com', 'm.sub.example.com', 'example.com'],
    ],
    [
      '*.example.com',
      ['a.example.com', 'a.b.example.com', 'www.example.com', 'm.example.com', '*.example.com'],
      ['example.com', 'notexample.com', 'evilexample.com', 'example.com.evil.org'],
    ],
    ['*.www.example.com', ['a.www.example.com'], ['a.example.com', 'www.example.com']],
    ['*.github.io', ['*.github.io'], ['acme.github.io', 'www.acme.github.io', 'github.io']],
    ['*.co.uk', [], ['example.co.uk', 'www.example.co.uk']],
    ['*.acme.github.io', ['a.acme.github.io', 'www.acme.github.io'], ['a.other.github.io']],
    ['müller.example', ['www.xn--mller-kva.example', 'MÜLLER.example'], ['muller.example']],
    ['xn--mller-kva.example', ['m.müller.example'], ['mueller.example']],
    ['пример.рф', ['www.xn--e1afmkfd.xn--p1ai'], ['xn--p1ai']],
  ])('%s matches %j and not %j', (declared, same, others) => {
    for (const asked of same)
      expect([asked, matchIdentifier(domain(declared), domain(asked))]).toEqual([asked, true])
    for (const asked of others) {
      expect([asked, matchIdentifier(domain(declared), domain(asked))]).toEqual([asked, false])
    }
  })
})

describe('an identifier of another type', () => {
  it.each<[Identifier, Identifier, boolean]>([
    [subdomain('www.example.com'), subdomain('WWW.example.com.'), true],
    [subdomain('www.example.com'), subdomain('example.com'), false],
    [subdomain('m.example.com'), subdomain('example.com'), false],
    [subdomain('*.example.com'), subdomain('a.example.com'), false],
    [subdomain('example.com'), domain('example.com'), false],
    [domain('example.com'), subdomain('example.com'), false],
    [domain('*.example.com'), subdomain('a.example.com'), false],
    [domain('com.acme.app'), { type: 'bundle_id', value: 'com.acme.app' }, false],
    [
      { type: 'ios_bundle', value: 'com.Acme.App' },
      { type: 'ios_bundle', value: ' com.acme.app ' },
      true,
    ],
    [{ type: 'ios_bundle', value: 'www.acme' }, { type: 'ios_bundle', value: 'acme' }, false],
    [{ type: 'venue_id', value: '12' }, { type: 'screen_id', value: '12' }, false],
    [
      { type: 'rss_url', value: 'HTTPS://Feeds.Example:443/Show?A=1#top' },
      { type: 'rss_url', value: 'https://feeds.example/show?a=1' },
      true,
    ],
    [
      { type: 'rss_url', value: 'https://feeds.example/show' },
      { type: 'rss_url', value: 'https://feeds.example/other' },
      false,
    ],
    [
      { type: 'rss_url', value: 'https://www.feeds.example/a' },
      { type: 'rss_url', value: 'https://feeds.example/a' },
      false,
    ],
    [
      { type: 'youtube_channel_handle', value: 'AcmeNews' },
      { type: 'youtube_channel_handle', value: '@acmenews' },
      true,
    ],
    [
      { type: 'youtube_channel_url', value: 'https://m.youtube.com/@Acme/videos' },
      { type: 'youtube_channel_url', value: 'https://www.youtube.com/@acme/' },
      true,
    ],
  ])('%j against %j is %s', (declared, asked, same) => {
    expect(matchIdentifier(declared, asked)).toBe(same)
    expect(matchIdentifier(asked, declared)).toBe(same)
  })

  it('keeps the case of a feed’s path', () => {
    const feed = { type: 'rss_url', value: ' HTTPS://Feeds.Example/Show?Id=A#top ' }
    expect(normalizeIdentifier(feed).value).toBe('https://feeds.example/Show?Id=A')
    expect(normalizeIdentifier({ type: 'spotify_collection_id', value: 'AbC' }).value).toBe('abc')
    expect(normalizeIdentifier({ type: 'rss_url', value: 'No Url' }).value).toBe('no url')
  })
})

describe('lookup keys of an identifier', () => {
  it.each<[Identifier, string[]]>([
    [domain('example.com'), ['domain:example.com']],
    [domain('www.example.com'), ['domain:example.com', 'domain:*.example.com']],
    [
      domain('a.b.example.co.uk'),
      ['domain:a.b.example.co.uk', 'domain:*.b.example.co.uk', 'domain:*.example.co.uk'],
    ],
    [domain('*.example.com'), ['domain:*.example.com']],
    [domain('acme.github.io'), ['domain:acme.github.io']],
    [domain('github.io'), ['domain:github.io']],
    [subdomain('www.a.example.com'), ['subdomain:www.a.example.com']],
    [{ type: 'podcast_guid', value: 'A-1' }, ['podcast_guid:a-1']],
  ])('of %j are %j', (asked, keys) => {
    expect(listLookupKeys(asked)).toEqual(keys)
    expect(keys[0]).toBe(toIdentifierKey(asked))
  })
})

describe('a host', () => {
  it.each([
    ['www.example.com', 'example.com'],
    ['m.example.com', 'example.com'],
    ['www.m.example.com', 'www.m.example.com'],
    ['mm.example.com', 'mm.example.com'],
    ['www.com', 'www.com'],
    ['www.example', 'www.example'],
  ])('%s without its prefix is %s', (host, bare) => expect(stripHostPrefix(host)).toBe(bare))

  it.each<[string, string, boolean]>([
    ['acme.example', 'acme.example', true],
    ['acme.example', 'WWW.Acme.Example.', true],
    ['acme.example', '*.acme.example', true],
    ['acme.example', 'https://news.acme.example/path', true],
    ['acme.example', 'evilacme.example', false],
    ['acme.example', '*.evilacme.example', false],
    ['acme.example', 'acme.example.evil.org', false],
    ['news.acme.example', 'acme.example', false],
    ['xn--mller-kva.example', 'www.Müller.example', true],
    ['acme.github.io', 'a.acme.github.io', true],
    ['github.io', 'github.io', true],
    ['github.io', 'acme.github.io', false],
    ['github.io', '*.github.io', false],
    ['co.uk', 'example.co.uk', false],
  ])('of %s may be declared as %s: %s', (owner, text, own) => {
    expect(mayDeclareHost(owner, text)).toBe(own)
  })
})
