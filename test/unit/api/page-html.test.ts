import { describe, expect, test } from 'vitest'
import { Fragment, h, isSafeAddress } from '../../../api/pages/html/jsx.ts'
import {
  clipText,
  fitItems,
  formatMoment,
  renderName,
  renderWindow,
} from '../../../api/pages/html/text.tsx'

const payloads = [
  '"><script>alert(1)</script>',
  "' onmouseover='alert(1)",
  '</style><svg onload=alert(1)>',
  '</title><script>alert(1)</script>',
  '<!--',
  ']]>',
]

describe('text on a page', () => {
  test.each(payloads)('is escaped as content and as an attribute: %s', payload => {
    const page = h('p', { title: payload }, payload, [payload, h(Fragment, null, payload)])
    expect(page.toString().replace(/^<p title="[^"<>]*">|<\/p>$/g, '')).not.toMatch(/[<>"']/)
  })

  test('that looks like HTML is text, even in an object of the same shape', () => {
    const shape = { toString: () => '<b>' } as unknown as string
    expect(h('p', null, shape).toString()).toBe('<p>&lt;b&gt;</p>')
  })

  test('cannot reverse the direction of other text, and has no control characters', () => {
    expect(renderName('a\u202eb\u0000c').toString()).toBe('<bdi>a\ufffdb\ufffdc</bdi>')
  })

  test('that is long is cut at a whole character', () => {
    expect(clipText('👩'.repeat(200), 10)).toBe(`${'👩'.repeat(9)}…`)
    expect(clipText(undefined)).toBe('')
    expect(clipText(`${'Every word stays whole. '.repeat(3)}a runner hosting a webhook`, 90)).toBe(
      `${'Every word stays whole. '.repeat(3)}a runner hosting…`,
    )
  })
})

describe('an address on a page', () => {
  test.each(['/', '/brand/a', '?q=1', '#top', 'https://a.example/x', 'http://a.example'])(
    '%s is kept',
    address => {
      expect(isSafeAddress(address)).toBe(true)
    },
  )

  test.each([
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'JAVASCRIPT:alert(1)',
    'data:text/html,<script>',
    'vbscript:x',
    '//evil.example',
    '/\\evil.example',
    'https:evil.example',
    'https:///evil',
    'ftp://a.example',
    '',
  ])('%j is left out', address => {
    expect(isSafeAddress(address)).toBe(false)
    expect(h('a', { href: address }, 'x').toString()).toBe('<a>x</a>')
  })
})

describe('an element of a page', () => {
  test.each(['onclick', 'onLoad', 'style', 'srcdoc', 'formaction', 'http-equiv', 'a b', 'a"'])(
    'has no attribute %s',
    name => {
      expect(() => h('p', { [name]: 'x' })).toThrow('is no attribute')
    },
  )

  test('a field holds text as it was written, and cannot be ended by it', () => {
    const text = '\n</textarea><b>&amp;\u202e'
    const html = h('textarea', null, text).toString()
    expect(html).toBe(`<textarea>\n\n&lt;/textarea&gt;&lt;b&gt;&amp;amp;\u202e</textarea>`)
    expect(() => h('textarea', null, h('b', null))).toThrow('holds one text')
  })

  test.each(['script', 'style', 'iframe'])('%s holds nothing', tag => {
    expect(() => h(tag, null, 'x')).toThrow('can hold nothing')
  })

  test('is left unclosed only where HTML requires that', () => {
    expect(h('input', { value: '<' }).toString()).toBe('<input value="&lt;">')
    expect(h('rect', { x: '1' }).toString()).toBe('<rect x="1"></rect>')
  })

  test('has no attribute that is false or missing', () => {
    const attributes = { hidden: false, title: undefined, id: null, open: true }
    expect(h('details', attributes).toString()).toBe('<details open></details>')
  })
})

describe('a list on a page', () => {
  test('is cut at a number of bytes, and says how many items it shows', () => {
    const item = () => h('li', null, 'x'.repeat(100))
    expect(fitItems([1, 2, 3, 4], item, { bytes: 250 }).shown).toBe(2)
    expect(fitItems([1, 2, 3, 4], item, { limit: 3 }).shown).toBe(3)
  })
})

test('a moment is written for people, in UTC', () => {
  expect(formatMoment('2026-11-20T03:04:05.000Z')).toBe('20 Nov 2026, 03:04 UTC')
  expect(formatMoment('soon')).toBe('soon')
})

test.each([
  ['2026-01-01T00:00:00Z', '2035-01-01T00:00:00Z', '1 Jan 2026\u00a0– 1 Jan 2035'],
  ['2026-01-01', null, 'from 1 Jan 2026'],
  [undefined, '2035-01-01T12:30:00Z', 'until 1 Jan 2035, 12:30 UTC'],
  [null, undefined, ''],
])('a window from %s until %s is one phrase, with the hour only where it matters', (...edges) => {
  const [from, until, text] = edges
  const html = String(renderWindow(from, until) ?? '')
  expect(html.replace(/<[^>]+>/g, '')).toBe(text)
})
