import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fillGuide, guideNames, guidesFolder } from '../support/checks/guides.ts'
import { launchBrowser } from '../support/clients/driven-browser.ts'
import { type Demo, startDemo } from '../support/processes/demo.ts'

const hasJq = spawnSync('jq', ['--version']).status === 0
const PICTURE = 'docs/authorization.png'
const window = { width: 1100, height: 1080 }
const BYTES_MAX = 150_000
let demo: Demo

beforeAll(async () => {
  demo = await startDemo('Readers')
})

afterAll(() => demo?.close())

/** Takes the picture: a sale that the publisher grants and the operator confirms. */
async function takePicture(): Promise<Buffer> {
  const asked = new URLSearchParams({
    agent: 'https://ads.lantern-media.example/mcp',
    publisher: 'eastport-daily.example',
  })
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage({ viewport: window, colorScheme: 'light' })
    await page.goto(`${demo.base}/authorization?${asked}`)
    expect(await page.textContent('.verdict')).toBe('YesConfirmed by both sides.')
    expect(await page.locator('.chain > li').count()).toBe(2)
    return await page.screenshot()
  } finally {
    await browser.close()
  }
}

/** Reads width and height, which stand at the beginning of a PNG. */
const readSize = (png: Buffer) => ({ width: png.readUInt32BE(16), height: png.readUInt32BE(20) })

test('the picture in README.md is a page of the demo', async () => {
  const taken = await takePicture()
  if (process.env.UPDATE_GUIDES === '1') writeFileSync(PICTURE, taken)
  const shown = readFileSync(PICTURE)
  expect(readSize(taken)).toEqual(window)
  expect(readSize(shown)).toEqual(window)
  expect(shown.length).toBeLessThan(BYTES_MAX)
  // Their times and fonts differ, their content does not.
  expect(Math.abs(shown.length - taken.length) / taken.length).toBeLessThan(0.5)
  expect(readFileSync('README.md', 'utf8')).toMatch(/!\[[^\]]+\]\(docs\/authorization\.png\)/)
})

test('there is a guide for each kind of user', () => {
  const kinds = ['agent-operator', 'analyst', 'buyer', 'publisher', 'registry-operator']
  expect([...guideNames].sort()).toEqual(kinds)
})

test.skipIf(!hasJq)('docs/webhooks.md lets a webhook arrive from the demo', () => {
  const { base, dataDir } = demo
  const path = 'docs/webhooks.md'
  const page = readFileSync(path, 'utf8')
  const chapter = /^## See a delivery arrive\n[\s\S]*?(?=^## )/m.exec(page)![0]
  const filled = fillGuide(chapter, { base, dataDir, organization: 'Acme-webhooks' })
  if (process.env.UPDATE_GUIDES === '1')
    writeFileSync(
      path,
      page.replace(chapter, () => filled),
    )
  else expect(filled).toBe(chapter)
})

describe.skipIf(!hasJq).each(guideNames)('docs/guides/%s.md', name => {
  const path = join(guidesFolder, `${name}.md`)
  const guide = readFileSync(path, 'utf8')

  test('shows the real answers to its calls, in their order', () => {
    const { base, dataDir } = demo
    const filled = fillGuide(guide, { base, dataDir, organization: `Acme-${name}` })
    if (process.env.UPDATE_GUIDES === '1') writeFileSync(path, filled)
    else expect(filled).toBe(guide)
  })

  test('can be followed a second time', () => {
    const { base, dataDir } = demo
    const again = fillGuide(guide, { base, dataDir, organization: `Acme-${name}` })
    expect(again).toContain('```sh')
  })
})
