import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listExampleQueries } from '../../api/pages/cookbook.ts'
import { Database } from '../../pipeline/store/columnar/duckdb.ts'
import { listViews } from '../../pipeline/store/columnar/view-files.ts'
import { listPublishedTables } from '../../pipeline/store/table-files.ts'
import { launchBrowser } from '../support/clients/driven-browser.ts'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { openRegistry, type TestRegistry } from '../support/registry/app.ts'
import { fillPages } from '../support/worlds/page-world.ts'

const timeout = 120_000
let browser: Browser
let registry: TestRegistry
let origin: string

beforeAll(async () => {
  browser = await launchBrowser()
  registry = await openRegistry()
  await fillPages(registry)
  await registry.publish()
  origin = await registry.app.listen({ host: '127.0.0.1', port: 0 })
})

afterAll(async () => {
  await browser?.close()
  await registry?.close()
})

/** Opens the page with a window of its own; returns what it asked of other servers, too. */
async function visit(hash: string, use: (page: Page) => Promise<void>): Promise<string[]> {
  const context = await browser.newContext()
  const outside: string[] = []
  try {
    const page = await context.newPage()
    page.on('request', request => {
      const url = request.url()
      if (!url.startsWith(origin) && !/^(?:blob|data):/.test(url)) outside.push(url)
    })
    await page.goto(`${origin}/sql${hash}`)
    await use(page)
  } finally {
    await context.close()
  }
  return outside
}

/** Waits for an answer, and reads how many rows the page says it has. */
async function readAnswer(page: Page): Promise<string> {
  const status = page.locator('.sql [role=status]')
  await status.filter({ hasText: /rows? in|cannot answer/ }).waitFor({ timeout })
  const failure = await page.locator('.sql .answer pre').allTextContents()
  return [await status.textContent(), ...failure].join(' ')
}

function countRows({ length }: readonly unknown[]): string {
  return `${length} ${length === 1 ? 'row' : 'rows'}`
}

test('a question about times that needs a time zone is told how to ask, and the next one is answered', async () => {
  await visit('', async page => {
    for (const [sql, answer] of [
      ["select date_trunc('day', created_at) from events limit 1", 'created_at::timestamp'],
      ['select created_at from events limit 1', '1 row in'],
      ['select current_date', 'now()::timestamp'],
      [
        "select date_trunc('day', created_at::timestamp) from events where created_at::timestamp > now()::timestamp - interval 9999 days limit 1",
        '1 row in',
      ],
    ] as const) {
      await page.fill('#sql', sql)
      await page.locator('.sql [role=status]').evaluate(element => element.replaceChildren())
      await page.click('.sql form button')
      expect(`${sql}: ${await readAnswer(page)}`).toContain(answer)
    }
  })
})

test('each question of the cookbook is answered in the browser as by DuckDB itself', async () => {
  const db = await Database.open(registry.reader.paths.registry, {
    readOnly: true,
    isForAnalysts: true,
  })
  try {
    const outside = await visit('', async page => {
      for (const { question, sql } of listExampleQueries()) {
        const rows = await db.all(sql)
        const example = page.locator('#examples details').filter({ hasText: question })
        await example.locator('summary').click()
        await page.locator('.sql [role=status]').evaluate(element => element.replaceChildren())
        await example.locator('a').click()
        expect(`${question} ${await readAnswer(page)}`).toContain(
          `${question} ${countRows(rows)} in`,
        )
      }
    })
    expect(outside).toEqual([])
  } finally {
    db.close()
  }
})

test('each table, view and macro is read in the browser, which has no extension of DuckDB', async () => {
  const tables = listPublishedTables().map(({ name }) => name)
  const relations = [...tables, ...listViews(), 'authorized_on(now())']
  const db = await Database.open(registry.reader.paths.registry, {
    readOnly: true,
    isForAnalysts: true,
  })
  try {
    await visit('', async page => {
      for (const relation of relations) {
        const rows = await db.all(`from ${relation}`)
        await page.fill('#sql', `from ${relation}`)
        await page.locator('.sql [role=status]').evaluate(element => element.replaceChildren())
        await page.click('.sql form button')
        expect(`${relation}: ${await readAnswer(page)}`).toContain(
          `${relation}: ${countRows(rows)} in`,
        )
      }
    })
  } finally {
    db.close()
  }
})

