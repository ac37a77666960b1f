import { randomUUID } from 'node:crypto'
import { appendFileSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWriterClient } from '../../jobs/api-client/writer-client.ts'
import { type Instant, systemClock } from '../../pipeline/core/clock.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import type { Batch } from '../../pipeline/writer/apply-context.ts'
import { Sequencer } from '../../pipeline/writer/sequencer.ts'
import { buildBaseBatch } from '../support/fixtures/batches.ts'
import { buildMirrorFile } from '../support/fixtures/mirrors.ts'
import {
  buildBrandSave,
  buildKeyWrite,
  buildOrganizationWrite,
  buildProofWrite,
} from '../support/fixtures/submissions.ts'
import { runRegistry as command, makeTemporaryFolder } from '../support/processes/command.ts'
import { runHere } from '../support/processes/command-here.ts'
import { startRedis, type TestRedis } from '../support/processes/redis.ts'
import { ScriptProcess } from '../support/processes/script-process.ts'
import { openAnotherApi, openRegistry } from '../support/registry/app.ts'
import { generousTimeouts } from '../support/registry/generous-limits.ts'
import { enrol } from '../support/registry/members.ts'
import { buildOptions } from '../support/registry/registry.ts'
import { writeRegistryKey } from '../support/registry/registry-keys.ts'
import { testClock } from '../support/worlds/clock.ts'

/** First bytes of a PNG. */
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

const folder = makeTemporaryFolder()
const dataDir = `${folder.path}/data`
const backup = `${folder.path}/backup`
const env = { DATA_DIR: dataDir, REDIS_URL: undefined, LOG_LEVEL: 'error' }
const run = (...args: string[]) => command(args, env)
/** Runs a command that only reads or refuses, or whose like is run above. */
const see = (...args: string[]) => runHere(args, env)

afterAll(() => folder.remove())

async function commit(...submissions: ReturnType<typeof buildBrandSave>[]): Promise<void> {
  await commitIn(dataDir, () => ({ observations: [], submissions }))
}

async function commitIn(dataDir: string, build: (at: Instant) => Batch): Promise<void> {
  const clock = testClock('2026-11-20T03:00Z')
  const sequencer = (await Sequencer.open(buildOptions({ dataDir, clock })))!
  await sequencer.commit(build(clock.now()))
  await sequencer.close()
}

/** Finds the public name of a brand; undefined if it is unknown. */
async function findBrandName(domain: string, dir = dataDir): Promise<string | undefined> {
  const { config } = buildOptions({ dataDir: dir })
  const api = await openAnotherApi({ config, clock: systemClock as never })
  const answer = await api.app.inject(`/api/brands/resolve?domain=${domain}`)
  await api.close()
  return answer.json().brand_name
}

