import { expect, test } from 'vitest'
import { renderTable, renderTitle } from '../../../api/pages/parts/blocks.tsx'
import { renderMarkedLines } from '../../../api/pages/parts/marked-lines.tsx'

const fault = (n: number) => ({
  field: `agents[${n}].keys`,
  code: 'missing' as const,
  message: `agents[${n}].keys is missing`,
  severity: 'warning' as const,
  line: 10 * n + 1,
})
const text = '{\n'.repeat(60)

test.each([
  [5, 5, 0],
  [12, 12, 0],
  [13, 10, 3],
])('a table of %i rows opens with %i of them, and folds %i', (size, open, folded) => {
  const page = renderTable({
    caption: 'Agents',
    columns: ['Agent', 'Count'],
    items: Array.from({ length: size }, (_, n) => n),
    empty: '',
    open: 10,
    render: n => [`agent ${n}`, 1_000 + n],
  }).toString()
  const [shown = '', rest = ''] = page.split('<tbody class="rest">')
  expect(shown.match(/<tr><th scope="row">/g)).toHaveLength(open)
  expect(rest.match(/<tr><th scope="row">/g) ?? []).toHaveLength(folded)
  expect(page.match(/<th scope="col" class="number">Count<\/th>/g)).toHaveLength(1)
})

test('a warning that repeats in each entry of a list is told once, with the lines of the others', () => {
  const page = String(renderMarkedLines(text, [0, 1, 2, 3, 4].map(fault)))
  expect(page.match(/is missing/g)).toHaveLength(1)
  expect(page.match(/>warning</g)).toHaveLength(1)
  expect(page).toContain('agents[…].keys is missing')
  expect(page.match(/The same on 4 more lines.*<\/details>/)?.[0]).toMatch(/>11<.*>21<.*>31<.*>41</)
  expect(page).not.toContain('further down')

  const few = String(renderMarkedLines(text, [0, 1, 2].map(fault)))
  expect(few.match(/is missing/g)).toHaveLength(3)
})

test('line numbers lead to a field of the page only where it has one', () => {
  const faults = [0, 1, 2, 3, 4].map(fault)
  expect(String(renderMarkedLines(text, faults))).toContain('href="#text"')
  const plain = String(renderMarkedLines(text, faults, { isEditable: false }))
  expect(plain).not.toContain('href=')
  expect(plain.match(/The same on 4 more lines.*<\/details>/)?.[0]).toMatch(/>11<.*>41</)
})

test('a heading is in letters, with the name that DNS has beside it', () => {
  const title = (name: string) =>
    renderTitle({ mark: '', kind: 'Brand', name, below: '' }).toString()
  expect(title('xn--bcher-kva.example')).toMatch(
    /<h1>.*bücher.*\.example.*<\/h1>.*<code>xn--bcher-kva\.example<\/code>/,
  )
  expect(title('herald.example')).not.toContain('<code>')
})
