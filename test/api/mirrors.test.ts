import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { buildMirrorFile, createModerator } from '../support/fixtures/mirrors.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const registry = openForAll(() => openRegistry({ ownRedis: true, limits: { mirrorItems: 20 } }))
let moderator: string
let acme: string
let other: string

const ask = (
  method: 'GET' | 'PUT' | 'POST' | 'DELETE',
  path: string,
  key: string | undefined,
  payload?: object,
) => registry.send(method, `/api/registry/${path}`, { key, payload })
const put = (platform: string, file: object, key = moderator) =>
  ask('PUT', `mirrors/${platform}`, key, file)
const readMirror = async (platform: string) =>
  (await ask('GET', `mirrors/${platform}`, undefined)).json()
const approve = (proposal: { proposal_id: string; proposal_digest: string }, key = moderator) =>
  ask('POST', `mirror-proposals/${proposal.proposal_id}/approve`, key, {
    proposal_digest: proposal.proposal_digest,
  })
const mirrorEvents = () =>
  registry.sequencer.index.all<{ type: string; name: string; rid: string; payload: object }>(
    `select event_type as type, payload->>'name' as name, entity_id as rid, payload from events
     where actor = 'registry:community_mirror' order by event_id`,
  )

beforeAll(async () => {
  moderator = await createModerator(registry)
  acme = await registry.createKey('Acme')
  other = await registry.createKey('Other')
})

describe('a moderator', () => {
  test('publishes a file, which never authorizes anybody', async () => {
    const agents = [{ url: 'https://seller.example', authorized_for: 'all' }]
    const file = { ...buildMirrorFile('reels'), authorized_agents: agents, x_note: 'kept' }
    const answer = await put('Pictures', { ...file, last_updated: 'x', $schema: 'x' })
    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toEqual({
      success: true,
      platform: 'pictures',
      catalog_etag: 'v1',
      superseded_by: null,
      publisher_domains: ['pictures.example'],
      updated_at: '2026-11-20T03:00:00.000Z',
    })
    const mirror = await readMirror('pictures')
    expect(mirror).toMatchObject({
      platform: 'pictures',
      catalog_etag: 'v1',
      superseded_by: null,
      adagents_json: {
        authorized_agents: [],
        x_note: 'kept',
        properties: file.properties,
        contact: file.contact,
        last_updated: '2026-11-20T03:00:00.000Z',
        $schema: expect.stringContaining('adagents.json'),
      },
    })
    expect(Object.keys(mirror).sort()).toEqual(
      [
        'adagents_json',
        'catalog_etag',
        'created_at',
        'platform',
        'superseded_by',
        'updated_at',
      ].sort(),
    )
  })

  test('creates, changes and removes its collections, which keep their rids', async () => {
    const [created] = await mirrorEvents()
    expect(created).toMatchObject({ type: 'collection.created', name: 'The reels' })
    expect(created!.payload).toMatchObject({
      publisher_domain: 'pictures.example',
      source: 'contributed',
      status: 'active',
    })
    await put('pictures', buildMirrorFile('reels'))
    expect(await mirrorEvents()).toHaveLength(1)
    await put('pictures', buildMirrorFile('stories'))
    await put('pictures', buildMirrorFile('stories', 'reels'))
    const events = await mirrorEvents()
    expect(events.slice(1).map(({ type, name }) => [type, name])).toEqual(
      expect.arrayContaining([
        ['collection.created', 'The stories'],
        ['collection.removed', 'The reels'],
        ['collection.updated', 'The reels'],
      ]),
    )
    expect(events).toHaveLength(4)
    const reels = events.filter(({ name }) => name === 'The reels')
    expect(new Set(reels.map(({ rid }) => rid)).size).toBe(1)
  })

  test('leaves precedence to the publisher, which takes over the record', async () => {
    const file = observePublisherFile('pictures.example', {
      sites: ['pictures.example'],
      agents: [],
    })
    const document = {
      ...(file.document as { collections: object[] }),
      collections: [
        {
          collection_id: 'reels',
          name: 'The reels',
          kind: 'series',
          distribution: [],
          manifest: {},
        },
      ],
    }
    await registry.observe({ ...file, document } as typeof file)
    const { index } = registry.sequencer
    const rows = await index.all<{ collection_id: string; source: string; status: string }>(
      'select collection_id, source, status from collections order by collection_id',
    )
    expect(rows).toEqual([
      { collection_id: 'reels', source: 'authoritative', status: 'active' },
      { collection_id: 'stories', source: 'contributed', status: 'removed' },
    ])
    const before = (await mirrorEvents()).length
    await put('pictures', buildMirrorFile('stories', 'more'))
    expect(await mirrorEvents()).toHaveLength(before)
  })

  test('removes a mirror that has a successor, others by force', async () => {
    expect((await ask('DELETE', 'mirrors/none', moderator)).statusCode).toBe(404)
    await put('music', buildMirrorFile())
    const refusal = await ask('DELETE', 'mirrors/music', moderator)
    expect([refusal.statusCode, refusal.json().platform]).toEqual([409, 'music'])
    const superseded_by = 'https://music.example/.well-known/adagents.json'
    await put('music', { ...buildMirrorFile(), superseded_by })
    expect((await readMirror('music')).superseded_by).toBe(superseded_by)
    const removed = await ask('DELETE', 'mirrors/music', moderator)
    expect(removed.json()).toEqual({ success: true, platform: 'music' })
    expect((await ask('GET', 'mirrors/music', undefined)).statusCode).toBe(404)
    await put('music', buildMirrorFile())
    expect((await ask('DELETE', 'mirrors/music?force=true', moderator)).statusCode).toBe(200)
    expect((await ask('DELETE', 'mirrors/pictures', acme)).statusCode).toBe(403)
    expect((await ask('DELETE', 'mirrors/pictures', undefined)).statusCode).toBe(401)
  })
})