describe('an operator', () => {
  const domain = 'acme.example'

  beforeAll(async () => {
    await commit(
      buildOrganizationWrite('Acme'),
      buildKeyWrite('Acme', 'key'),
      buildProofWrite('Acme', domain),
    )
    await commit(buildBrandSave('Acme', domain, 'Acme'))
  })

  test('finds a change in the audit log and reverts it', async () => {
    expect(await run('backup', backup)).toMatchObject({
      status: 0,
      stdout: `Backed up commit 2 to ${backup}. Key files are not in it.\n`,
    })
    await commit(buildBrandSave('Acme', domain, 'Acne'))
    const { stdout } = await see('audit', 'list', '--operation', 'brand.save', '--domain', domain)
    const [header, ...lines] = stdout.trim().split('\n')
    expect(header).toMatch(/^TIME +ID +OPERATION +SUBJECT +BY +RESULT$/)
    expect(lines).toHaveLength(2)
    const [, id = ''] = lines[0]!.split('  ')
    expect(lines[0]).toMatch(new RegExp(`  brand\\.save +${domain}  `))
    const shown = JSON.parse((await see('audit', 'show', id)).stdout)
    expect(shown).toMatchObject({
      operation: 'brand.save',
      content: { brand_name: 'Acne' },
      reverted_by: [],
      changes: [
        { table: 'entries', before: [{ brand_name: 'Acme' }], after: [{ brand_name: 'Acne' }] },
      ],
    })
    expect(await run('audit', 'revert', id)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(
        /^Reverted brand\.save acme\.example of [\d-]{10} [\d:]{5} UTC\.\n$/,
      ),
    })
    expect(await findBrandName(domain)).toBe('Acme')
    expect(await see('audit', 'revert', id)).toMatchObject({
      status: 1,
      stderr: `Revision 3 of ${domain} is newer: revert that first.\n`,
    })
    expect(await see('audit', 'revert', 'that')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('must be an id that `audit list` prints'),
    })
    const reverts = await see('audit', 'list', '--by', 'command', '--json')
    expect(JSON.parse(reverts.stdout)).toMatchObject([
      { operation: 'audit.revert', answer: { refused: expect.any(String) } },
      { operation: 'entry.rollback', reverts: id, answer: { done: {} } },
    ])
  })

  test('takes a domain down and readmits it', async () => {
    expect(await see('takedown', 'no domain')).toMatchObject({ status: 1 })
    const dry = await run('takedown', domain, '--dry-run')
    expect(dry).toMatchObject({ status: 0, stdout: '' })
    expect(dry.stderr).toMatch(
      /^A takedown deletes acme\.example\. Rows by table:\n( {2}\d+ {2}\w+( \(private\))?\n)+$/,
    )
    expect(dry.stderr).toContain('  revisions\n')
    expect(dry.stderr).toContain('  brand_versions\n')
    expect(await see('takedown', 'co.uk', '--confirm', 'co.uk')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('co.uk is a public suffix'),
    })
    expect((await see('takedown', 'github.io', '--dry-run')).stderr).toContain(
      'which would be deleted too',
    )
    expect(await run('takedown', 'müller.example', '--confirm', 'Müller.example')).toMatchObject({
      stdout: 'Took down xn--mller-kva.example.\n',
      stderr:
        'Nothing is known about xn--mller-kva.example. A takedown keeps it out from now on.\n',
    })
    expect(await see('takedown', domain)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`add --confirm ${domain}`),
    })
    expect(await see('takedown', domain, '--confirm', 'acne.example')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('“acne.example” is not acme.example'),
    })
    expect(await findBrandName(domain)).toBe('Acme')
    const confirmed = ['--confirm', domain, '--reason', 'they asked']
    expect(await run('takedown', domain, ...confirmed)).toMatchObject({
      status: 0,
      stdout: `Took down ${domain}.\n`,
      stderr: expect.stringMatching(/\nDeleted \d+ rows of \d+ tables\.\n/),
    })
    expect(await findBrandName(domain)).toBeUndefined()
    expect(await run('verify')).toMatchObject({ status: 0 })
    expect((await run('takedown', '--list')).stdout).toMatch(
      /^DOMAIN +SINCE +BY +REASON\nacme\.example +2\S+ \S+ UTC {2}(\S+) {2}they asked\nxn--mller-kva\.example {2}\S+ \S+ UTC {2}\1\n$/,
    )
    expect(JSON.parse((await see('takedown', '--list', '--json')).stdout)).toMatchObject([
      { domain, reason: 'they asked', taken_down_at: expect.any(String) },
      { domain: 'xn--mller-kva.example', reason: null },
    ])
    const [{ taken_down_at }] = JSON.parse((await see('takedown', '--list', '--json')).stdout)
    for (const [reason, done] of [
      [undefined, `${domain} stays taken down.\n`],
      ['a court asked', `Changed the reason for taking down ${domain}.\n`],
    ] as const) {
      const options = reason === undefined ? [] : ['--reason', reason]
      const again = await see('takedown', domain, '--confirm', domain, ...options)
      expect(again.stdout).toBe(done)
      expect(again.stderr).toMatch(/^acme\.example is already taken down, since \S+ \S+ UTC\.\n/)
      const [row] = JSON.parse((await see('takedown', '--list', '--json')).stdout)
      expect(row).toMatchObject({ taken_down_at, reason: reason ?? 'they asked' })
    }
    for (const both of [[], ['--list', domain]])
      expect(await see('takedown', ...both)).toMatchObject({ status: 1 })
    const [row] = JSON.parse((await see('audit', 'list', '--limit', '1', '--json')).stdout)
    expect(row).toMatchObject({ operation: 'domain.takedown', by_kind: 'command' })
    expect((await see('audit', 'list', '--operation', 'takedown')).stderr).toBe(
      'There is no operation called takedown. Did you mean domain.takedown?\n',
    )
    expect((await see('audit', 'list', '--domain', 'nobody.example')).stdout).toBe(
      'No entry of the audit log matches.\n',
    )
    expect((await run('takedown', domain, '--undo')).stdout).toContain(
      `${domain} is accepted again. Deleted data is not restored`,
    )
    expect(await run('org', 'domain', 'add', domain, '--org', 'Acme')).toMatchObject({ status: 0 })
    await commit(buildBrandSave('Acme', domain, 'Acme again'))
    expect(await findBrandName(domain)).toBe('Acme again')
    expect(await run('verify')).toMatchObject({ status: 0 })
  })

  test('rebuilds what is derived, and publishes it', async () => {
    expect(await run('rebuild')).toMatchObject({
      status: 0,
      stdout: 'Rebuilt everything that is derived from the record.\n',
      stderr: '',
    })
    expect(await run('verify')).toMatchObject({ status: 0, stdout: 'All stores agree.\n' })
    expect(await findBrandName(domain)).toBe('Acme again')
  })

  test('checks a backup without restoring it', async () => {
    const before = readdirSync(backup)
    expect(await run('verify', backup)).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^The backup of commit 2, made at 2\S+Z, can be restored\.\n$/),
      stderr: '',
    })
    expect(readdirSync(backup)).toEqual(before)
    const damaged = `${folder.path}/damaged`
    cpSync(backup, damaged, { recursive: true })
    appendFileSync(`${damaged}/record.sqlite`, 'x')
    expect(await see('verify', damaged)).toMatchObject({
      status: 1,
      stderr: 'record.sqlite does not match the backup’s manifest: its SHA-256 differs.\n',
    })
    for (const command of ['backup', 'restore', 'verify'])
      expect(await see(command, 's3://bucket/backup')).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(
          /^s3:\/\/bucket\/backup is a bucket, and this command takes a folder: /,
        ),
      })
    expect(await see('verify', `${folder.path}/none`)).toMatchObject({
      status: 1,
      stderr: `There is no folder ${folder.path}/none.\n`,
    })
  })

  test('restores a backup, and says which later commits that discards', async () => {
    const { stdout, stderr } = await run('restore', backup, '--force')
    expect(stdout).toMatch(/^Restored commit 2, backed up at 2\S+Z\.\n$/)
    expect(stderr).toMatch(/^Commits 3 to \d+ were discarded; the last one was made at 2\S+Z\.\n/)
  })

  test('restores a backup, and says which revoked access that makes valid again', async () => {
    await run('key', 'create', '--org', 'Acme')
    const [{ key_id: id }] = JSON.parse(
      (await see('key', 'list', '--org', 'Acme', '--json')).stdout,
    )
    await run('org', 'user', 'add', 'ada', '--org', 'Acme', '--role', 'member')
    const later = `${folder.path}/later`
    await run('backup', later)
    await run('key', 'revoke', id)
    await run('org', 'user', 'remove', 'ada', '--org', 'Acme')
    const unknown = (await see('key', 'create', '--org', 'Acme')).stdout.trim()
    await see('key', 'revoke', unknown)
    const { stderr } = await run('restore', later, '--force')
    expect(stderr).toContain(
      'Access that was revoked after this backup is valid again. Before you start, revoke it with:\n' +
        `  registry key revoke ${id}\n  registry org user remove ada --org 'Acme'\n`,
    )
  })
})

