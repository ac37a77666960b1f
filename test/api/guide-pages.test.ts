import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'cheerio'
import { describe, expect, test } from 'vitest'
import { guideFolders, listGuides, toGuidePath } from '../../api/pages/guides.ts'
import { projectRoot } from '../../pipeline/core/project-root.ts'
import { openRegistry, type TestRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const registry = openForAll(() => openRegistry({ settings: { PORT: '4000' } }))

async function readGuide(name: string, { app }: TestRegistry = registry) {
  const { statusCode, body } = await app.inject({
    url: toGuidePath(name),
    headers: { accept: 'text/html' },
  })
  expect(statusCode).toBe(200)
  return load(body)
}

test('the address that people guess leads to the guides', async () => {
  const { statusCode, headers } = await registry.app.inject({ url: '/guides' })
  expect([statusCode, headers.location]).toEqual([301, '/docs/guides'])
})

test('every document for users is listed once', () => {
  const files = guideFolders.flatMap(folder => readdirSync(join(projectRoot, folder)))
  const documents = files.filter(file => file.endsWith('.md')).map(file => file.slice(0, -3))
  expect(
    listGuides()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(documents.sort())
})

test.each([
  ['/docs/guides', 'Docs page', 'Guides page'],
  ['/docs/guides/buyer', 'Docs true', 'Guides true'],
  ['/docs', 'Docs true', 'API reference page'],
  ['/authorization', 'Check authorization page'],
  ['/workshop', 'Check a file page'],
])('the navigation marks where %s is', async (url, ...marked) => {
  const { body } = await registry.app.inject({ url, headers: { accept: 'text/html' } })
  const page = load(body)
  const links = page('header nav a[aria-current]')
    .toArray()
    .map(link => page(link))
  expect(links.map(link => `${link.text()} ${link.attr('aria-current')}`)).toEqual(marked)
})

describe('a guide that the registry serves', () => {
  test.each(listGuides().map(({ name }) => name))(
    'has only links that lead somewhere: %s',
    async name => {
      const page = await readGuide(name)
      const links = page('article.guide a')
        .toArray()
        .map(link => page(link).attr('href'))
      for (const href of links) {
        expect(href).toMatch(/^(?:https?:|mailto:|#|\/)/)
        const [, guide] = /^\/docs\/guides\/([\w-]+)/.exec(href!) ?? []
        if (guide !== undefined) expect(listGuides().map(each => each.name)).toContain(guide)
      }
    },
  )

  test('links the documents of operation, and names the path of a file that is not served', async () => {
    const page = await readGuide('operating')
    for (const name of ['incidents', 'keys', 'sizing', 'scale', 'replicas']) {
      expect(page(`article.guide a[href^="/docs/guides/${name}"]`).length, name).toBeGreaterThan(0)
    }
    expect(page('article.guide').text()).toContain(
      'Prometheus configuration (docs/operate/prometheus.yml)',
    )
    const paths = page('article.guide code')
      .toArray()
      .map(code => page(code).text())
    const named = paths.filter(path => /^docs\/operate\/[\w.-]+$/.test(path))
    expect(named.filter(path => !existsSync(join(projectRoot, path)))).toEqual([])
    await readGuide('install')
  })

  test('calls the ports on which this registry listens', async () => {
    const text = (await readGuide('registry-operator'))('article.guide').text()
    expect(text).toContain('http://127.0.0.1:4100/metrics')
    const receiver = (await readGuide('webhooks'))('article.guide').text()
    expect(receiver).toContain('port 4300 of your machine')
    expect(receiver).toContain('RECEIVER_PORT=4300')
    expect(receiver).not.toContain('3300')
    const other = await openRegistry({ settings: { OPERATOR_PORT: '9100' } })
    try {
      const shown = (await readGuide('registry-operator', other))('article.guide').text()
      expect(shown).toContain('http://127.0.0.1:9100/metrics')
    } finally {
      await other.close()
    }
  })
})

test('a guide of many sections begins with links to each, and folds its long answers', async () => {
  const page = await readGuide('analyst')
  const links = page('details:contains("On this page") a').toArray()
  const targets = links.map(link => page(link).attr('href'))
  expect(targets).toEqual(
    page('.guide h2')
      .toArray()
      .map(heading => `#${page(heading).attr('id')}`),
  )
  expect(targets.length).toBeGreaterThan(4)
  const long = page('.guide pre')
    .toArray()
    .filter(pre => page(pre).text().startsWith('{') || page(pre).text().startsWith('['))
    .filter(pre => page(pre).text().trimEnd().split('\n').length > 12)
  expect(long.length).toBeGreaterThan(0)
  for (const pre of long) expect(page(pre).closest('details').length).toBe(1)
})

test('a guide ends with a way to the list of guides and to the next one', async () => {
  const guides = listGuides()
  for (const [i, { name }] of guides.entries()) {
    const page = await readGuide(name)
    const next = guides[i + 1]
    expect(
      page('.guide > .pages:last-child a')
        .toArray()
        .map(link => page(link).attr('href')),
    ).toEqual(['/docs/guides', ...(next ? [toGuidePath(next.name)] : [])])
  }
})

test('a long reference lists its sections, and folds them on a narrow screen; a link opens each', async () => {
  for (const name of ['operating', 'settings', 'webhooks']) {
    const page = await readGuide(name)
    const sections = page('.guide > details.group').toArray()
    expect(sections.length, name).toBeGreaterThan(4)
    const links = page('details:contains("On this page") a').toArray()
    expect(links.map(link => page(link).attr('href'))).toEqual(
      sections.map(section => `#${page(section).children('div[id]').attr('id')}`),
    )
    expect(page('.guide > h2').length, name).toBe(0)
  }
})

test('each cell of a table names its column for a narrow screen', async () => {
  const page = await readGuide('errors')
  const [, ...others] = page('.guide thead th').toArray()
  const columns = others.map(column => page(column).text())
  const [row] = page('.guide tbody tr').toArray()
  const cells = page(row!).children('td').toArray()
  expect(cells.map(cell => page(cell).attr('data-label'))).toEqual(columns)
  expect(page(row!).children('th[scope="row"]').length).toBe(1)
})
