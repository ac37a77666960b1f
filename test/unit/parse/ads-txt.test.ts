import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { AdsTxtDocument } from '../../../pipeline/model/documents/index.ts'
import { parseDocument } from '../../../pipeline/parse/parse-document.ts'
import { measureCpuMs } from '../../support/checks/measured-work.ts'

function parse(body: string | Uint8Array) {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  return parseDocument('ads.txt', bytes, { domain: 'acme.example', maxFaults: 20 })
}

/** Finds the manager that the file names; without one, the document lacks the member. */
function findManager(text: string): string | undefined {
  const { outcome, document } = parse(text)
  expect(outcome).toBe('ok')
  return AdsTxtDocument.parse(document).manager_domain
}

describe('the manager in an ads.txt', () => {
  test.each<[string, string, string | undefined]>([
    ['stands behind the key', 'MANAGERDOMAIN=manager.example', 'manager.example'],
    ['in any case', 'ManagerDomain=Manager.Example', 'manager.example'],
    ['with spaces around', ' \tmanagerdomain \t= manager.example \t', 'manager.example'],
    ['with a comment behind', 'managerdomain=manager.example # ours', 'manager.example'],
    ['among other lines', 'x.example, 1, DIRECT\r\nMANAGERDOMAIN=m.example\r\n', 'm.example'],
    ['among lines that end in the oldest way', 'a\rMANAGERDOMAIN=m.example\rb', 'm.example'],
    ['behind a byte order mark', '\ufeffMANAGERDOMAIN=m.example', 'm.example'],
    ['is the last one', 'managerdomain=a.example\nmanagerdomain=b.example', 'b.example'],
    ['is the last that is a name', 'managerdomain=a.example\nmanagerdomain=b', 'a.example'],
    ['may have an internationalized name', 'managerdomain=Bücher.example', 'xn--bcher-kva.example'],
    ['may have such a top-level domain', 'managerdomain=m.xn--p1ai', 'm.xn--p1ai'],
    ['is the same with a trailing dot', 'managerdomain=m.example.', 'm.example'],
    ['is nobody in a comment', '# managerdomain=m.example', undefined],
    ['is nobody for agents', 'managerdomain=m.example # NoAgents, please', undefined],
    ['is nobody for agents after a second #', 'managerdomain=m.example # x # noagents', undefined],
    [
      'may be declined with one line only',
      'managerdomain=a.example\nmanagerdomain=b.example #noagents',
      'a.example',
    ],
    ['is not declined by a longer word', 'managerdomain=m.example # noagentsyet', 'm.example'],
    ['is not declined by another line', 'managerdomain=m.example\n# noagents', 'm.example'],
    ['must be the key of its line', 'x.managerdomain=m.example', undefined],
    ['must be a whole key', 'managerdomains=m.example', undefined],
    ['must have a dot', 'managerdomain=localhost', undefined],
    ['must be no address', 'managerdomain=192.0.2.1', undefined],
    ['must have no scheme', 'managerdomain=https://m.example', undefined],
    ['must have no port', 'managerdomain=m.example:8443', undefined],
    ['must have no path', 'managerdomain=m.example/x', undefined],
    ['must not be for one country only', 'managerdomain=m.example, DE', undefined],
    ['must be there', 'managerdomain=', undefined],
    ['is not looked for in the next line', 'managerdomain=\nm.example', undefined],
    ['is nobody in an empty file', '', undefined],
  ])('%s', (_, text, expected) => {
    expect(findManager(text)).toBe(expected)
  })

  it('is read beside other lines', () => {
    const { faults } = parse(
      'a\r\nmanagerdomain=x\nmanagerdomain=b.example\nmanagerdomain=acme.example',
    )
    expect(faults.map(({ message }) => message)).toEqual([
      'in line 2 is "x", not a bare domain name',
      'is given 2 times: only the last one counts',
      'names the domain itself: there is no other file',
    ])
  })
})

describe('an ads.txt', () => {
  it('that is a web page does not count', () => {
    const page = parse('\n <!doctype html>\nmanagerdomain=m.example')
    expect(page).toMatchObject({ outcome: 'not_json', faults: [{ severity: 'error' }] })
  })

  it('is read to the end in any spelling, and yields valid domains only', () => {
    const line = fc.oneof(
      fc.string(),
      fc.constantFrom(
        'managerdomain',
        '=',
        '#',
        'noagents',
        '\n',
        '\r',
        ' ',
        'm.example',
        '\u0000',
      ),
    )
    const texts = fc.array(line, { maxLength: 40 }).map(parts => parts.join(''))
    fc.assert(
      fc.property(texts, text => {
        const { outcome, document } = parse(text)
        if (outcome !== 'ok') return text.trimStart().startsWith('<')
        const { manager_domain } = AdsTxtDocument.parse(document)
        return manager_domain === undefined || /^[a-z0-9.-]+\.[a-z0-9-]+$/.test(manager_domain)
      }),
      { numRuns: 2_000 },
    )
    fc.assert(fc.property(fc.uint8Array(), bytes => parse(bytes).outcome !== 'unusable'))
  })

  it.each<[string, string]>([
    [
      'blanks',
      `${' '.repeat(500_000)}x\n${'managerdomain '.repeat(40_000)}\n${'\t'.repeat(500_000)}`,
    ],
    ['lines that name nobody', 'managerdomain=%\n'.repeat(64 * 1024)],
    ['separators of lines', '\u2028'.repeat(340_000)],
  ])('is parsed in bounded time, also when made to be slow: %s', async (_, slow) => {
    expect(await measureCpuMs(() => findManager(slow))).toBeLessThan(1_000)
  })
})
