import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Operation } from '../../pipeline/model/submission.ts'
import { Database } from '../../pipeline/store/columnar/duckdb.ts'
import { exportParquet } from '../../pipeline/store/columnar/parquet.ts'
import { listViews } from '../../pipeline/store/columnar/view-files.ts'
import { listColumnarTables } from '../../pipeline/store/columnar-log.ts'
import { resolvePaths } from '../../pipeline/store/paths.ts'
import { Sqlite } from '../../pipeline/store/sqlite.ts'
import { listTables } from '../../pipeline/store/table-files.ts'
import { dispute } from '../support/clients/operation-requests.ts'
import { buildMirrorFile, createModerator } from '../support/fixtures/mirrors.ts'
import { observeFile } from '../support/fixtures/observations.ts'
import { ccpa } from '../support/fixtures/policies.ts'
import type { TestRegistry } from '../support/registry/app.ts'
import { enrol } from '../support/registry/members.ts'
import { createRecordingLog } from '../support/registry/recording-log.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { openIssuer, openWithIssuer } from '../support/servers/issuer.ts'

/** Secrets that only the private stores may hold, each in words of its own. */
const secrets: Record<string, string> = {
  'a contact that was saved': 'quentin.savedcontact',
  'a contact in a manifest that was saved': 'rosa.manifestcontact',
  'a contact in a file that was crawled': 'sven.crawledcontact',
  'a contact in a brand that was crawled': 'tilda.brandcontact',
  'a contact in a file that is hosted': 'olga.hostedcontact',
  'a logo that waits': 'picture-that-waits',
  'a note on a logo': 'note-on-a-logo',
  'a contact in a mirror': 'ulla.mirrorcontact',
  'a contact in a policy': 'vera.policycontact',
  'a note of a moderator': 'notes-of-walter',
  'an agent for members': 'members-only-agent',
  'an agent that is private': 'strictly-private-agent',
  'the label of a key': 'label-of-our-key',
  'a person': 'person-of-the-provider',
  'the address of a person': 'xenia.themselves',
  'an organization without a profile': 'Unlisted Holding',
  'who disputes something': 'yolanda.disputes',
  'what was said when it was disputed': 'a-claim-in-a-dispute',
}

const issuer = openForAll(openIssuer)
let registry: TestRegistry
const { log, said } = createRecordingLog()
/** Files that anybody may be given, and what else there is. */
let open: string[] = []
let closed: string[] = []

beforeAll(async () => {
  registry = await openWithIssuer(issuer, { ownRedis: true, log })
  secrets['a key'] = await enrol(registry, {
    org: 'Acme',
    tier: 'company_icl',
    domains: ['acme.example'],
    agents: [
      { url: 'https://shown.acme.example/mcp' },
      {
        url: `https://${secrets['an agent for members']}.acme.example/mcp`,
        visibility: 'members_only',
      },
      {
        url: `https://${secrets['an agent that is private']}.acme.example/mcp`,
        visibility: 'private',
      },
    ],
  })
  secrets['the hash of a key'] = createHash('sha256').update(secrets['a key']).digest('hex')
  await storeSecrets()
  await registry.publish()
  const paths = resolvePaths(registry.config.DATA_DIR)
  await exportParquet(paths, registry.clock.now(), log)
  await registry.sequencer.close()
  const files = listFiles(paths.dir)
  const isClosed = (path: string) => /^(accounts|record|serving|bodies|logos)\//.test(path)
  open = files.filter(path => !isClosed(path))
  closed = files.filter(isClosed)
})

afterAll(async () => {
  await registry.app.close()
  await registry.reader.close()
})

function listFiles(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter(name =>
    statSync(join(dir, name)).isFile(),
  )
}

const contact = (name: string) => ({ name: secrets[name]!, email: `${secrets[name]}@acme.example` })

