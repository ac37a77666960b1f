import { load } from 'cheerio'
import { beforeAll, describe, expect, test } from 'vitest'
import { listFaults, payloads } from '../support/checks/page-faults.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { AGENT, fillPages, pagePaths } from '../support/worlds/page-world.ts'

describe.each(payloads)('a world whose every text is %j', payload => {
  const registry = openForAll(openRegistry)

  beforeAll(async () => {
    await fillPages(registry, payload)
  })

  test.each([...pagePaths])('runs and loads nothing on %s', async path => {
    const answer = await registry.app.inject(path)
    expect(answer.statusCode).toBe(200)
    expect(listFaults(load(answer.body))).toEqual([])
  })

  test('appears as text wherever it is shown', async () => {
    const shown = payload.replaceAll('\u202e', '\ufffd')
    for (const path of [
      '/brand/acme.example',
      '/brand/acme.example/history',
      '/publisher/herald.example',
      '/publisher/herald.example/history',
      `/agent/${encodeURIComponent(AGENT)}`,
    ]) {
      const page = load((await registry.app.inject(path)).body)
      expect(page('main').text()).toContain(shown.slice(0, 60))
    }
  })

  test('runs and loads nothing where a caller sends it', async () => {
    const text = encodeURIComponent(payload)
    for (const path of [
      `/search?q=${text}`,
      `/brand/${text}`,
      `/publisher/${text}`,
      `/agent/${text}`,
      `/agent/${encodeURIComponent(`https://a.example/${payload}`)}`,
      `/authorization?agent=${encodeURIComponent('https://a.example/mcp')}&property=${text}&type=${text}`,
      `/authorization?agent=${text}&property=${text}&country=${text}`,
      `/authorization?agent=${encodeURIComponent('https://a.example/mcp')}&publisher=${text}`,
      `/changes?type=${text}`,
      `/changes?before=${text}`,
      `/policy/${text}`,
      `/policies?cursor=${text}`,
      `/file/brand.json/${text}`,
      `/file/${text}/a.example`,
      `/${text}`,
    ]) {
      const answer = await registry.app.inject({ url: path, headers: { accept: 'text/html' } })
      expect(answer.statusCode, path).toBeLessThan(500)
      if (!String(answer.headers['content-type']).startsWith('text/html')) continue
      expect(listFaults(load(answer.body)), path).toEqual([])
    }
  })
})

test('whatever is injected into a page is found by these checks', () => {
  const page = load(
    '<html><body onload="x"><iframe></iframe><a href="javascript:x">x</a><img src="https://evil.example"></body></html>',
  )
  expect(listFaults(page)).toEqual([
    'body onload',
    '<iframe>',
    'a javascript:x',
    'img loads https://evil.example',
  ])
})
