import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildAgentApp } from '../../../api/agent/app.ts'
import { AgentState } from '../../../api/agent/state/store.ts'
import { readConfig } from '../../../pipeline/core/config.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { browser, openInBrowser } from '../../support/clients/browser.ts'
import { makeTemporaryFolder } from '../../support/processes/command.ts'
import { type Origin, serveOrigin } from '../../support/servers/origin.ts'
import { type Payload, TOKEN } from '../../support/servers/reference-agent.ts'
import { testClock } from '../../support/worlds/clock.ts'

const folder = makeTemporaryFolder()
const state = AgentState.open(join(folder.path, 'state.mdb'))
const app = buildAgentApp({
  config: readConfig({ PROTOCOL_NAME: 'adcp', TEST_AGENT_TOKEN: TOKEN }),
  clock: testClock('2026-11-20T00:00Z'),
  log: silentLog,
  state,
})
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
let origin: string
let files: Origin

beforeAll(async () => {
  origin = await app.listen({ host: '127.0.0.1', port: 0 })
  files = await serveOrigin((_request, response) => {
    response.writeHead(200, { 'content-type': 'image/svg+xml' }).end(SVG)
  })
})

afterAll(async () => {
  await app.close()
  await state.close()
  await files.close()
  folder.remove()
})

async function call(tenant: string, name: string, given: object): Promise<Payload> {
  const answer = await app.inject({
    method: 'POST',
    url: `/${tenant}/mcp`,
    headers: { authorization: `Bearer ${TOKEN}`, accept: 'application/json' },
    payload: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: given },
    },
  })
  const { isError, structuredContent } = answer.json().result
  expect({ isError, structuredContent }).toMatchObject({ isError: undefined })
  return structuredContent
}

const format = (id: string) => ({ agent_url: `${origin}/creative/mcp`, id })
const text = (content: string) => ({ asset_type: 'text', content })
const file = (asset_type: string, name: string) => ({ asset_type, url: `${files.url}/${name}` })
const preview = (manifest: object, more: object = {}) =>
  call('creative', 'preview_creative', {
    request_type: 'single',
    creative_manifest: manifest,
    ...more,
  })

/** Each kind of preview: its format and assets, what the page shows, and the file that it loads. */
const kinds = [
  ['display_300x250', () => ({ image: file('image', 'banner.svg') }), '<img', '/banner.svg'],
  [
    'native_content',
    () => ({ image: file('image', 'native.png'), headline: text('Sale'), body: text('Now') }),
    '<h1>Sale</h1><p>Now</p>',
    '/native.png',
  ],
  ['video_15s', () => ({ video: file('video', 'spot.mp4') }), '<video', '/spot.mp4'],
  ['audio_30s', () => ({ audio: file('audio', 'spot.mp3') }), '<audio', '/spot.mp3'],
  ['dooh_1080x1920', () => ({ image: file('image', 'screen.svg') }), '<img', '/screen.svg'],
  [
    'vast_15s',
    () => ({ vast: { asset_type: 'vast', content: '<VAST version="4.2"/>' } }),
    '<pre>&lt;VAST version="4.2"/&gt;</pre>',
    undefined,
  ],
] as const

const pathsLoaded = () => files.asked.map(asked => asked.slice(asked.indexOf('/')))

describe.skipIf(!browser)('a real browser shows', { timeout: 180_000 }, () => {
  test.each(kinds)('a preview of %s', async (id, build, shown, loaded) => {
    const { previews } = await preview({ format_id: format(id), assets: build() })
    const page = await openInBrowser(previews[0].preview_url)
    expect(page).toContain(shown)
    if (loaded) expect(pathsLoaded()).toContain(loaded)
  })

  test('the page that a preview is, without this server', async () => {
    const assets = { image: file('image', 'inline.png') }
    const creative_manifest = { format_id: format('display_728x90'), assets }
    const requests = [{ creative_manifest, output_format: 'html' }]
    const answer = await call('creative', 'preview_creative', { request_type: 'batch', requests })
    const page = join(folder.path, 'preview.html')
    writeFileSync(page, answer.previews[0].preview_html)
    expect(await openInBrowser(`file://${page}`)).toContain('width="728" height="90"')
    expect(pathsLoaded()).toContain('/inline.png')
  })

  test('a picture that was drawn of a brief, and its preview', async () => {
    const { creative_manifest, preview: drawn } = await call('creative-builder', 'build_creative', {
      idempotency_key: randomUUID(),
      message: 'Lamps for every room',
      brand: { domain: 'acme.example' },
      target_format_id: format('display_300x250_generative'),
      include_preview: true,
    })
    const { url } = creative_manifest.assets.generated_image
    expect(await openInBrowser(url)).toMatch(/<svg [^>]*width="300" height="250"/)
    expect(await openInBrowser(drawn.previews[0].preview_url)).toContain(`src="${url}"`)
  })

  test('no script that a creative brings', async () => {
    const hostile = '<script>document.title="taken"</script><img src=x onerror=alert(1)>'
    const assets = { image: file('image', 'x.png'), headline: text(hostile.slice(0, 60)) }
    const { previews } = await preview({ format_id: format('native_content'), assets })
    const page = await openInBrowser(previews[0].preview_url)
    expect(page).toContain('&lt;script&gt;')
    expect(page).not.toMatch(/<script|<title>taken/)
  })
})