/** Stores every secret through the operation that takes it. */
async function storeSecrets(): Promise<void> {
  const ask = async (
    [method, url]: ['POST' | 'PUT' | 'GET', string],
    payload?: object,
    secret = secrets['a key'],
  ) => {
    const answer = await registry.send(method, url, { key: secret, payload })
    expect(answer.statusCode, `${url} ${answer.body}`).toBeLessThan(300)
    return answer.json()
  }
  await ask(['POST', '/api/brands/save'], {
    domain: 'acme.example',
    brand_name: 'Acme',
    brand_manifest: {
      name: 'Acme',
      contact: contact('a contact in a manifest that was saved'),
      offices: [
        { city: 'Graz', email: `${secrets['a contact in a manifest that was saved']}@x.example` },
      ],
    },
  })
  await ask(['POST', '/api/properties/save'], {
    publisher_domain: 'acme.example',
    properties: [{ type: 'website', name: 'Acme site' }],
    contact: contact('a contact that was saved'),
  })
  await ask(['POST', '/api/brands/setup-my-brand'], {
    domain: 'set-up.acme.example',
    brand_name: 'Set up',
    brand_json: {
      house: { domain: 'set-up.acme.example', name: 'Set up' },
      contact: contact('a contact in a file that is hosted'),
      brands: [
        {
          id: 'set_up',
          names: [{ en: 'Set up' }],
          keller_type: 'master',
          contact: contact('a contact in a file that is hosted'),
        },
      ],
    },
  })
  await submitLogo()
  const mirror = { ...buildMirrorFile(), contact: contact('a contact in a mirror') }
  const proposal = await ask(['PUT', '/api/registry/mirrors/video'], mirror)
  const moderator = await createModerator(registry)
  await ask(
    ['POST', `/api/registry/mirror-proposals/${proposal.proposal_id}/approve`],
    { proposal_digest: proposal.proposal_digest, review_notes: secrets['a note of a moderator'] },
    moderator,
  )
  await ask(['POST', '/api/policies/save'], {
    ...ccpa,
    policy_id: 'ours',
    ext: { contact: contact('a contact in a policy') },
  })
  await ask(['POST', '/api/registry/catalog/disputes'], {
    ...dispute,
    claim: `${secrets['what was said when it was disputed']}, ${secrets['who disputes something']}@acme.example`,
  })
  const challenge = await ask(['POST', '/api/registry/ownership/challenges'], {
    domain: 'acme.example',
  })
  secrets['a nonce'] = challenge.nonce
  secrets['the hash of a nonce'] = createHash('sha256').update(challenge.nonce).digest('hex')
  const person = await issuer.token({
    sub: secrets['a person']!,
    email_verified: true,
    email: `${secrets['the address of a person']}@people.example`,
  })
  const [header, , signature] = person.split('.')
  secrets['a token'] = signature!
  expect(header).toBeDefined()
  const organization_name = secrets['an organization without a profile']
  await ask(['POST', '/api/organizations'], { organization_name }, person)
  await ask(['POST', '/api/me/api-keys'], { name: secrets['the label of a key'] }, person)
  await crawl()
  for (let day = 0; day < 2; day++) await registry.submit(crawlRequest())
}

/** Submits a logo for a domain that nobody owns, so that it waits for a moderator. */
async function submitLogo(): Promise<void> {
  const form = new FormData()
  const picture = Buffer.from(`GIF89a ${secrets['a logo that waits']}`)
  form.set('file', new Blob([picture], { type: 'image/gif' }), 'logo.gif')
  form.set('note', secrets['a note on a logo']!)
  const sent = new Response(form)
  const answer = await registry.send('POST', '/api/brands/elsewhere.example/logos', {
    key: secrets['a key'],
    headers: { 'content-type': sent.headers.get('content-type')! },
    payload: Buffer.from(await sent.arrayBuffer()),
  })
  expect(answer.json(), answer.body).toMatchObject({ review_status: 'pending' })
}

const crawlRequest = () =>
  Operation.parse({
    op: 'crawl.request',
    crawl_request_id: randomUUID(),
    scope: 'domain',
    domain: 'acme.example',
    requested_by: secrets['a person'],
  })

async function crawl(): Promise<void> {
  const now = registry.clock.now()
  const contactInFile = contact('a contact in a file that was crawled')
  const adagents = {
    contact: contactInFile,
    properties: [
      {
        property_type: 'website',
        name: 'News',
        contact: contactInFile,
        email: contactInFile.email,
        identifiers: [{ type: 'domain', value: 'news.example' }],
      },
    ],
    authorized_agents: [
      { url: 'https://shown.acme.example/mcp', authorized_for: 'all', contact: contactInFile },
    ],
  }
  const branded = contact('a contact in a brand that was crawled')
  const brand = {
    house: { domain: 'news.example', name: 'News', contact: branded },
    contact: branded,
    brands: [
      { id: 'news', names: [{ en: 'News' }], contact: branded, tone: { email: branded.email } },
    ],
  }
  await registry.observe(
    observeFile('adagents.json', 'news.example', adagents, now),
    observeFile('brand.json', 'news.example', brand, now),
  )
}

const readBytes = (path: string) => readFileSync(join(registry.config.DATA_DIR, path))

