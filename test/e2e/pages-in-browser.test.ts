import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  COLOR_RULES,
  desktop,
  listBarriers,
  phone,
  showIn,
} from '../support/checks/accessibility.ts'
import { launchBrowser } from '../support/clients/driven-browser.ts'
import { observeBrandFile, observePublisherFile } from '../support/fixtures/documents.ts'
import { openRegistry, type TestRegistry } from '../support/registry/app.ts'
import { fillPages, pagePaths } from '../support/worlds/page-world.ts'

const PAYLOAD = '"><img src=https://evil.example/x.png onerror=alert(1)><script>alert(1)</script>'
const loopback = { host: '127.0.0.1', port: 0 }

let browser: Browser
let registry: TestRegistry
let origin: string

beforeAll(async () => {
  browser = await launchBrowser()
  registry = await openRegistry()
  await fillPages(registry)
  origin = await registry.app.listen(loopback)
})

afterAll(async () => {
  await browser?.close()
  await registry?.close()
})

/**
 * Opens a window for as long as `look` takes. Whoever looks at several pages does so in one window: a new one
 * costs more than most pages.
 */
async function openWindow<Result>(
  options: BrowserContextOptions,
  look: (page: Page) => Promise<Result>,
): Promise<Result> {
  const context = await browser.newContext(options)
  try {
    return await look(await context.newPage())
  } finally {
    await context.close()
  }
}

/** Opens a page in a window of its own. */
function visit<Result>(
  url: string,
  options: BrowserContextOptions,
  look: (page: Page) => Promise<Result>,
): Promise<Result> {
  return openWindow(options, async page => {
    await page.goto(url)
    return look(page)
  })
}

const paths = [...pagePaths, '/brand/nobody.example', '/nowhere', '/workshop', '/sql', '/data']

describe('each page', () => {
  let page: Page

  // One window for all: a new one for each page doubles the processor time.
  beforeAll(async () => {
    page = await browser.newPage({ bypassCSP: true })
    return () => page.close()
  })

  describe.each(paths)('%s', path => {
    // Loaded once for all windows: that costs as much as to look at it in one.
    beforeAll(async () => {
      await showIn(page, 'light', desktop)
      await page.goto(origin + path)
    })

    test.each([
      ['light', phone],
      ['dark', phone],
      ['light', desktop],
      ['dark', desktop],
    ] as const)('has no barrier and fits on a %s window of %o', async (colorScheme, viewport) => {
      await showIn(page, colorScheme, viewport)
      const rules = colorScheme === 'dark' ? COLOR_RULES : undefined
      expect(await listBarriers(page, rules)).toEqual([])
    })

    test('shows no label without a value on a phone', async () => {
      await showIn(page, 'light', phone)
      const labels = await page
        .locator('td[data-label]')
        .evaluateAll(cells =>
          cells
            .filter(
              cell => cell.clientHeight > 0 && !cell.textContent && !cell.querySelector('img, svg'),
            )
            .map(cell => cell.getAttribute('data-label')),
        )
      expect(labels).toEqual([])
    })
  })
})

test.each(['/brands', '/publishers', '/agents'])(
  'on a phone %s shows a thing in three lines',
  async path => {
    await visit(origin + path, { viewport: phone }, async page => {
      const heights = await page
        .locator('.entries > li')
        .evaluateAll(entries => entries.map(({ clientHeight }) => clientHeight))
      expect(heights).not.toEqual([])
      expect(Math.max(...heights)).toBeLessThan(110)
    })
  },
)

test('a reader without a mouse skips to the content, and searches', async () => {
  await visit(`${origin}/crawl`, { viewport: desktop }, async page => {
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.getAttribute("href")')).toBe('#content')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('content')
    await page.focus('input[name=q]')
    await page.keyboard.type('acme')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/search?q=acme')
    await page.click('main a[href="/brand/acme.example"] >> nth=0')
    expect(await page.textContent('h1')).toBe('Acme')
  })
})

/** Takes the comforts of the script away: words for recent times, and buttons that copy. */
const WITHOUT_COMFORTS = `
for (const time of document.querySelectorAll('main time[title]')) time.textContent = time.title
for (const button of document.querySelectorAll('button.copy')) button.remove()`

test('a reader without JavaScript gets the same content, with times in full', async () => {
  const readAll = async (page: Page, script = '') => {
    const texts = new Map<string, string | null>()
    for (const path of pagePaths) {
      await page.goto(origin + path)
      if (script !== '') await page.evaluate(script)
      texts.set(path, await page.textContent('main'))
    }
    return texts
  }
  const scripted = await openWindow({ viewport: desktop }, page => readAll(page, WITHOUT_COMFORTS))
  const plain = await openWindow({ viewport: desktop, javaScriptEnabled: false }, page =>
    readAll(page),
  )
  expect(plain).toEqual(scripted)
})

test('a recent time is told in words with the exact one as its title, and code is copied by a button', async () => {
  const permissions = ['clipboard-read', 'clipboard-write']
  await openWindow({ viewport: desktop, permissions }, async page => {
    await page.goto(`${origin}/crawl`)
    const time = page.locator('main time[title]').first()
    expect(await time.textContent()).toMatch(/ago$/)
    expect(await time.getAttribute('title')).toMatch(/ UTC$/)
    await page.goto(`${origin}/docs/guides/publisher`)
    await page.click('details.fold summary')
    await page.click('details.fold button.copy')
    await expect.poll(() => page.textContent('details.fold button.copy')).toBe('Copied')
    const copied = await page.evaluate('navigator.clipboard.readText()')
    expect(copied).toBe(await page.textContent('details.fold pre'))
  })
})

