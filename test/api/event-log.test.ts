import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Operation } from '../../pipeline/model/submission.ts'
import {
  checkContinued,
  createTileReader,
  EntryFinder,
  verifyLog,
} from '../../pipeline/transparency/verify-log.ts'
import {
  followPath,
  hashEntry,
  hashTree,
  nameOfTile,
  openNote,
  proveGrowth,
  readWholeLog,
} from '../support/checks/independent-log.ts'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { buildSubmission } from '../support/fixtures/submissions.ts'
import { openRegistry, type TestRegistry } from '../support/registry/app.ts'
import { makeRegistryKey } from '../support/servers/webhook-receivers.ts'

const key = makeRegistryKey()
let registry: TestRegistry

beforeAll(async () => {
  registry = await openRegistry({ settings: { LOG_SIGNING_KEY: key.path } })
  await commit('one.example')
})
afterAll(async () => {
  await registry.close()
  key.remove()
})

/** Commits a file of a publisher that names a new agent, which makes events. */
async function commit(domain: string): Promise<void> {
  await registry.observe(
    observePublisherFile(domain, { sites: [domain], agents: [`https://agent.${domain}/mcp`] }),
  )
  await registry.publish()
}

const ask = async (url: string) => {
  const answer = await registry.app.inject(url)
  return {
    ...answer,
    json: JSON.parse(answer.body) as Record<string, never> & {
      size: number
      proof: string[]
      root: string
      entry: string
      key: string
      note: string
      index: number
    },
  }
}
const read = async (name: string) => {
  const { statusCode, rawPayload } = await registry.app.inject(`/log/${name}`)
  return statusCode === 200 ? rawPayload : undefined
}
const fromBase64 = (hashes: readonly string[]) => hashes.map(hash => Buffer.from(hash, 'base64'))