test('a question of a shared link waits for its reader, and is answered by ranges of the snapshot', async () => {
  const sql = 'select canonical_domain, 7 as number from brands order by all limit 2'
  await visit(`#q=${encodeURIComponent(sql)}`, async page => {
    expect(await page.inputValue('#sql')).toBe(sql)
    expect(await page.locator('.sql .answer').textContent()).toBe('')
    await page.click('.sql form button')
    expect(await readAnswer(page)).toMatch(/^2 rows in \d+ ms\./)
    const status = page.locator('.sql [role=status]')
    await status
      .filter({ hasText: /Loaded \d+\.\d MB of \d+\.\d MB, in \d\d+ requests/ })
      .waitFor({ timeout })
    const [loaded, whole] = (await status.textContent())!.match(/\d+\.\d(?= MB)/g)!
    expect(Number(loaded)).toBeLessThan(Number(whole))
    expect(await page.locator('.sql tbody td').allTextContents()).toContain('acme.example')
    expect(decodeURIComponent(new URL(page.url()).hash)).toBe(`#q=${sql}`)

    await page.click('.sql button[value=chart]')
    expect(await page.locator('.sql .bar').count()).toBe(2)

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.click('.sql button[value=csv]'),
    ])
    const csv = await readFile((await download.path())!, 'utf8')
    expect(csv.split('\n')[0]).toBe('canonical_domain,number')
    expect(csv).toContain('acme.example,7')
  })
})

test('a question goes on with the current snapshot when its own is no longer served', async () => {
  await visit('', async page => {
    const ask = async (sql: string) => {
      await page.fill('#sql', sql)
      await page.locator('.sql [role=status]').evaluate(element => element.replaceChildren())
      await page.click('.sql form button')
      return readAnswer(page)
    }
    expect(await ask('select count(*) as n from brands')).toContain('1 row in')
    const opened = await page.locator('[data-snapshot]').getAttribute('data-snapshot')
    await page.context().route(`${origin}${opened}`, route => route.fulfill({ status: 404 }))
    await registry.observe(observePublisherFile('new.example', { sites: [], agents: [] }))
    await registry.publish()
    expect(await ask("select * from crawl_state where location = 'new.example'")).toContain(
      '1 row in',
    )
  })
})

test('what DuckDB cannot answer is reported in DuckDB’s words', async () => {
  await visit('', async page => {
    await page.fill('#sql', 'select nothing from nowhere')
    await page.click('.sql form button')
    expect(await readAnswer(page)).toContain('Table with name nowhere does not exist')
  })
})

test.each([
  ['selec domain from brands', 'LINE 1: selec domain from brands'],
  ['from nothing_of_this_name', 'LINE 1: from nothing_of_this_name'],
  ['select domain from brands whre true', 'LINE 1: select domain from brands whre true'],
])('the message about %j quotes only what was written', async (sql, line) => {
  await visit(`#q=${encodeURIComponent(sql)}`, async page => {
    await page.getByRole('button', { name: 'Run' }).click()
    expect(await readAnswer(page)).toContain('cannot answer')
    expect(await page.locator('.sql pre').textContent()).toContain(line)
  })
})

test('a question reaches no other server', async () => {
  let requests = 0
  const elsewhere = createServer((_request, response) => {
    requests++
    response.setHeader('access-control-allow-origin', '*').end('a\n1\n')
  })
  elsewhere.listen(0, '127.0.0.1')
  await once(elsewhere, 'listening')
  const { port } = elsewhere.address() as AddressInfo
  await visit('', async page => {
    await page.fill('#sql', `from 'http://127.0.0.1:${port}/file.csv'`)
    await page.click('.sql form button')
    expect(await readAnswer(page)).toContain('cannot answer')
  })
  elsewhere.close()
  expect(requests).toBe(0)
})

test('snapshots are served whole and by ranges, and only by their names', async () => {
  const get = (path: string, init: RequestInit = {}) =>
    fetch(origin + path, { redirect: 'manual', ...init })
  const latest = await get('/data/registry.duckdb')
  expect(latest.status).toBe(302)
  const path = latest.headers.get('location')!
  const part = await get(path, { headers: { range: 'bytes=8-11' } })
  expect([part.status, await part.text()]).toEqual([206, 'DUCK'])
  expect(part.headers.get('cache-control')).toContain('immutable')
  const etag = part.headers.get('etag')!
  expect(
    (await get(path, { headers: { 'if-none-match': etag, 'cache-control': 'max-age=0' } })).status,
  ).toBe(304)
  expect((await get(path, { headers: { range: 'bytes=99999999999-' } })).status).toBe(416)
  expect((await get(path, { method: 'POST' })).status).toBe(405)
  for (const other of ['999999.duckdb', '..%2findex.duckdb', '%2e%2e/accounts/keys', '000001.tmp'])
    expect([other, (await get(`/data/snapshots/${other}`)).status]).toEqual([other, 404])
  expect((await get('/assets/browser/..%2fpackage.json')).status).toBe(404)
})