test('a damaged log is found in the stores and in a backup, and made again once it is moved away', async () => {
  const dir = `${folder.path}/logged`
  const env = { DATA_DIR: dir, REDIS_URL: undefined, LOG_LEVEL: 'error' }
  const { path: LOG_SIGNING_KEY } = writeRegistryKey()
  const runLogged = (...args: string[]) => command(args, { ...env, LOG_SIGNING_KEY })
  await commitIn(dir, buildBaseBatch)
  const backups = ['intact', 'damaged', 'again'].map(name => `${folder.path}/${name}-log`)
  const [intact = '', damaged = '', again = ''] = backups
  expect(await runLogged('backup', intact)).toMatchObject({ status: 0, stderr: '' })
  expect((await runLogged('verify')).stdout).toBe('All stores agree.\n')
  const head = readFileSync(`${dir}/accounts/log-head`, 'utf8')

  const entries = readdirSync(`${dir}/log/tile/entries`, { recursive: true }).map(String)
  const file = `${dir}/log/tile/entries/${entries.find(name => name.includes('.p/'))}`
  writeFileSync(file, readFileSync(file, 'latin1').replace('example', 'exbmple'), 'latin1')
  const fault = /entry \d+ in tile\/entries\/\S+ is not the one that was logged/
  const advice = 'See docs/operate/incidents.md, “The log of events is damaged”.\n'
  for (const command of [['verify'], ['log', 'verify']])
    expect([command, await runLogged(...command)]).toMatchObject([
      command,
      { status: 1, stdout: expect.stringMatching(fault), stderr: expect.stringContaining(advice) },
    ])
  for (const command of [
    ['backup', damaged],
    ['verify', damaged],
  ]) {
    const { status, stdout, stderr } = await runLogged(...command)
    expect([command, status, stdout]).toEqual([command, 1, expect.not.stringContaining('can be')])
    expect(stderr).toMatch(fault)
    expect(stderr).toContain(`The log of events in ${damaged} is damaged: `)
    expect(stderr).toContain(`Its record is intact. ${advice}`)
  }

  rmSync(`${dir}/log`, { recursive: true })
  expect(await runLogged('backup', again)).toMatchObject({ status: 0, stderr: '' })
  expect(readFileSync(`${dir}/accounts/log-head`, 'utf8')).toBe(head)
  const remember = () => runLogged('log', 'verify', '--remember', `${folder.path}/head`)
  expect(await remember()).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^The head is now in /m),
  })
  expect(await remember()).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^The log continues the head in /m),
  })
  expect((await runLogged('verify', again)).stdout).toContain('can be restored')
})

