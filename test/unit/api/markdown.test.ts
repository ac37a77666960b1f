import { expect, test } from 'vitest'
import { renderMarkdown } from '../../../api/pages/html/markdown.ts'

const render = (text: string) => String(renderMarkdown(text, address => address))

test('sections can be linked to by the words of their headings', () => {
  expect(render('# Title\n\n## Who `sells` it?')).toBe(
    '<h1>Title</h1><h2 id="who-sells-it"><a href="#who-sells-it">Who <code>sells</code> it?</a></h2>',
  )
})

test('lists, tables and code keep their structure', () => {
  expect(render('- one\n- **two**')).toBe('<ul><li>one</li><li><strong>two</strong></li></ul>')
  expect(render('```sh\na < b\n```')).toBe('<pre tabindex="0">a &lt; b\n</pre>')
  expect(render('| a |\n| --- |\n| b |')).toBe(
    '<section class="scrolls" tabindex="0" aria-label="Table: A"><table><thead><tr><th scope="col">A</th></tr></thead>' +
      '<tbody><tr><th scope="row">b</th></tr></tbody></table></section>',
  )
})

test('a column without a name has no header', () => {
  expect(render('| | a |\n| --- | --- |\n| b | c |')).toContain(
    'aria-label="Table: A"><table><thead><tr><td></td><th scope="col">A</th></tr>',
  )
})

test('what a document folds is folded, and only that is HTML', () => {
  const folded = '<details>\n<summary>With <b>curl</b></summary>\n\n*one*\n\n</details>'
  expect(render(`before\n\n${folded}\n\nafter`)).toBe(
    '<p>before</p><details class="fold"><summary>With &lt;b&gt;curl&lt;/b&gt;</summary>' +
      '<p><em>one</em></p></details><p>after</p>',
  )
})

test('HTML in a document is text, and no link runs anything', () => {
  expect(render('<script>alert(1)</script>')).not.toContain('<script')
  expect(render('[a](javascript:alert(1)) [b](//evil.example)')).not.toContain('href')
})

test('a link that leads nowhere is left as text', () => {
  const rendered = renderMarkdown('see [the data](data.md) and [all](/docs)', address =>
    address.endsWith('.md') ? undefined : address,
  )
  expect(String(rendered)).toBe('<p>see the data and <a href="/docs">all</a></p>')
})
