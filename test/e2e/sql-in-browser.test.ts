import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser, Page, Request } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listExampleQueries } from '../../api/pages/cookbook.ts'
import { toIso } from '../../pipeline/core/clock.ts'
import { Database } from '../../pipeline/store/columnar/duckdb.ts'
import { listViews } from '../../pipeline/store/columnar/view-files.ts'
import { listPublishedTables } from '../../pipeline/store/table-files.ts'
import { launchBrowser } from '../support/clients/driven-browser.ts'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { openRegistry, type TestRegistry } from '../support/registry/app.ts'
import { fillPages } from '../support/worlds/page-world.ts'

const timeout = 120_000
const desktop = { width: 1280, height: 720 }
let browser: Browser
/** The only window: a new one for each case would have DuckDB to compile again. */
let page: Page
let registry: TestRegistry
let origin: string

beforeAll(async () => {
  browser = await launchBrowser()
  page = await browser.newPage()
  registry = await openRegistry()
  await fillPages(registry)
  await registry.publish()
  origin = await registry.app.listen({ host: '127.0.0.1', port: 0 })
})

afterAll(async () => {
  await browser?.close()
  await registry?.close()
})

/** Loads the page anew; returns what it asked of other servers, too. */
async function visit(hash: string, use: (page: Page) => Promise<void>): Promise<string[]> {
  const outside: string[] = []
  const note = (request: Request) => {
    const url = request.url()
    if (!url.startsWith(origin) && !/^(?:blob|data):/.test(url)) outside.push(url)
  }
  await page.setViewportSize(desktop)
  // Another hash of the page that is there would not load it.
  await page.goto('about:blank')
  page.on('request', note)
  try {
    await page.goto(`${origin}/sql${hash}`)
    await use(page)
  } finally {
    page.off('request', note)
  }
  return outside
}

/** Runs a question as a reader does, and reads the answer. */
async function ask(page: Page, sql: string): Promise<string> {
  await page.fill('#sql', sql)
  await page.locator('.sql [role=status]').evaluate(element => element.replaceChildren())
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  return readAnswer(page)
}

/** Waits for an answer, and reads how many rows the page says it has. */
async function readAnswer(page: Page): Promise<string> {
  const status = page.locator('.sql [role=status]')
  await status.filter({ hasText: /^(?!Running|Downloading DuckDB)./ }).waitFor({ timeout })
  const failure = await page.locator('.sql .answer pre').allTextContents()
  return [await status.textContent(), ...failure].join(' ')
}

/** Lists the values that print over the column to their right; runs in the page. */
const LIST_OVERPRINTED = `[...document.querySelectorAll('.sql td .value')].filter(value => {
  const { overflow, textOverflow } = getComputedStyle(value)
  const isCut = overflow === 'hidden' && textOverflow === 'ellipsis'
  const { right } = value.parentElement.getBoundingClientRect()
  return value.getBoundingClientRect().right > right || (value.scrollWidth > value.clientWidth && !isCut)
}).map(value => value.textContent)`

function countRows({ length }: readonly unknown[]): string {
  return `${length} ${length === 1 ? 'row' : 'rows'}`
}

test('a question about times that needs a time zone is told how to ask, and the next one is answered', async () => {
  await visit('', async page => {
    for (const [sql, answer] of [
      ["select date_trunc('day', created_at) from events limit 1", 'utc_time(created_at)'],
      ['select created_at from events limit 1', '1 row in'],
      ['select current_date', 'utc_time(now())'],
      ['select created_at::date from events', 'utc_time(now())'],
      [
        'select count(*) from events where created_at > now() - interval 1 day',
        'now() or current_date.\n\nBinder Error: No function matches',
      ],
      [
        "select date_trunc('day', utc_time(created_at)) from events where utc_time(created_at) > utc_time(now()) - interval 9999 days limit 1",
        '1 row in',
      ],
    ] as const) {
      expect(`${sql}: ${await ask(page, sql)}`).toContain(answer)
    }
  })
})

