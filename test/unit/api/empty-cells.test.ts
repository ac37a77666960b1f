import { expect, test } from 'vitest'
import { h } from '../../../api/pages/html/jsx.ts'
import { renderMoment, renderName } from '../../../api/pages/html/text.tsx'
import { renderFacts, renderTable } from '../../../api/pages/parts/blocks.tsx'
import { describeTests } from '../../../api/pages/parts/compliance.tsx'

test('a time that is left out leaves an empty cell, so that a card does not show its label', () => {
  const table = renderTable({
    caption: 'Domains',
    columns: ['Domain', 'Valid until'],
    items: ['acme.example', 'nova.example'],
    empty: '',
    render: domain => [domain, renderMoment(domain === 'nova.example' ? '2026-11-21' : null, '')],
  })
  expect(table.toString()).toContain('<td data-label="Valid until"></td>')
})

test.each([[''], [null], [renderName('')], [[]]])(
  'a column that is empty in every row is left out: %j',
  nothing => {
    const table = renderTable({
      caption: 'Policies',
      columns: ['Policy', 'Description', 'Type'],
      items: ['ccpa', 'gdpr'],
      empty: '',
      render: policy => [policy, nothing, 'Regulation'],
    }).toString()
    expect(table).not.toContain('Description')
    expect(table).toContain('<th scope="row">gdpr</th><td data-label="Type">Regulation</td>')
  },
)

test('facts of which none is known are no list', () => {
  expect(renderFacts([['Type', undefined]])).toBeNull()
})

test('a number that names its row stands at the left, as the header of its column does', () => {
  const table = renderTable({
    caption: 'Versions',
    columns: ['Version', 'Files'],
    items: [1],
    empty: '',
    render: version => [version, 12],
  }).toString()
  expect(table).toContain('<th scope="col">Version</th><th scope="col" class="number">Files</th>')
  expect(table).toContain('<th scope="row">1</th><td class="number" data-label="Files">12</td>')
})

test('how much of a limit was used stands under its column as a number does', () => {
  const table = renderTable({
    caption: 'Limits',
    columns: ['Limit', 'Used', 'Left'],
    items: [1],
    empty: '',
    render: () => ['Saves', '3 of 1,000', '997'],
  }).toString()
  expect(table).toContain('<td class="number" data-label="Used">3 of 1,000</td>')
})

test.each([
  [['failing', 'partial', 'passing', 'untested'], '2 failed', ['1 passed', '1 not tested']],
  [['passing', 'passing'], '2 passed', []],
  [['failing'], '1 failed', ['0 passed']],
] as const)('of the results %j what failed is the news', (statuses, news, rest) => {
  const storyboard_statuses = statuses.map(status => ({ status })) as never
  expect(describeTests({ storyboard_statuses })).toEqual({ news, rest })
})

test.each([
  ['pages.long-counter.example/mcp', false],
  ['2 of 3 properties', false],
  ['1 property: the operator declares a different relationship', true],
  [`${'long-'.repeat(10)}name.example`, true],
])('in a wide window only a cell with a long text may wrap: %s', (text, wraps) => {
  const table = renderTable({
    caption: 'Agents',
    columns: ['Agent', 'Operator'],
    items: [text],
    empty: '',
    render: cell => ['agent.example', [h('div', null, 'Known'), h('div', null, cell)]],
  }).toString()
  expect(table.includes('<td class="wraps"')).toBe(wraps)
  expect(table).toContain('<th scope="row">agent.example</th>')
})