/** Reads all rows of tables of a database, as JSON. */
async function readTables(file: string, names: readonly string[]): Promise<string> {
  const db = await Database.open(file, { readOnly: true })
  const rows = await Promise.all(names.map(name => db.all(`select * from ${name}`)))
  db.close()
  return JSON.stringify(rows)
}

describe('private data', () => {
  test('is in the private stores, where it arrived', async () => {
    const record = Sqlite.open(resolvePaths(registry.config.DATA_DIR).record, { readOnly: true })
    const rows = listTables('accounts').map(name => record.all(`select * from ${name}`))
    record.close()
    const text = JSON.stringify(rows)
    for (const what of [
      'a contact that was saved',
      'an agent that is private',
      'the hash of a key',
    ]) {
      expect(text, what).toContain(secrets[what])
    }
    expect(text).not.toContain(secrets['a key'])
    expect(text).not.toContain(secrets['a nonce'])
    expect(text).not.toContain(secrets['a token'])
    expect(closed).toContain('record/record.sqlite')
  })

  test('is in folders that other users of the host cannot read', () => {
    const folders = new Set(closed.map(path => path.slice(0, path.indexOf('/'))))
    expect(folders).toContain('record')
    for (const folder of folders) {
      expect(statSync(`${registry.config.DATA_DIR}/${folder}`).mode & 0o077, folder).toBe(0)
    }
  })

  test('is in no byte of a snapshot, a Parquet file, an event file or the search file', () => {
    const names = open.join('\n')
    for (const kind of [
      'columnar.duckdb',
      'snapshots/',
      'events/',
      '.parquet',
      'search/',
      'registry.duckdb',
    ]) {
      expect(names).toContain(kind)
    }
    for (const [what, text] of Object.entries(secrets)) {
      const holding = open.filter(path => readBytes(path).includes(text))
      expect(holding, what).toEqual([])
    }
    const holding = open.filter(path => readBytes(path).includes('acme.example'))
    expect(holding.length, 'what is public is found like this').toBeGreaterThan(3)
  })

  test('is in no row of the index, of a snapshot or of a Parquet file', async () => {
    const paths = resolvePaths(registry.config.DATA_DIR)
    const dumps = [
      await readTables(
        paths.columnar,
        listColumnarTables().map(({ name }) => name),
      ),
      await readTables(paths.registry, listTables('tables')),
      await readParquet(paths.parquet),
    ]
    for (const dump of dumps) {
      expect(dump).toContain('Acme site')
      const found = Object.keys(secrets).filter(what => dump.includes(secrets[what]!))
      expect(found).toEqual([])
      expect(dump).not.toMatch(/[\w.]+@[\w-]+\.example/)
    }
  })

  test('is in no log line', () => {
    expect(said.length).toBeGreaterThan(5)
    for (const [what, text] of Object.entries(secrets)) {
      expect(
        said.filter(line => line.includes(text)),
        what,
      ).toEqual([])
    }
  })
})

async function readParquet(folder: string): Promise<string> {
  const db = await Database.open(':memory:')
  const files = listFiles(folder).filter(path => path.endsWith('.parquet'))
  expect(files.length).toBeGreaterThan(10)
  const rows = await Promise.all(
    files.map(path => db.all(`select * from read_parquet('${join(folder, path)}')`)),
  )
  db.close()
  return JSON.stringify(rows)
}

describe('a public store', () => {
  test('has no table of the private one, and no column of private data', async () => {
    const paths = resolvePaths(registry.config.DATA_DIR)
    const db = await Database.open(paths.registry, { readOnly: true })
    const columns = await db.all<{ table: string; column: string }>(
      `select table_name as "table", column_name as "column" from duckdb_columns() where not internal`,
    )
    db.close()
    const tables = new Set(columns.map(({ table }) => table))
    expect([...tables].sort()).toEqual(
      [...listTables('tables'), ...listViews(), 'data_keys'].sort(),
    )
    const wrong = columns.filter(({ column }) =>
      /e_?mail|phone|contact(?!_id$)|secret|token|nonce|password|permission|key_id|user_id|principal|submitted_by|requested_by|reviewer|notes|label|(^|_)ip($|_)/.test(
        column,
      ),
    )
    expect(wrong).toEqual([])
  })

  test('is never in the folder of the private ones', () => {
    const { dir, record, snapshots, parquet, events, search } = resolvePaths(
      registry.config.DATA_DIR,
    )
    for (const folder of [snapshots, parquet, events, search]) {
      expect(existsSync(folder)).toBe(true)
      expect(relative(folder, record).startsWith('..')).toBe(true)
      expect(listFiles(folder).join()).not.toMatch(/accounts|record|lease/)
    }
    expect(record.startsWith(dir)).toBe(true)
  })
})