describe('GET /log/', () => {
  test('the checkpoint is a note signed by the published key, and is revalidated each time', async () => {
    const { headers, body } = await registry.app.inject('/log/checkpoint')
    expect(headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(headers['cache-control']).toBe('public, no-cache')
    const key = String(await read('key')).trim()
    const head = openNote(body, key)
    expect(head.origin).toBe('registry.example/log')
    const { leaves } = readWholeLog(registry.reader.paths.log, head.size)
    expect(hashTree(leaves).toString('base64')).toBe(head.root)
    expect((await ask('/api/log/checkpoint')).json).toMatchObject({ ...head, key, note: body })
  })

  test('tiles may be cached for ever, and entries for a minute, since they may be erased', async () => {
    const { size } = (await ask('/api/log/checkpoint')).json
    const tile = await registry.app.inject(`/log/${nameOfTile(0, 0, size)}`)
    expect(tile.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(tile.rawPayload.length).toBe(32 * size)
    const entries = await registry.app.inject(`/log/${nameOfTile('entries', 0, size)}`)
    expect(entries.headers['cache-control']).toBe('public, max-age=60')
  })

  test.each([
    'ids',
    'tile',
    'tile/0',
    'tile/0/001',
    'tile/0/../../ids',
    'tile/0/..%2f..%2fids',
    'tile/64/000',
  ])('404: %s', async name => {
    expect((await registry.app.inject(`/log/${name}`)).statusCode).toBe(404)
  })
})

describe('proofs', () => {
  test('each event of the feed can be proven by its id, by a reader that knows only RFC 6962', async () => {
    await commit('two.example')
    const { root, size, note } = (await ask('/api/log/checkpoint')).json
    const { leaves, entries } = readWholeLog(registry.reader.paths.log, size)
    expect(entries.length).toBeGreaterThan(5)
    for (const [place, entry] of entries.entries()) {
      const { event_id } = JSON.parse(String(entry)) as { event_id: string }
      const { json } = await ask(`/api/log/inclusion?event_id=${event_id}`)
      expect(json).toMatchObject({ index: place, size, root, note, entry: String(entry) })
      const path = fromBase64(json.proof)
      expect(
        followPath(hashEntry(Buffer.from(json.entry)), place, size, path).toString('base64'),
      ).toBe(root)
      const earlier = await ask(`/api/log/inclusion?index=${place}&size=${place + 1}`)
      expect(earlier.json.root).toBe(hashTree(leaves.slice(0, place + 1)).toString('base64'))
    }
  })

  test('a later tree can be proven to continue each earlier one', async () => {
    const { root, size } = (await ask('/api/log/checkpoint')).json
    const { leaves } = readWholeLog(registry.reader.paths.log, size)
    for (let from = 1; from <= size; from++) {
      const { json } = await ask(`/api/log/consistency?from=${from}`)
      expect(json).toMatchObject({ from, to: size, to_root: root })
      expect(json.from_root).toBe(hashTree(leaves.slice(0, from)).toString('base64'))
      expect(fromBase64(json.proof)).toEqual(proveGrowth(from, leaves))
    }
  })

  test.each([
    ['inclusion', 400],
    ['inclusion?index=0&event_id=019338f0-0000-7000-8000-000000000000', 400],
    ['inclusion?index=-1', 400],
    ['inclusion?index=0&size=999999', 400],
    ['inclusion?index=999999', 404],
    ['inclusion?event_id=019338f0-0000-7000-8000-000000000000', 404],
    ['consistency', 400],
    ['consistency?from=999999', 400],
    ['consistency?from=2&to=1', 400],
  ])('%s is answered with %i', async (path, status) => {
    expect((await registry.app.inject(`/api/log/${path}`)).statusCode).toBe(status)
  })
})

describe('a check from outside', () => {
  const verify = async (remembered?: string) => {
    const entries = new EntryFinder()
    const key = String(await read('key'))
    return { entries, ...(await verifyLog({ read, key, remembered }, entries.add)) }
  }

  test('finds nothing wrong, and every line of the event files', async () => {
    const before = await verify()
    await commit('three.example')
    const found = await verify(before.note)
    expect(found).toMatchObject({ faults: [], erased: 0, pruned: 0 })
    expect(found.size).toBeGreaterThan(before.size)
    const line = '{"event_id":"019338f0-0000-7000-8000-000000000000"}'
    expect(found.entries.has(Buffer.from(line))).toBe(false)
  })

  test('finds an entry, and a tile, that was changed', async () => {
    const { log } = registry.reader.paths
    const { size } = await verify()
    for (const [level, fault] of [
      [
        'entries',
        /^entry \d+ in tile\/entries\/\S+ is not the one that was logged|cut off|has \d+ entries/,
      ],
      [0, /the signed root|not the one that was logged/],
    ] as const) {
      const file = `${log}/${nameOfTile(level, 0, size)}`
      const before = readFileSync(file)
      const other = Buffer.from(before)
      other[40]! ^= 1
      writeFileSync(file, other)
      expect((await verify()).faults.join()).toMatch(fault)
      writeFileSync(file, before)
    }
    expect((await verify()).faults).toEqual([])
  })

  test('finds a log that was started again under the same key', async () => {
    const honest = await verify()
    const other = await openRegistry({ settings: { LOG_SIGNING_KEY: key.path } })
    await other.observe(
      observePublisherFile('other.example', {
        sites: ['other.example'],
        agents: ['https://x.example/mcp'],
      }),
    )
    await other.publish()
    const readOther = async (name: string) => (await other.app.inject(`/log/${name}`)).rawPayload
    const rewritten = await verifyLog({
      read: readOther,
      key: String(await readOther('key')),
      remembered: honest.note,
    })
    expect(rewritten.isForked).toBe(true)
    expect(rewritten.faults).toEqual([
      expect.stringMatching(/the last ones are missing|does not begin with the/),
    ])
    const head = { origin: 'x', size: 3, root: hashEntry(Buffer.from('other')) }
    const now = openNote(honest.note, String(await read('key')).trim())
    const current = { ...now, root: Buffer.from(now.root, 'base64') }
    expect(await checkContinued(head, current, createTileReader({ read }))).toEqual([
      'the log does not begin with the 3 events that it was signed with before',
    ])
    await other.close()
  })
})

test('a take-down erases the entries that name the domain, and no proof fails', async () => {
  await commit('gone.example')
  const takedown = Operation.parse({
    op: 'domain.takedown',
    domain: 'gone.example',
    reason: 'they asked',
  })
  const { answers } = await registry.sequencer.commit({
    observations: [],
    submissions: [buildSubmission('takedown', takedown)],
  })
  expect([...answers.values()]).toEqual([{ done: { domain: 'gone.example' } }])
  await registry.publish()
  const found = await verifyLog({ read, key: String(await read('key')) })
  expect(found).toMatchObject({ faults: [], pruned: 0 })
  expect(found.erased).toBeGreaterThan(0)
  const { size } = found
  expect(String(await read(nameOfTile('entries', 0, size)))).not.toContain('gone.example')
  const { json } = await ask(`/api/log/inclusion?index=${size - 1}`)
  expect(json.entry).toBeNull()
})