test('a question that needs an extension is told where it is answered, not to install one', async () => {
  await visit('', async page => {
    for (const sql of [
      "select payload->>'publisher_domain' from events",
      "select manifest->'$.industries' from brands",
      "from read_parquet('agents.parquet')",
    ]) {
      const answer = await ask(page, sql)
      expect(answer).toContain('Download registry.duckdb and query it on your own machine')
      expect(answer).not.toMatch(/install/i)
    }
    const none = 'select 1 from brands where false\n-- No rows: nothing changed.'
    expect(await ask(page, none)).toMatch(
      /^0 rows in \d+ ms\. This means: nothing changed\. Downloaded/,
    )
    const brands = 'select canonical_domain from brands'
    expect(await ask(page, brands)).toMatch(/^\d+ rows? in/)
    const chart = page.locator('.sql button[value=chart]')
    expect(await chart.isDisabled()).toBe(true)
    expect(await chart.getAttribute('title')).toContain('needs a column of numbers')
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
        expect(`${relation}: ${await ask(page, `from ${relation}`)}`).toContain(
          `${relation}: ${countRows(rows)} in`,
        )
      }
    })
  } finally {
    db.close()
  }
})

test('a question of a shared link waits for its reader, and is answered by ranges of the snapshot', async () => {
  const sql =
    "select canonical_domain, 7 as number, '=1+1' as note, [{'type': 'domain'}] as keys from brands order by all limit 2"
  await visit(`#q=${encodeURIComponent(sql)}`, async page => {
    expect(await page.inputValue('#sql')).toBe(sql)
    expect(await page.locator('.sql .answer').textContent()).toBe('')
    await page.click('.sql form button')
    expect(await readAnswer(page)).toMatch(/^2 rows in \d+ ms\./)
    const status = page.locator('.sql [role=status]')
    await status
      .filter({ hasText: /Downloaded \d+\.\d MB of the \d+\.\d MB file so far\./ })
      .waitFor({ timeout })
    const [loaded, whole] = (await status.textContent())!.match(/\d+\.\d(?= MB)/g)!
    expect(Number(loaded)).toBeLessThan(Number(whole))
    expect(await status.textContent()).toContain(
      `Data as of ${toIso(registry.clock.now()).slice(0, 19).replace('T', ' ')} UTC (commit ${registry.reader.snapshot?.seq}); reload the page for newer data.`,
    )
    expect(await page.locator('.sql tbody td').allTextContents()).toContain('acme.example')
    expect(decodeURIComponent(new URL(page.url()).hash)).toBe(`#q=${sql}`)

    await page.click('.sql button[value=chart]')
    expect(await page.locator('.sql .bar').count()).toBe(2)

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.click('.sql button[value=csv]'),
    ])
    const csv = await readFile((await download.path())!, 'utf8')
    expect(csv.split('\n')[0]).toBe('canonical_domain,number,note,keys')
    expect(csv).toContain(`acme.example,7,'=1+1,"[{""type"":""domain""}]"`)
  })
})

test('a chart shows the column by which the rows are sorted, with whole labels and values on a phone', async () => {
  const sql =
    "select 'https://' || repeat('agent.', 8) || n as agent, 7 as other, 12345 * (9 - n) as reach from range(3) t(n)"
  await visit(`#q=${encodeURIComponent(sql)}`, async page => {
    await page.setViewportSize({ width: 390, height: 800 })
    await page.click('.sql form button')
    await readAnswer(page)
    await page.click('.sql button[value=chart]')
    expect(await page.locator('.sql figcaption').textContent()).toBe('reach by agent')
    expect(await page.locator('.sql .track .number').allTextContents()).toEqual([
      '111,105',
      '98,760',
      '86,415',
    ])
    for (const label of await page.locator('.sql .label').all())
      expect(await label.evaluate(el => el.scrollWidth <= el.clientWidth)).toBe(true)
    for (const number of await page.locator('.sql .track .number').all())
      expect(await number.evaluate(el => el.getClientRects().length)).toBe(1)
    expect(await page.locator('html').evaluate(el => el.scrollWidth)).toBe(390)
  })
})