describe('an invalid file is refused', () => {
  test.each([
    [{}, 'One of formats'],
    [{ properties: [] }, 'One of formats'],
    [{ ...buildMirrorFile(), catalog_etag: '' }, 'catalog_etag'],
    [{ ...buildMirrorFile(), superseded_by: 'http://x.example' }, 'superseded_by'],
    [{ ...buildMirrorFile(), collections: 'none' }, 'collections'],
    [{ ...buildMirrorFile(), x_note: 'x\ud800' }, 'well-formed'],
  ])('%#', async (file, words) => {
    const answer = await put('pictures', file)
    expect(answer.statusCode).toBe(400)
    expect(answer.json().error).toContain(words)
  })

  test('with its faults', async () => {
    const answer = await put('pictures', { properties: [{ name: 'x' }] })
    expect(answer.statusCode).toBe(400)
    expect(answer.json().details).toEqual(
      expect.arrayContaining([expect.objectContaining({ field: expect.stringMatching(/^prop/) })]),
    )
  })

  test('under an invalid name, and without a credential', async () => {
    expect((await put('a%20b', buildMirrorFile())).statusCode).toBe(400)
    expect((await put('pictures', buildMirrorFile(), 'sk_nobody')).statusCode).toBe(401)
  })

  test('by an organization when it is too large', async () => {
    const many = buildMirrorFile(...Array.from({ length: 20 }, (_, i) => `c${i}`))
    expect((await put('pictures', many, acme)).statusCode).toBe(413)
    expect((await put('long', many)).statusCode).toBe(200)
  })
})