test('queries, backs up and changes a running registry', async () => {
  const redis = await startRedis()
  const dir = `${folder.path}/running`
  const settings = JSON.stringify({ PUBLISH_EVERY: '1' })
  const indexer = new ScriptProcess('indexer.ts', [dir, redis.url, settings])
  await indexer.waitForLine('ready')
  const ask = (...args: string[]) =>
    command(args, { DATA_DIR: dir, REDIS_URL: undefined, LOG_LEVEL: 'error' })
  await ask('org', 'create', '--name', 'Acme')
  await ask('org', 'domain', 'add', 'acme.example', '--org', 'Acme')
  const writer = openWriterClient(redis.url, silentLog, generousTimeouts)
  for (const name of ['Acme', 'Acne']) {
    expect(
      await writer.submit(buildBrandSave('Acme', 'acme.example', name).operation),
    ).toMatchObject({
      refused: expect.stringContaining('verify '),
    })
  }
  const [org] = JSON.parse(
    (await ask('audit', 'list', '--operation', 'organization.', '--json')).stdout,
  )
  const { domain, org_id } = org.answer.done
  const editor = { kind: 'key', id: 'key', org_id } as const
  for (const brand_name of ['Acme', 'Acne']) {
    const save = {
      op: 'brand.save',
      revision_id: randomUUID(),
      domain,
      editor,
      brand_name,
    } as const
    expect(await writer.submit(save)).toHaveProperty('done')
  }
  await writer.close()
  expect((await ask('backup', `${folder.path}/while`)).stdout).toMatch(/^Backed up commit \d+ to /)
  const [row] = JSON.parse((await ask('audit', 'list', '--limit', '1', '--json')).stdout)
  expect((await ask('audit', 'revert', row.submission_id)).stdout).toMatch(/^Reverted /)
  expect((await ask('audit', 'show', row.submission_id)).stdout).toContain(
    '"reverted_by": [\n    "',
  )
  expect(await findBrandName(domain, dir)).toBe('Acme')
  expect((await ask('takedown', domain, '--confirm', domain)).stdout).toBe(`Took down ${domain}.\n`)
  expect(await findBrandName(domain, dir)).toBeUndefined()
  expect((await ask('restore', `${folder.path}/while`, '--force')).stderr).toContain(
    'stop it first',
  )
  expect(await ask('verify')).toMatchObject({ status: 0 })
  await indexer.kill()
  await redis.close()
})