test('a long value ends with an ellipsis inside its column, and is read whole by pointer and keyboard', async () => {
  const long = 'property-id-'.repeat(60)
  const object = `{'domains': ['${long}', '${long}']}`
  const many = `select 1 as a, 2 as b, '${long}' as long, [${object}] as list, 'after' as after`
  await visit('', async page => {
    const values = page.locator('.sql td .value')
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 })
      for (const sql of [
        'from grants_flat',
        'from events',
        'from brands',
        many,
        `select '${long}'`,
      ]) {
        expect(await ask(page, sql)).toMatch(/^[\d,]+ rows? in/)
        for (const view of ['table', 'whole']) {
          await page.click(`.sql button[value=${view}]`)
          expect([width, sql, view, await page.evaluate(LIST_OVERPRINTED)]).toEqual([
            width,
            sql,
            view,
            [],
          ])
        }
        expect(await page.locator('html').evaluate(el => el.scrollWidth)).toBe(width)
      }
    }
    await ask(page, many)
    const value = values.nth(2)
    const isWhole = () =>
      value.evaluate(el => el.scrollWidth <= el.clientWidth && el.scrollHeight <= el.clientHeight)
    expect(await isWhole()).toBe(false)
    await value.hover()
    expect(await value.getAttribute('title')).toBe(long)
    for (const shown of [true, false]) {
      await value.click()
      expect(await isWhole()).toBe(shown)
    }
    await page.locator('.sql button[value=whole]').focus()
    await page.keyboard.press('Enter')
    expect(await isWhole()).toBe(true)
    expect(await values.nth(4).getAttribute('title')).toBe(null)
  })
})

test('a question asks the snapshot that is current when it runs, and goes on when that is gone', async () => {
  await visit('', async page => {
    for (const [domain, sql] of [
      ['new.example', "select * from publishers where domain = 'new.example'"],
      // No part of this table was loaded yet.
      ['newer.example', "select * from crawl_state where location = 'newer.example'"],
    ] as const) {
      const { snapshotFile, paths } = registry.reader
      await registry.observe(observePublisherFile(domain, { sites: [], agents: [] }))
      await registry.publish()
      rmSync(join(paths.snapshots, snapshotFile!))
      expect(await ask(page, sql)).toContain('1 row in')
    }
  })
})

test('a query is canceled, and the next one is answered', async () => {
  await visit('', async page => {
    const answer = page.locator('.sql .answer')
    const cancel = page.getByRole('button', { name: 'Cancel' })
    const endings = [() => cancel.click(), () => page.keyboard.press('Escape')]
    for (const [number, end] of endings.entries()) {
      expect(await ask(page, `select ${number} as number`)).toContain('1 row in')
      await page.fill('#sql', 'select count(*) from range(1_000_000_000_000)')
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      expect(await answer.getAttribute('aria-busy')).toBe('true')
      expect(await page.locator('.sql .views button:enabled').count()).toBe(0)
      await end()
      expect(await readAnswer(page)).toBe('Canceled.')
      expect(await answer.textContent()).toBe('')
      expect(await cancel.isDisabled()).toBe(true)
    }
  })
})

test('a long result says how many rows it has, and the CSV has all of them', async () => {
  await visit('', async page => {
    expect(await ask(page, 'select range as number from range(1234)')).toMatch(
      /^1,234 rows in \d+ ms\. The first 1,000 are shown; the CSV has all\./,
    )
    expect(await page.locator('.sql tbody tr').count()).toBe(1000)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.click('.sql button[value=csv]'),
    ])
    const csv = await readFile((await download.path())!, 'utf8')
    expect(csv.trim().split('\n')).toHaveLength(1235)
  })
})

test('a message says what the page can do, and quotes once and only what was written', async () => {
  const readsOnly = 'This page only reads: write one SELECT.'
  const refused = 'Query failed'
  await visit('', async page => {
    for (const [sql, status, quoted] of [
      ['', 'Type a query or choose one below.', undefined],
      ['-- nothing', 'Type a query or choose one below.', undefined],
      ['select 1; select 2', 'This page runs one query at a time.', undefined],
      ['drop table events', readsOnly, undefined],
      ['insert into events from events', readsOnly, undefined],
      ['set threads = 1', readsOnly, undefined],
      ['install json', readsOnly, undefined],
      ["copy events to 'events.csv'", readsOnly, undefined],
      ['selec domain from brands', refused, 'LINE 1: selec domain from brands'],
      ['from nothing_of_this_name', refused, 'LINE 1: from nothing_of_this_name'],
      ['select domain from brands whre true', refused, 'LINE 1: select domain from brands whre'],
      ["select 1 as one,\n'a'::int", refused, "LINE 2: 'a'::int"],
    ] as const) {
      const answer = await ask(page, sql)
      expect(answer).toContain(status)
      expect([sql, answer.split('LINE ').length - 1]).toEqual([sql, quoted ? 1 : 0])
      expect(answer).toContain(quoted ?? status)
    }
    expect(await ask(page, '-- How?\nexplain select domain from brands')).toMatch(/plan.*SCAN/s)
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
    expect(await ask(page, `from 'http://127.0.0.1:${port}/file.csv'`)).toContain('Query failed')
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