describe('an organization', () => {
  test('proposes a mirror, and replaces its own proposal', async () => {
    const answer = await put('video', buildMirrorFile('clips'), acme)
    expect(answer.statusCode).toBe(202)
    const first = answer.json()
    const place = `/api/registry/mirror-proposals/${first.proposal_id}`
    expect(answer.headers.location).toBe(place)
    expect(first).toMatchObject({
      success: true,
      status: 'pending',
      platform: 'video',
      status_url: `https://registry.example${place}`,
    })
    expect((await ask('GET', 'mirrors/video', undefined)).statusCode).toBe(404)
    const second = (await put('video', buildMirrorFile('films'), acme)).json()
    expect(second.proposal_id).toBe(first.proposal_id)
    expect(second.proposal_digest).not.toBe(first.proposal_digest)
    expect((await approve(first)).statusCode).toBe(409)
    expect((await approve(second, acme)).statusCode).toBe(403)
    const theirs = (await put('video', buildMirrorFile('films'), other)).json()
    expect(theirs.proposal_id).not.toBe(first.proposal_id)
    const approved = await approve(second)
    expect(approved.json()).toMatchObject({
      success: true,
      platform: 'video',
      proposal_id: second.proposal_id,
      publisher_domains: ['pictures.example'],
    })
    expect((await readMirror('video')).adagents_json.collections[0].collection_id).toBe('films')
    expect((await approve(second)).json().error).toBe('It was already approved.')
    const late = await approve(theirs)
    expect([late.statusCode, late.json().error]).toEqual([
      409,
      'The mirror of video changed since this was proposed.',
    ])
    const read = await ask('GET', `mirror-proposals/${theirs.proposal_id}`, other)
    expect(read.json().proposal).toMatchObject({ status: 'pending', base_changed: true })
  })

  test('sees its own proposals, and a moderator all of them', async () => {
    const list = async (key: string, query = '') =>
      (await ask('GET', `mirror-proposals?${query}`, key)).json()
    const mine = await list(acme)
    expect(mine).toMatchObject({ total: 1, proposals: [{ status: 'approved', platform: 'video' }] })
    expect(mine.proposals[0].proposer).toBeUndefined()
    const queue = await list(moderator, 'review_queue=true')
    expect(queue).toMatchObject({
      total: 1,
      proposals: [{ status: 'pending', proposer: { organization: 'Other' } }],
    })
    expect((await list(moderator, 'status=approved')).total).toBe(1)
    const [{ proposal_id }] = queue.proposals
    const listStatuses = async (key: string) =>
      (await ask('GET', `mirror-proposals/${proposal_id}`, key)).statusCode
    expect([
      await listStatuses(acme),
      await listStatuses(other),
      await listStatuses(moderator),
    ]).toEqual([404, 200, 200])
  })

  test('gets an error for an invalid query', async () => {
    const status = async (path: string, key = acme) => (await ask('GET', path, key)).statusCode
    expect(await status('mirror-proposals?review_queue=true')).toBe(403)
    expect(await status('mirror-proposals?review_queue=x')).toBe(400)
    expect(await status('mirror-proposals?status=x')).toBe(400)
    expect(await status('mirror-proposals/x')).toBe(400)
    expect(await status('mirror-proposals', 'sk_nobody')).toBe(401)
  })

  test('reads why a proposal was rejected, and may propose again', async () => {
    const proposal = (await put('games', buildMirrorFile('runs'), acme)).json()
    const reject = (notes?: string) =>
      ask('POST', `mirror-proposals/${proposal.proposal_id}/reject`, moderator, {
        proposal_digest: proposal.proposal_digest,
        ...(notes && { review_notes: notes }),
      })
    expect((await reject()).statusCode).toBe(400)
    const answer = await reject('no such games')
    expect(answer.json().proposal).toMatchObject({ status: 'rejected', platform: 'games' })
    const read = await ask('GET', `mirror-proposals/${proposal.proposal_id}`, acme)
    expect(read.json().proposal).toMatchObject({
      status: 'rejected',
      review_notes: 'no such games',
      base_changed: false,
      adagents_json: { authorized_agents: [] },
    })
    expect((await reject('again')).statusCode).toBe(409)
    const again = (await put('games', buildMirrorFile('runs'), acme)).json()
    expect(again.proposal_id).not.toBe(proposal.proposal_id)
  })
})

describe('mirrors', () => {
  test('are listed, last changed first', async () => {
    registry.clock.tick(1_000)
    await put('pictures', { ...buildMirrorFile('stories'), catalog_etag: 'v9' })
    await registry.publish()
    const { mirrors, total } = (await ask('GET', 'mirrors?limit=2', undefined)).json()
    expect([total, mirrors.length]).toEqual([3, 2])
    expect(mirrors[0]).toEqual({
      platform: 'pictures',
      catalog_etag: 'v9',
      superseded_by: null,
      updated_at: '2026-11-20T03:00:01.000Z',
    })
  })

  test('publish no contact and no proposal', async () => {
    await registry.sequencer.publish()
    const { dir } = registry.sequencer.paths
    const shown = readdirSync(dir, { recursive: true })
      .map(name => join(dir, String(name)))
      .filter(path => /index\.duckdb|snapshots\/|events\//.test(path) && statSync(path).isFile())
    const holdingName = shown.filter(path => readFileSync(path).includes('pictures.example'))
    expect(holdingName.length).toBeGreaterThan(1)
    for (const path of shown) {
      expect(readFileSync(path).includes('keepers.example'), path).toBe(false)
      expect(readFileSync(path).includes('Ada Keeper'), path).toBe(false)
    }
  })

  test('are equal in all stores, also after a restart', async () => {
    expect(await registry.verify()).toEqual([])
    await registry.restart()
    expect(await registry.verify()).toEqual([])
  })
})