describe('submissions of members', () => {
  let redis: TestRedis
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.close())

  /** Submits two reviews of each kind, as organizations do, and returns a copy of the stores. */
  async function handedIn(): Promise<string> {
    const registry = await openRegistry({ redis: redis.redis })
    const secret = await enrol(registry, { org: 'Acme', tier: 'company_icl' })
    const send = async (
      method: 'POST' | 'PUT',
      path: string,
      payload: object,
      more: Record<string, string> = {},
    ) => {
      const headers = { authorization: `Bearer ${secret}`, ...more }
      const answer = await registry.app.inject({ method, url: `/api/${path}`, payload, headers })
      expect(answer.statusCode, `${path} ${answer.body}`).toBeLessThan(300)
    }
    for (const name of ['good', 'bad']) {
      await send('POST', 'policies/save', {
        policy_id: `${name}_policy`,
        version: '1',
        name,
        category: 'regulation',
        enforcement: 'must',
        policy: 'Ask first.',
      })
      await send('PUT', `registry/mirrors/${name}`, buildMirrorFile(name))
      await send('POST', 'registry/catalog/disputes', {
        dispute_type: 'property_data',
        subject_type: 'property',
        subject_value: name,
        claim: 'The name of this is not right.',
      })
      const domain = `${name}.example`
      await send('POST', 'brands/discovered/community', { domain, brand_name: name })
      const form = new FormData()
      form.set('file', new Blob([Uint8Array.from([...PNG, ...Buffer.from(name)])]), 'logo.png')
      const sent = new Response(form)
      await send('POST', `brands/${domain}/logos`, Buffer.from(await sent.arrayBuffer()), {
        'content-type': sent.headers.get('content-type')!,
      })
    }
    const dir = `${folder.path}/reviewed`
    await registry.publish()
    cpSync(registry.config.DATA_DIR, dir, { recursive: true })
    await registry.close()
    return dir
  }

  test('are listed, shown, approved or rejected, and approved ones become public', async () => {
    const dir = await handedIn()
    const review = (...args: string[]) => runHere(['review', ...args], { ...env, DATA_DIR: dir })
    const waiting: { review_id: string; kind: string; subject: string }[] = JSON.parse(
      (await review('list', '--json')).stdout,
    )
    const kinds = ['brand', 'dispute', 'logo', 'mirror', 'policy']
    expect(waiting.map(({ kind }) => kind).sort()).toEqual(kinds.flatMap(kind => [kind, kind]))
    for (const { review_id, kind, subject } of waiting) {
      const shown = JSON.parse((await review('show', review_id)).stdout)
      expect(shown).toMatchObject({ kind, org_name: 'Acme', payload: {} })
      const isGood = subject.includes('good')
      expect(
        await review(
          isGood ? 'approve' : 'reject',
          review_id,
          ...(isGood ? [] : ['--notes', 'it is not so']),
        ),
      ).toMatchObject({
        status: 0,
        stdout: expect.stringContaining(isGood ? 'Approved the review' : 'Rejected the review'),
      })
    }
    const [decided] = waiting
    expect((await review('approve', decided!.review_id)).stderr).toContain('already')
    expect((await review('list')).stdout).toBe('There is nothing to review.\n')
    expect(
      JSON.parse((await review('list', '--status', 'rejected', '--json')).stdout),
    ).toHaveLength(kinds.length)

    const settings = { BASE_URL: 'https://registry.example' }
    const { config } = buildOptions({ dataDir: dir, settings })
    const api = await openAnotherApi({ config, clock: systemClock as never })
    const get = async (path: string) => {
      const { statusCode, body } = await api.app.inject(`/api/${path}`)
      return { status: statusCode, body: JSON.parse(body) }
    }
    expect((await get('policies/resolve?policy_id=good_policy')).body.review_status).toBe(
      'approved',
    )
    expect((await get('policies/resolve?policy_id=bad_policy')).status).toBe(404)
    expect((await get('registry/mirrors/good')).status).toBe(200)
    expect((await get('registry/mirrors/bad')).status).toBe(404)
    expect((await get('brands/resolve?domain=good.example')).body.brand_name).toBe('good')
    expect((await get('brands/resolve?domain=bad.example')).status).toBe(404)
    expect((await get('brands/good.example/logos')).body.logos).toMatchObject([
      { source: 'community', review_status: 'approved' },
    ])
    expect((await get('brands/bad.example/logos')).body.logos ?? []).toEqual([])
    const disputes = waiting.filter(({ kind }) => kind === 'dispute')
    for (const { review_id, subject } of disputes) {
      const { body } = await get(`registry/catalog/disputes/${review_id}`)
      expect(body.status).toBe(subject.includes('good') ? 'resolved' : 'rejected')
    }
    await api.close()
    const verified = await command(['verify'], { DATA_DIR: dir, REDIS_URL: undefined })
    expect(verified).toMatchObject({ status: 0 })
  })
})
