import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { ConfigError } from '../../../../pipeline/core/config.ts'
import { toAscii } from '../../../../pipeline/core/domain.ts'
import { checkName } from '../../../../pipeline/core/lookalikes/check-name.ts'
import { toSkeleton } from '../../../../pipeline/core/lookalikes/confusables.ts'
import {
  buildProtectedNames,
  noProtectedNames,
  readProtectedNames,
} from '../../../../pipeline/core/lookalikes/protected-names.ts'
import { classifyScripts } from '../../../../pipeline/core/lookalikes/unicode-scripts.ts'
import { createDataDir } from '../../../support/registry/registry.ts'

const check = (name: string, registered: string[], protectedNames: string[] = []) =>
  checkName(toAscii(name), {
    registered: registered.map(toAscii),
    protectedNames: buildProtectedNames(protectedNames.map(toAscii)),
  }).verdict

describe('a name in other letters that looks like a registered ASCII name is refused', () => {
  test.each([
    ['аррӏе.com', 'apple.com', 'Cyrillic'],
    ['рауоо.com', 'payoo.com', 'Cyrillic'],
    ['ѕсоре.com', 'scope.com', 'Cyrillic'],
    ['тасо.com', 'taco.com', 'Cyrillic capitals in small'],
    ['кока.com', 'koka.com', 'Cyrillic'],
    ['ооо.com', 'ooo.com', 'Cyrillic'],
    ['οποο.com', 'onoo.com', 'Greek'],
    ['օօօ.com', 'ooo.com', 'Armenian'],
    ['асе.com', 'ace.com', 'Cyrillic'],
    ['ɡoogle.com', 'google.com', 'Latin'],
    ['ıota.com', 'iota.com', 'Latin'],
    ['æon.com', 'aeon.com', 'Latin'],
    ['www.аррӏе.com', 'apple.com', 'below it'],
  ])('%s is not %s (%s)', (name, known) => {
    expect(check(name, [known])).toBe('reject')
    expect(check(name, [], [known])).toBe('reject')
    expect(check(name, ['unlike.example'])).toBe('ok')
  })
})

describe('a name that mixes scripts is refused, whatever it looks like', () => {
  test.each([
    ['pаypal.com', 'Latin with Cyrillic'],
    ['αpple.com', 'Latin with Greek'],
    ['аpple-shop.com', 'Latin with Cyrillic'],
    ['рαζ.com', 'Cyrillic with Greek'],
    ['ᎪᏴcom.example', 'Latin with Cherokee'],
  ])('%s (%s)', name => {
    expect(check(name, [])).toBe('reject')
  })
})

describe('a name that IDNA 2008 does not allow is refused', () => {
  test.each([
    ['xn--i-7iq.ws', 'a heart'],
    ['xn--ls8h.la', 'a pile'],
    ['xn--zzzzzz.com', 'what decodes to nothing'],
    ['xn--acme.com', 'an A-label without need'],
  ])('%s (%s)', name => {
    expect(checkName(name, { registered: [], protectedNames: noProtectedNames }).verdict).toBe(
      'reject',
    )
  })
})

describe('an ASCII name that looks like another one is doubtful', () => {
  test.each([
    ['rnicrosoft.com', 'microsoft.com'],
    ['microsoft.com', 'rnicrosoft.com'],
    ['g00gle.com', 'google.com'],
    ['paypa1.com', 'paypal.com'],
    ['www.paypa1.com', 'paypal.com'],
    ['paypal.com', 'раураӏ.com'],
  ])('%s and %s', (name, known) => {
    expect(check(name, [known])).toBe('review')
  })
})

describe('a name that contains a protected one is doubtful', () => {
  const brands = ['acme.com', 'apple.com', 'bbc.co.uk', 'bücher.de']
  test.each([
    ['acme.net'],
    ['acme-login.com'],
    ['my-acrne.com'],
    ['acme.com.evil.example'],
    ['applepay.com'],
    ['my-bbc.org'],
    ['ạpple.com'],
    ['bücher.com'],
  ])('%s', name => {
    expect(check(name, [], brands)).toBe('review')
  })

  test.each([
    ['acme.com', 'is protected itself'],
    ['shop.acme.com', 'is below it'],
    ['bücher.de', 'is protected itself'],
    ['acmes.com', 'has a short name in a longer word'],
    ['subbcode.com', 'has a short name in a longer word'],
    ['acne.com', 'is another word'],
    ['pineapp1.com', 'is another word'],
  ])('%s is fine: it %s', name => {
    expect(check(name, [], brands)).toBe('ok')
  })
})

describe('a name in one script, or in scripts that a language mixes, is accepted', () => {
  test.each([
    ['bücher.de'],
    ['bucher.de'],
    ['straße.de'],
    ['пример.com'],
    ['例え-テスト.jp'],
    ['東京タワーabc.jp'],
    ['한국abc.kr'],
    ['παράδειγμα.gr'],
    ['مثال.example'],
    ['उदाहरण.in'],
    ['xn--e1afmkfd.xn--p1ai'],
  ])('%s', name => {
    expect(check(name, ['bucher.de', 'bücher.de', 'acme.com'], [])).toBe('ok')
  })

  it('a name in a script that is rare in names needs review', () => {
    expect(classifyScripts('ᏣᎳᎩ')).toBe('unusual')
    expect(classifyScripts('123-4')).toBe('one')
  })
})

it('a subdomain of the same owner is not confusable with it', () => {
  expect(check('www.acrne.com', ['acrne.com'])).toBe('ok')
  expect(check('acme.com', ['acme.com'])).toBe('ok')
})

it('the skeleton of a name ignores case, and never contains another name', () => {
  expect(toSkeleton('ACME.example')).toBe(toSkeleton('acme.example'))
  expect(toSkeleton('acme.com')).not.toBe(toSkeleton('acme.co'))
})

describe('the list of protected names', () => {
  const buildFile = (text: string) => {
    const path = join(createDataDir(), 'names.txt')
    writeFileSync(path, text)
    return path
  }

  it('is a file with one domain per line and comments', () => {
    const { sites } = readProtectedNames(
      buildFile('# ours\nacme.com\n\n www.Bücher.de # books\r\n'),
    )
    expect([...sites]).toEqual(['acme.com', 'xn--bcher-kva.de'])
  })

  it('is empty where no file is configured', () => {
    expect(readProtectedNames(undefined).sites.size).toBe(0)
  })

  it('reports the line that is no domain, and a missing file', () => {
    expect(() => readProtectedNames(buildFile('acme.com\nacme\n'))).toThrow(/line 2/)
    expect(() => readProtectedNames('/nowhere/names.txt')).toThrow(ConfigError)
  })
})