test('the page of changes updates itself while it is open', async () => {
  await visit(`${origin}/`, { viewport: desktop }, async page => {
    const count = () => page.textContent('.counts dd')
    const before = Number(await count())
    await registry.observe(observeBrandFile('arrives.example', 'Arrives'))
    await registry.publish()
    await expect.poll(async () => Number(await count()), { timeout: 60_000 }).toBe(before + 1)
  })
})

test('a change is pushed to the page within two seconds of its commit', async () => {
  await visit(`${origin}/changes`, { viewport: desktop }, async page => {
    await expect.poll(() => registry.metrics.text()).toMatch(/^registry_page_streams 1$/m)
    await registry.observe(
      observePublisherFile('at-once.example', { sites: ['at-once.example'], agents: [] }),
    )
    await page.waitForSelector('main :text("at-once.example")', { timeout: 2_000 })
  })
})

test.each([phone, desktop])(
  'a file is checked while it is typed, on a window of %o',
  async viewport => {
    await visit(`${origin}/workshop`, { viewport, bypassCSP: true }, async page => {
      await page.fill('#domain', 'herald.example')
      await page.fill('#text', '{\n  "authorized_agents": [\n    7\n  ]\n}')
      await page.waitForSelector('#verdict')
      expect(await page.textContent('.lines li.bad >> nth=0')).toContain('must be an object, not 7')
      expect(await listBarriers(page)).toEqual([])
      await page.click('.lines a[data-line="3"]')
      const chosen = 'text.value.slice(text.selectionStart, text.selectionEnd)'
      expect(await page.evaluate(`(text => ${chosen})(document.querySelector('#text'))`)).toBe(
        '    7',
      )
      await page.fill('#text', '{"authorized_agents": []}')
      await page.waitForSelector('#verdict:has-text("1 error")')
    })
  },
)

test.each([true, false])(
  'an upload is checked as its bytes are, whatever their encoding (JavaScript: %s)',
  async javaScriptEnabled => {
    const options = { viewport: desktop, bypassCSP: true, javaScriptEnabled }
    await visit(`${origin}/workshop`, options, async page => {
      const upload = async (content: string, encoding: BufferEncoding) => {
        const buffer = Buffer.from(content, encoding)
        const sent = { name: 'adagents.json', mimeType: 'application/json', buffer }
        await page.setInputFiles('#file', sent)
        if (!javaScriptEnabled) await page.click('button:text-is("Check")')
      }
      const text = '{"authorized_agents": [],\n "contact": {"name": "Zürich"}, "properties": 7}'
      await upload(`\ufeff${text}`, 'utf16le')
      await page.waitForSelector('#verdict:has-text("the rest can’t be checked")')
      await upload(text, 'latin1')
      await page.waitForSelector('#result:has-text("isn’t valid UTF-8")')
      expect(await page.inputValue('#text')).toBe('')
      await upload(text, 'utf8')
      await page.waitForSelector('#result:not(:has-text("isn’t valid UTF-8")) #verdict')
      expect(await page.inputValue('#text')).toBe(text)
      await upload('x'.repeat(1_200_000), 'utf8')
      await page.waitForSelector('text=What you sent is too large: it can have at most 1.05 MB.')
    })
  },
)

test('without JavaScript a file is checked by its button, and downloaded', async () => {
  const options = { viewport: desktop, javaScriptEnabled: false }
  await visit(`${origin}/workshop`, options, async page => {
    await page.fill('#text', '{"authorized_agents": 1,\n "properties": []}')
    await page.click('button:text-is("Check")')
    expect(await page.textContent('#verdict')).toContain('Invalid adagents.json')
    const coming = page.waitForEvent('download')
    await page.click('button[value=download]')
    expect((await coming).suggestedFilename()).toBe('adagents.json')
  })
})

test.each([true, false])(
  'an invalid domain is told in sight, and its field has the focus (JavaScript: %s)',
  async javaScriptEnabled => {
    const options = { viewport: phone, javaScriptEnabled }
    await visit(`${origin}/workshop`, options, async page => {
      await page.fill('#domain', 'my site')
      await page.fill('#text', '{"authorized_agents": 1,\n "properties": []}')
      await page.click('button:text-is("Check")')
      const fault = page.locator('#fault')
      expect(await fault.textContent()).toContain('isn’t a valid domain')
      await page.waitForSelector('#domain[aria-invalid=true][aria-describedby=fault]:focus')
      const { y } = (await fault.boundingBox())!
      expect(y).toBeGreaterThan(0)
      expect(y).toBeLessThan(phone.height)
    })
  },
)

test('the reference leads to an operation, its example and its objects, without a script', async () => {
  const options = { viewport: desktop, javaScriptEnabled: false }
  await visit(`${origin}/docs`, options, async page => {
    await page.click('text=Resolve a domain to its canonical brand')
    expect(await page.textContent('#example pre')).toContain(
      "curl 'https://registry.example/api/brands/resolve?domain=",
    )
    await page.click('text=BrandResolution')
    expect(await page.textContent('h1')).toBe('BrandResolution')
  })
})

test('a hostile world runs no script and sends no request to another server', async () => {
  const hostile = await openRegistry()
  await fillPages(hostile, PAYLOAD)
  const there = await hostile.app.listen(loopback)
  const strange: string[] = []
  await openWindow({ viewport: desktop }, async page => {
    page.on('dialog', dialog => {
      strange.push(`${page.url()} said ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('request', request => {
      if (!request.url().startsWith(there)) strange.push(`${page.url()} asked ${request.url()}`)
    })
    page.on('console', line => {
      if (/Content Security Policy/.test(line.text())) strange.push(`${page.url()}: ${line.text()}`)
    })
    for (const path of pagePaths) await page.goto(there + path, { waitUntil: 'networkidle' })
  })
  await hostile.close()
  expect(strange).toEqual([])
})
